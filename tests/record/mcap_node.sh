#!/bin/sh
# What is written, and what is recovered, is read by an independent reader: @mcap/core of Foxglove.
set -eu
. "$TACTUS_SOURCE/tests/record/node/install"
TEST_WRITE_TO=$folder "$TACTUS_BUILD/tests/test_record" mcap_write
for name in none lz4 zstd recovered; do
    [ ! -e "$folder/$name.mcap" ] || node "$folder/check.mjs" "$folder/$name.mcap" "$folder/$name.txt"
done

#!/bin/sh
# What is written, and what is recovered, is read by an independent reader: @mcap/core of Foxglove.
set -eu
folder=$TACTUS_BUILD/mcap_node
node=$TACTUS_SOURCE/tests/record/node
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo 'skipped: node and npm are not here'
    exit 77
fi
mkdir -p "$folder"
cp "$node/package.json" "$node/package-lock.json" "$node/check.mjs" "$folder"
# The packages stay there for the next time.
if ! cmp -s "$node/package-lock.json" "$folder/installed"; then
    if ! npm ci --prefix "$folder" --no-audit --no-fund >"$folder/npm.log" 2>&1; then
        cat "$folder/npm.log"
        echo 'skipped: npm reaches no registry'
        exit 77
    fi
    cp "$node/package-lock.json" "$folder/installed"
fi
"$TACTUS_BUILD/tests/test_record_mcap_write" --write "$folder"
for name in none lz4 zstd recovered; do
    [ ! -e "$folder/$name.mcap" ] || node "$folder/check.mjs" "$folder/$name.mcap" "$folder/$name.txt"
done

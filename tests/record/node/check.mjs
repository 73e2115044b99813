// Reads an MCAP file with @mcap/core, front to back and by its index, and compares every message
// with a list: lines of channel, sequence, time in ns and bytes in hex, channel by channel.
//
//   node check.mjs FILE LIST
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import { crc32 } from "@foxglove/crc";
import { decompress as unzstd } from "fzstd";
import lz4 from "lz4js";

const [path, listPath] = process.argv.slice(2);
const bytes = new Uint8Array(readFileSync(path));
const expected = readFileSync(listPath, "utf8").split("\n").filter((line) => line);
const decompressHandlers = {
  zstd: (packed, size) => unzstd(packed, new Uint8Array(Number(size))),
  lz4: (packed, size) => Uint8Array.from(lz4.decompress(packed, Number(size))),
};

class Lines {
  byChannel = new Map();
  add(message) {
    const { channelId, sequence, logTime, publishTime, data } = message;
    assert.equal(logTime, publishTime);
    const line = `${channelId} ${sequence} ${logTime} ${Buffer.from(data).toString("hex")}`.trim();
    this.byChannel.set(channelId, [...(this.byChannel.get(channelId) ?? []), line]);
  }
  check() {
    const channels = [...this.byChannel.keys()].sort((a, b) => a - b);
    assert.deepEqual(channels.flatMap((c) => this.byChannel.get(c)), expected);
  }
}

// Front to back. It checks the CRCs of chunks, attachments and the summary.
const streamed = new Lines();
const stream = new McapStreamReader({ decompressHandlers, validateCrcs: true });
const kinds = new Map();
stream.append(bytes);
for (let record; (record = stream.nextRecord()); ) {
  kinds.set(record.type, (kinds.get(record.type) ?? 0) + 1);
  if (record.type === "Message") {
    streamed.add(record);
  }
}
assert.ok(stream.done());
streamed.check();

// By the index.
const readable = {
  size: async () => BigInt(bytes.length),
  read: async (at, size) => bytes.slice(Number(at), Number(at + size)),
};
const indexed = await McapIndexedReader.Initialize({ readable, decompressHandlers });
const found = new Lines();
let last = 0n;
for await (const message of indexed.readMessages({ validateCrcs: true })) {
  assert.ok(message.logTime >= last);
  last = message.logTime;
  found.add(message);
}
found.check();

// What is said of it.
assert.equal(indexed.header.profile, "ros2");
assert.equal(indexed.statistics.messageCount, BigInt(expected.length));
assert.equal(indexed.statistics.chunkCount, indexed.chunkIndexes.length);
assert.equal(indexed.statistics.channelCount, indexed.channelsById.size);
assert.equal(indexed.statistics.messageEndTime, last);
assert.equal(kinds.get("MessageIndex"), indexed.chunkIndexes.length);
assert.equal(indexed.schemasById.get(1).encoding, "ros2msg");
assert.equal(Buffer.from(indexed.schemasById.get(1).data).toString(), "float64 x\nfloat64 y\n");
assert.deepEqual([...indexed.channelsById.get(2).metadata], [["trace", "exact"], ["empty", ""]]);
assert.equal(indexed.summaryOffsetsByOpcode.size, 6);
assert.equal(indexed.dataSectionCrc, crc32(bytes.slice(0, Number(indexed.dataEndOffset))));

const attachments = [];
for await (const a of indexed.readAttachments({ validateCrcs: true })) {
  attachments.push([a.name, a.mediaType, Buffer.from(a.data).toString()]);
}
assert.deepEqual(attachments[0], ["config", "application/yaml", "seed: 1\n"]);
const metadata = [];
for await (const m of indexed.readMetadata()) {
  metadata.push([m.name, Object.fromEntries(m.metadata)]);
}
assert.deepEqual(metadata, [["run", { trace: "exact", empty: "" }]]);
console.log(`${path}: ${expected.length} messages in ${indexed.chunkIndexes.length} chunks`);

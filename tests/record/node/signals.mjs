// Reads a recording with @mcap/core and @foxglove/rosmsg2-serialization, and prints every value of
// every signal as its bits: lines of name, time in us and numbers in hex, channel by channel.
//
//   node signals.mjs FILE
import { readFileSync, writeSync } from "node:fs";
import { McapIndexedReader } from "@mcap/core";
import { parse } from "@foxglove/rosmsg";
import { MessageReader } from "@foxglove/rosmsg2-serialization";
import { decompress as unzstd } from "fzstd";
import lz4 from "lz4js";

const bytes = new Uint8Array(readFileSync(process.argv[2]));
const decompressHandlers = {
  zstd: (packed, size) => unzstd(packed, new Uint8Array(Number(size))),
  lz4: (packed, size) => Uint8Array.from(lz4.decompress(packed, Number(size))),
};
const readable = {
  size: async () => BigInt(bytes.length),
  read: async (at, size) => bytes.slice(Number(at), Number(at + size)),
};
const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });

const scratch = new DataView(new ArrayBuffer(8));
function bits(value, type) {
  if (type === "f64") {
    scratch.setFloat64(0, value);
    return scratch.getBigUint64(0).toString(16);
  }
  return BigInt.asUintN(64, BigInt(value)).toString(16);
}

const channels = new Map();
for (const channel of reader.channelsById.values()) {
  const schema = reader.schemasById.get(channel.schemaId);
  const definition = parse(new TextDecoder().decode(schema.data), { ros2: true });
  channels.set(channel.id, {
    kind: channel.metadata.get("kind"),
    signals: JSON.parse(channel.metadata.get("signals") ?? "[]"),
    reader: new MessageReader(definition),
    lines: [],
    last: -1n,
  });
}
for await (const message of reader.readMessages({ validateCrcs: true })) {
  const channel = channels.get(message.channelId);
  const values = channel.reader.readMessage(message.data); // of every channel, also the recorder's own
  if (channel.kind !== "signals") continue;
  for (const signal of channel.signals) {
    const value = values[signal.field];
    const list = signal.shape === "single" ? [value] : [...value];
    if (list.length !== signal.count) throw new Error(`${signal.name}: ${list.length} values`);
    channel.lines.push(
      `${signal.name} ${message.logTime / 1000n} ${list.map((v) => bits(v, signal.type)).join(" ")}\n`,
    );
  }
}
for (const id of [...channels.keys()].sort((a, b) => a - b)) {
  writeSync(1, channels.get(id).lines.join(""));
}

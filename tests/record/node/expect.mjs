// What came of a run's expectations, in the metadata of its recording as @mcap/core reads them, is
// what `tactus run --json` says.
//
//   node expect.mjs RECORDING JSON
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { McapIndexedReader } from "@mcap/core";

const bytes = new Uint8Array(readFileSync(process.argv[2]));
const readable = {
  size: async () => BigInt(bytes.length),
  read: async (at, size) => bytes.slice(Number(at), Number(at + size)),
};
const reader = await McapIndexedReader.Initialize({ readable });
const records = new Map();
for await (const record of reader.readMetadata()) {
  assert(!records.has(record.name), `${record.name} is there twice`);
  records.set(record.name, record.metadata);
}

const said = JSON.parse(readFileSync(process.argv[3], "utf8"));
const recorded = [];
for (const [name, text] of records.get("tactus.expect") ?? []) {
  assert(!text.includes("\n"), `${name} is not on one line`);
  recorded.push(JSON.parse(text));
  assert.equal(recorded.at(-1).name, name);
}
assert.deepEqual(recorded, said.expect ?? []);
assert.equal(records.get("tactus.stop")?.get("t_us"), said.stop?.t_us.toString());
console.log(`${recorded.length} expectations, ${said.stop ? "stopped" : "not stopped"}: alike`);

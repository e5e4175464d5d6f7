// Reads what a request on standard input names, by the package @duckdb/node-api in the directory of the first argument, and
// prints what it found, as read.py does: {"file": PATH, "queries": {NAME: SQL}}.
"use strict";
const { createHash } = require("node:crypto");
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const duckdb = createRequire(process.argv[2] + "/")("@duckdb/node-api");

// text is a value of a type in the one form that the test writes, too.
function text(value, type) {
  if (value === null) return "null";
  switch (type.typeId) {
    case duckdb.DuckDBTypeId.FLOAT:
    case duckdb.DuckDBTypeId.DOUBLE:
      return value.toExponential(16).replace(/e([+-])(\d)$/, "e$10$2");
    case duckdb.DuckDBTypeId.TIMESTAMP_TZ:
      return "@" + value.micros;
    case duckdb.DuckDBTypeId.LIST:
      return "[" + value.items.map((v) => text(v, type.valueType)).join(",") + "]";
    case duckdb.DuckDBTypeId.DATE:
    case duckdb.DuckDBTypeId.VARCHAR:
      return Buffer.byteLength(String(value)) + ":" + value;
  }
  return String(value);
}

async function found(db, query) {
  const columns = (await db.runAndReadAll("DESCRIBE " + query)).getRows().map((row) => [row[0], row[1]]);
  const answer = await db.runAndReadAll(query);
  const types = answer.columnTypes();
  let total = 0n;
  const rows = answer.getRows();
  for (const row of rows) {
    const digest = createHash("sha256").update(row.map((v, i) => text(v, types[i])).join("|")).digest();
    total = BigInt.asUintN(64, total + digest.readBigUInt64BE());
  }
  return { rows: rows.length, columns, sum: total.toString(16).padStart(16, "0") };
}

async function main() {
  const request = JSON.parse(readFileSync(0, "utf8"));
  const instance = await duckdb.DuckDBInstance.create(request.file, { access_mode: "READ_ONLY", threads: "1" });
  const db = await instance.connect();
  await db.run("SET TimeZone = 'Asia/Tokyo'"); // which is nobody's: instants must be the same in any
  const answers = {};
  for (const [name, query] of Object.entries(request.queries)) {
    answers[name] = await found(db, query).catch((problem) => ({ error: String(problem) }));
  }
  process.stdout.write(JSON.stringify({ version: duckdb.version(), answers }));
}

main();

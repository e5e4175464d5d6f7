"""Reads what a request on standard input names, by another library than the program's own, and prints what it found.

    {"file": PATH, "queries": {NAME: SQL}}     answered by the duckdb package
    {"tables": {NAME: [PARQUET FILE, …]}}      read by the pyarrow package

For each name: how many rows, each column's name and type, and a sum over the rows' values that no order changes."""

import datetime
import decimal
import hashlib
import json
import sys

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def text(value):
    """A value in the one form that the test writes, too."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "%.16e" % value
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        return "@%d" % ((value - EPOCH) // datetime.timedelta(microseconds=1))
    if isinstance(value, datetime.date):
        value = value.isoformat()
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(text(v) for v in value) + "]"
    if isinstance(value, str):
        return "%d:%s" % (len(value.encode()), value)
    return str(int(value))


def found(columns, rows):
    total, count = 0, 0
    for row in rows:
        digest = hashlib.sha256("|".join(text(v) for v in row).encode()).digest()
        total += int.from_bytes(digest[:8], "big")
        count += 1
    return {"rows": count, "columns": columns, "sum": "%016x" % (total % 2**64)}


def ask(file, queries):
    import duckdb

    db = duckdb.connect(file, read_only=True, config={"threads": 1})
    db.execute("SET TimeZone = 'Asia/Tokyo'")  # which is nobody's: instants must be the same in any

    def one(query):
        columns = [[row[0], row[1]] for row in db.execute("DESCRIBE " + query).fetchall()]
        return found(columns, db.execute(query).fetchall())

    return duckdb.__version__, {name: said(one, query) for name, query in queries.items()}


def read(tables):
    import pyarrow
    import pyarrow.parquet

    def one(files):
        table = pyarrow.concat_tables([pyarrow.parquet.ParquetFile(f).read() for f in files])
        columns = [[field.name, str(field.type)] for field in table.schema]
        return found(columns, zip(*[column.to_pylist() for column in table.columns]))

    return pyarrow.__version__, {name: said(one, files) for name, files in tables.items()}


def said(one, what):
    try:
        return one(what)
    except Exception as problem:  # one that cannot be read is told among those that can
        return {"error": str(problem)}


request = json.load(sys.stdin)
version, answers = read(request["tables"]) if request.get("tables") else ask(request["file"], request["queries"])
json.dump({"version": version, "answers": answers}, sys.stdout)

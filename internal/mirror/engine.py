"""Reads tables by PyIceberg: a line of JSON names a table and a file, into which its rows are written as Parquet. The answer is a line, too."""
import json
import os
import sys

import pyarrow.parquet
import pyiceberg
from pyiceberg.catalog import load_catalog


def first(*names):
    return next((os.environ[name] for name in names if os.environ.get(name)), "")


def secret(name):
    if os.environ.get(name + "_FILE"):
        with open(os.environ[name + "_FILE"]) as file:
            return file.read().strip()
    return os.environ.get(name, "")


kind, _, place = sys.argv[1].partition(":")
options = {"s3.endpoint": first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"), "s3.region": first("AWS_REGION", "AWS_DEFAULT_REGION")}
if kind == "rest":
    place, _, warehouse = place.partition("?warehouse=")
    options |= {"type": "rest", "uri": place, "warehouse": warehouse, "token": secret("ICEBERG_TOKEN"), "credential": secret("ICEBERG_CREDENTIAL"),
                "oauth2-server-uri": first("ICEBERG_OAUTH2_SERVER_URI"), "scope": first("ICEBERG_SCOPE")}
else:  # Postgres takes the user and the password from the environment
    options |= {"type": "sql", "uri": {"sqlite": "sqlite:///", "postgres": "postgresql+psycopg2:"}[kind] + place}
catalog = load_catalog("aqueduck", **{name: value for name, value in options.items() if value})
print("PyIceberg " + pyiceberg.__version__, flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    try:
        rows = catalog.load_table(tuple(asked["table"])).scan().to_arrow_batch_reader()
        with pyarrow.parquet.ParquetWriter(asked["into"], rows.schema) as file:
            for batch in rows:
                file.write_batch(batch)
        print("read", flush=True)
    except Exception as error:  # the caller says what it means
        print(" ".join(f"{type(error).__name__}: {error}".split())[:500], flush=True)

"""Reads every table of a mirror by one engine, and compares its rows with the published file: engines.py ENGINE CATALOG NAMESPACE FILE ENDPOINT [TABLE TO COMPACT ...]."""
import importlib
import io
import os
import sys

import duckdb
import pyarrow.parquet
from pyiceberg.catalog import load_catalog

engine, catalog, namespace, published, endpoint = sys.argv[1:6]
kind, place = catalog.split(":", 1)
options = {"s3.endpoint": endpoint, "s3.access-key-id": "key", "s3.secret-access-key": "secret", "s3.region": "us-east-1"}
if kind == "rest":
    catalog = load_catalog("aqueduck", type="rest", uri=place, **options)
else:  # Postgres takes the user and the password from the environment
    catalog = load_catalog("aqueduck", type="sql", uri={"sqlite": "sqlite:///", "postgres": "postgresql+psycopg2:"}[kind] + place, **options)
db = duckdb.connect()
db.execute(f"SET TimeZone = 'UTC'; ATTACH '{published}' AS w (READ_ONLY)")
if engine == "duckdb":
    for extension in ("avro", "httpfs", "iceberg"):  # from PyPI: nothing is installed at run time
        home = os.path.dirname(importlib.import_module("duckdb_extension_" + extension).__file__)
        db.execute("LOAD '%s'" % next(os.path.join(r, n) for r, _, ns in os.walk(home) for n in ns if n.endswith(".duckdb_extension")))
    db.execute(f"CREATE SECRET (TYPE s3, KEY_ID 'key', SECRET 'secret', REGION 'us-east-1', ENDPOINT '{endpoint.split('//')[1]}', URL_STYLE 'path', USE_SSL false)")
    if kind == "rest":
        db.execute(f"ATTACH 'lake' AS lake (TYPE iceberg, ENDPOINT '{place}', AUTHORIZATION_TYPE 'none', ACCESS_DELEGATION_MODE 'none')")


if engine == "spark":
    from pyspark.sql import SparkSession
    os.environ["AWS_REQUEST_CHECKSUM_CALCULATION"] = "when_required"  # the emulated store does not decode checksums behind an object
    spark = SparkSession.builder.master("local[1]")
    for key, value in {"spark.jars": os.environ["AQUEDUCK_SPARK_JARS"], "spark.ui.enabled": "false", "spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": "1",
                       "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
                       "spark.sql.catalog.aqueduck": "org.apache.iceberg.spark.SparkCatalog", "spark.sql.catalog.aqueduck.warehouse": "s3://lake/mirror",
                       "spark.sql.catalog.aqueduck.type": "rest" if kind == "rest" else "jdbc",
                       "spark.sql.catalog.aqueduck.uri": {"rest": "", "sqlite": "jdbc:sqlite:", "postgres": "jdbc:postgresql:"}[kind] + place,
                       "spark.sql.catalog.aqueduck.jdbc.user": os.environ.get("PGUSER", ""), "spark.sql.catalog.aqueduck.jdbc.password": os.environ.get("PGPASSWORD", ""),
                       "spark.sql.catalog.aqueduck.io-impl": "org.apache.iceberg.aws.s3.S3FileIO", "spark.sql.catalog.aqueduck.s3.endpoint": endpoint,
                       "spark.sql.catalog.aqueduck.s3.path-style-access": "true", "spark.sql.catalog.aqueduck.client.region": "us-east-1"}.items():
        spark = spark.config(key, value)
    spark = spark.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for name in sys.argv[6:]:  # tables to compact
        for procedure in (f"rewrite_data_files(table => '{namespace}.{name}', options => map('rewrite-all', 'true'))", f"rewrite_position_delete_files('{namespace}.{name}')"):
            print(procedure, spark.sql("CALL aqueduck.system." + procedure).collect())
elif engine == "trino":
    from trino.dbapi import connect
    trino = connect(host="127.0.0.1", port=int(os.environ["AQUEDUCK_TRINO_PORT"]), user="reader", catalog="aqueduck", schema=namespace, timezone="UTC").cursor()
    for name in sys.argv[6:]:
        print(name, trino.execute(f'ALTER TABLE "{name}" EXECUTE optimize').fetchall())


def read(table):
    """The rows of a table as something that DuckDB can read."""
    if engine == "spark":
        return spark.table("aqueduck." + ".".join(table.name())).toArrow()
    if engine == "trino":
        kinds = table.schema().as_arrow()
        found = trino.execute(f'SELECT * FROM "{table.name()[1]}"').fetchall()
        names = [column.name for column in trino.description]
        return pyarrow.table({name: pyarrow.array([row[i] for row in found], kinds.field(name).type) for i, name in enumerate(names)})
    if engine == "duckdb" and kind == "rest":
        return db.sql("SELECT * FROM lake." + ".".join(table.name())).to_arrow_table()
    if engine == "duckdb":
        return db.sql(f"SELECT * FROM iceberg_scan('{table.metadata_location}')").to_arrow_table()
    if engine == "polars":
        import polars
        return polars.scan_iceberg(table, storage_options={"aws_endpoint_url": endpoint, "aws_access_key_id": "key", "aws_secret_access_key": "secret",
                                                           "aws_region": "us-east-1", "aws_allow_http": "true"}).collect().to_arrow()
    if engine == "chdb":
        import chdb
        place = table.location().replace("s3://", endpoint + "/")
        return pyarrow.parquet.read_table(io.BytesIO(chdb.query(f"SELECT * FROM icebergS3('{place}', 'key', 'secret')", "Parquet").bytes()))
    return table.scan().to_arrow()


tables = rows = 0
for name in catalog.list_tables(namespace):
    table = catalog.load_table(name)
    if name[1] == "_mirror" or table.current_snapshot() is None:
        continue
    lake = read(table)
    if name[1] == "_changes":  # only these tables have it: PyIceberg's rows are the measure
        whole = table.scan().to_arrow()
        theirs, ours = [db.execute(f"SELECT count(*), sum(hash(relation, key, kind, file, recorded_at)) FROM {of}").fetchone() for of in ("lake", "whole")]
        assert theirs == ours and ours[0] > 0, (name, theirs, ours)
        continue
    kinds = dict(db.execute("SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = 'w' AND schema_name = 'main' AND table_name = ?", [name[1]]).fetchall())
    columns = [f.name for f in table.schema().fields if f.name != "_mirror_hash"]
    assert sorted(columns) == sorted(kinds), (name, columns, kinds)
    plain = ("BOOLEAN", "INTEGER", "BIGINT", "DOUBLE", "DATE", "TIMESTAMP WITH TIME ZONE", "VARCHAR")
    own = ", ".join(f'"{c}"' + ("" if kinds[c] in plain else "::VARCHAR") for c in columns)
    queries = ["SELECT " + ", ".join(f'"{c}"' for c in columns) + " FROM lake", f'SELECT {own} FROM w.main."{name[1]}"']
    theirs, ours = [db.execute(f"SELECT count(*), sum(hash(r)) FROM ({q}) r").fetchone() for q in queries]
    assert theirs == ours, (name, theirs, ours)
    tables, rows = tables + 1, rows + theirs[0]
print(f"{engine}: {tables} tables with {rows} rows are equal")

"""Reads the contacts with the public source that airbyte-cdk runs, and has DuckDB read the records that it prints."""

import glob
import json
import os
import subprocess
import sys

import duckdb

url, token, out = sys.argv[1:4]
source = glob.glob(os.path.join(sys.prefix, "bin", "source-*"))
source = next(name for name in source if not name.endswith("manifest"))
os.environ.update(WORKSPACE_URL=url, PYTHONPATH=os.path.join(os.path.dirname(os.path.abspath(__file__)), "redirect"))


def write(name, value):
    with open(out + "." + name, "w") as file:
        json.dump(value, file)
    return out + "." + name


catalog = {"streams": [{"stream": {"name": "contacts", "json_schema": {}, "supported_sync_modes": ["full_refresh", "incremental"]},
                        "sync_mode": "incremental", "destination_sync_mode": "append"}]}
with open(out + ".records", "w") as records:
    subprocess.run([source, "read", "--config", write("config.json", {"access_token": token, "start_date": "2000-01-01T00:00:00Z"}),
                    "--catalog", write("catalog.json", catalog)], check=True, stdout=records)
db = duckdb.connect(out)
db.execute("CREATE TABLE contacts AS SELECT record.data->>'id' AS id, record.data->'tags' AS tags, record.data AS data FROM read_json('" + out +
           ".records', format = 'newline_delimited', columns = {type: 'VARCHAR', record: 'STRUCT(stream VARCHAR, data JSON)'}) WHERE type = 'RECORD'")
db.close()

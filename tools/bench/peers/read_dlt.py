"""Reads the contacts with dlt's generic source of REST APIs, as its manual describes it, and normalizes with two processes."""

import os
import sys

os.environ.update(NORMALIZE__WORKERS="2", NORMALIZE__DATA_WRITER__FILE_MAX_ITEMS="20000", EXTRACT__DATA_WRITER__FILE_MAX_ITEMS="20000",
                  LOAD__WORKERS="2", RUNTIME__DLTHUB_TELEMETRY="false", RUNTIME__LOG_LEVEL="WARNING")

import dlt
from dlt.sources.rest_api import rest_api_source

if __name__ == "__main__":
    url, token, out = sys.argv[1:4]
    os.environ["DLT_DATA_DIR"] = out + ".dlt"
    source = rest_api_source({
        "client": {"base_url": url, "auth": {"type": "bearer", "token": token}},
        "resources": [{
            "name": "contacts",
            "primary_key": "id",
            "write_disposition": "append",
            "columns": {"custom_attributes": {"data_type": "json"}},  # a number beyond 64 bits in a column of them ends the load
            "endpoint": {
                "path": "contacts/search",
                "method": "POST",
                "json": {"query": {"field": "updated_at", "operator": ">", "value": 0},
                         "sort": {"field": "updated_at", "order": "ascending"}, "pagination": {"per_page": 150}},
                "data_selector": "data",
                "paginator": {"type": "cursor", "cursor_path": "pages.next.starting_after", "cursor_body_path": "pagination.starting_after"},
            },
        }],
    })
    pipeline = dlt.pipeline("peer", destination=dlt.destinations.duckdb(out), dataset_name="main", pipelines_dir=out + ".dlt/pipelines")
    print(pipeline.run(source))

"""Reads the contacts with ingestr's own source. It makes no child tables: lists stay JSON."""

import os
import subprocess
import sys

url, token, out = sys.argv[1:4]
os.environ.update(WORKSPACE_URL=url, PYTHONPATH=os.path.join(os.path.dirname(os.path.abspath(__file__)), "redirect"), DISABLE_TELEMETRY="true",
                  INGESTR_DISABLE_TELEMETRY="true", RUNTIME__DLTHUB_TELEMETRY="false")
source = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tap.txt")).read().split("==")[0].removeprefix("tap-")  # its name in both
tool = os.path.join(os.path.dirname(sys.executable), "ingestr")
subprocess.run([tool, "ingest", "--source-uri", source + "://?access_token=" + token + "&region=us", "--source-table", "contacts",
                "--dest-uri", "duckdb:///" + out, "--dest-table", "main.contacts", "--interval-start", "2000-01-01", "--yes"],
               check=True, stdin=subprocess.DEVNULL)

"""Reads the contacts with tap-intercom into target-duckdb, each in its own environment, with a pipe between them."""

import json
import os
import subprocess
import sys

url, token, out = sys.argv[1:4]
bin = os.path.dirname(sys.executable)
target = os.path.join(os.path.dirname(os.path.dirname(bin)), "target", "bin", "target-duckdb")
tap = os.path.join(bin, "tap-intercom")
redirected = dict(os.environ, WORKSPACE_URL=url, PYTHONPATH=os.path.join(os.path.dirname(os.path.abspath(__file__)), "redirect"))


def write(name, value):
    with open(out + "." + name, "w") as file:
        json.dump(value, file)
    return out + "." + name


config = write("tap.json", {"access_token": token, "start_date": "2000-01-01T00:00:00Z", "user_agent": "bench"})
catalog = json.loads(subprocess.run([tap, "--config", config, "--discover"], check=True, capture_output=True, env=redirected).stdout)
catalog["streams"] = [s for s in catalog["streams"] if s["tap_stream_id"] == "contacts"]
for entry in catalog["streams"][0]["metadata"]:
    entry["metadata"]["selected"] = True
names = ["--config", config, "--catalog", write("catalog.json", catalog)]
reading = subprocess.Popen([tap] + names, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=redirected)
wanted = write("target.json", {"filepath": out, "path": out, "default_target_schema": "main"})
subprocess.run([target, "--config", wanted], check=True, stdin=reading.stdout, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
reading.stdout.close()
sys.exit(reading.wait())

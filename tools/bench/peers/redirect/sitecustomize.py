"""Sends all requests to WORKSPACE_URL: these packages have the address of their source in their code. No retry, no wait, no body is changed."""

import os
import sys
from urllib.parse import urlsplit, urlunsplit

if "WORKSPACE_URL" in os.environ and not sys.argv[0].endswith("pip"):
    try:
        from requests.adapters import HTTPAdapter
    except ImportError:
        HTTPAdapter = None
    if HTTPAdapter is not None:
        workspace = urlsplit(os.environ["WORKSPACE_URL"])
        send = HTTPAdapter.send

        def send_to_workspace(self, request, **kwargs):
            request.url = urlunsplit((workspace.scheme, workspace.netloc) + tuple(urlsplit(request.url))[2:])
            return send(self, request, **kwargs)

        HTTPAdapter.send = send_to_workspace

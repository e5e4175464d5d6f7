"""Sends all requests to WORKSPACE_URL: these packages have the address of their source in their code. Nothing else of a request changes."""

import os
from urllib.parse import urlsplit, urlunsplit

from requests.adapters import HTTPAdapter

workspace = urlsplit(os.environ["WORKSPACE_URL"])
send = HTTPAdapter.send


def send_to_workspace(self, request, **kwargs):
    request.url = urlunsplit((workspace.scheme, workspace.netloc) + tuple(urlsplit(request.url))[2:])
    return send(self, request, **kwargs)


HTTPAdapter.send = send_to_workspace

"""Reads lists to their ends with a client library that was written for APIs of this kind, and prints their ids as JSON.

It knows the forms of the API's document and nothing of the emulator: python walk.py BASE_URL TOKEN
"""
import json
import sys

from dlt.sources.helpers.rest_client import RESTClient
from dlt.sources.helpers.rest_client.auth import BearerTokenAuth
from dlt.sources.helpers.rest_client.paginators import JSONResponseCursorPaginator, PageNumberPaginator

NEXT = "pages.next.starting_after"
EVERYTHING = {"field": "created_at", "operator": ">", "value": 1}

client = RESTClient(base_url=sys.argv[1], auth=BearerTokenAuth(sys.argv[2]), headers={"Service-Version": "2.17"})


def by_cursor(path, key="data", **params):
    return client.paginate(path, params=params, data_selector=key,
                           paginator=JSONResponseCursorPaginator(cursor_path=NEXT, cursor_param="starting_after"))


def by_search(path, key="data", per_page=50):
    return client.paginate(path, method="POST", data_selector=key,
                           json={"query": EVERYTHING, "pagination": {"per_page": per_page}},
                           paginator=JSONResponseCursorPaginator(cursor_path=NEXT, cursor_body_path="pagination.starting_after"))


def by_number(path, method="GET", **params):
    # It asks on until a page is empty: what lies past the end is 200 and no records.
    return client.paginate(path, method=method, params=params, data_selector="data",
                           paginator=PageNumberPaginator(base_page=1, total_path=None))


def by_scroll(path):
    return client.paginate(path, data_selector="data",
                           paginator=JSONResponseCursorPaginator(cursor_path="scroll_param", cursor_param="scroll_param"))


walks = {
    "contacts": by_cursor("/contacts", per_page=50),
    "contacts by search": by_search("/contacts/search"),
    "conversations": by_cursor("/conversations", key="conversations"),
    "conversations by search": by_search("/conversations/search", key="conversations", per_page=20),
    "companies": by_number("/companies/list", method="POST", per_page=15),
    "companies by scroll": by_scroll("/companies/scroll"),
    "companies by search": by_search("/companies/search"),
    "deleted_contacts": by_number("/contacts/deleted", per_page=50),
    "contact_activities": by_cursor("/contacts/activities"),
    "articles": by_number("/articles"),
}
json.dump({name: [str(record["id"]) for page in pages for record in page] for name, pages in walks.items()}, sys.stdout)

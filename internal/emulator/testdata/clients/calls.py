"""Makes every call that the API's own client for Python has and the emulator answers, and compares each answer with the oracle.

python calls.py MODULE BASE_URL TOKEN prints a JSON object: has (the client's requests as [method, path]), values (how many values were
compared) and unlike (answers that do not fit
the client's types, by type and place). It ends with an error when a value is not the oracle's.
"""
import importlib
import json
import pathlib
import pkgutil
import re
import sys
import urllib.request

import pydantic

module, base, token = sys.argv[1:]
library = importlib.import_module(module)
unlike, values = {}, 0


def strictly(construct):
    """The client takes what comes. This notes where an answer is not what the client's types say."""
    rename = importlib.import_module(module + ".core.serialization").convert_and_respect_annotation_metadata

    def checked(*, type_, object_):
        made = construct(type_=type_, object_=object_)
        if made is not None and "Optional[typing.Any]" not in str(type_):
            try:
                pydantic.TypeAdapter(type_).validate_python(rename(object_=object_, annotation=type_, direction="read"))
            except pydantic.ValidationError as error:
                name = re.search(r"(\w+)\W*$", str(type_))[1]
                for e in error.errors():
                    place = re.sub(r"\.\d+", "[]", "".join("." + str(part) for part in e["loc"])).lstrip(".")
                    place = re.sub(r"custom_attributes\.[^.]+", "custom_attributes.{}", place)
                    unlike[f"{name} " + re.sub(r"(\.(str|int|datetime|list\[str\]|[A-Z]\w+))+$", "", place)] = e["msg"]
        return made
    return checked


def has():
    """Lists the requests of the client, from its source."""
    for entry in pkgutil.walk_packages(library.__path__, module + "."):
        if not entry.name.endswith(".raw_client") or ".unstable" in entry.name:
            continue
        part = importlib.import_module(entry.name)
        if hasattr(part, "construct_type"):
            part.construct_type = strictly(part.construct_type)
        source = pathlib.Path(part.__file__).read_text()
        for found in re.finditer(r'httpx_client\.(?:request|stream)\(\s*f?"([^"]+)",\s*(?:base_url=[^,]+,\s*)?method="([A-Z]+)"', source):
            yield found[2], "/" + re.sub(r"\{[^}]*\}", "{}", found[1])


requests = sorted(set(has()))
client = getattr(library, module.title())(token=token, base_url=base)


def fetch(path, body=None):
    request = urllib.request.Request(base + path, None if body is None else json.dumps(body).encode(), method="GET" if body is None else "POST")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def oracle(stream, key="id"):
    return {str(row[key]): row for row in fetch("/_oracle/" + stream)}


def equal(what, got, want):
    global values
    values += 1
    if str(got) != str(want) and not (got in (None, "", 0) and want in (None, "", 0)):
        raise SystemExit(f"{what} is {got!r}, in the oracle {want!r}")


def same(record, row, columns, **elsewhere):
    """Compares the columns of a record with a row of the oracle; elsewhere has a function for each column with another name."""
    for column in columns.split():
        equal(f"{type(record).__name__}.{column} of {getattr(record, 'id', '')}", getattr(record, column), row.get(column))
    for column, find in elsewhere.items():
        equal(f"{column} of {getattr(record, 'id', '')}", find(record), row[column])


def all_of(pages, stream, columns, key="id", of=None, **elsewhere):
    """Reads a list to its end and compares it with a stream of the oracle, or with its rows for which of is true."""
    rows, found = {k: r for k, r in oracle(stream, key).items() if of is None or of(r)}, list(pages)
    equal("the ids of " + stream, sorted(str(r.id) for r in found), sorted(rows))
    for record in found:
        same(record, rows[str(record.id)], columns, **elsewhere)
    return found


CONTACT = "role email phone name external_id created_at updated_at signed_up_at last_seen_at language_override browser os"
COMPANY = "company_id app_id name website industry created_at updated_at monthly_spend session_count size user_count"
CONVERSATION = "title created_at updated_at waiting_since open state read admin_assignee_id team_assignee_id"
TICKET = "category created_at updated_at open is_shared admin_assignee_id team_assignee_id"
# Bodies of versions up to 2.16 have no references to dynamic content, which the oracle has.
ARTICLE = "title description author_id state created_at updated_at url default_locale"
INTERNAL = "title body author_id owner_id locale created_at updated_at"
NEWS = "title body sender_id state created_at updated_at"
ADMIN = "name email away_mode_enabled away_mode_reassign has_inbox_seat"
NOTE = "body created_at"
EVERYTHING = {"field": "created_at", "operator": ">", "value": 1}


def searched(search, per_page):
    """Reads a search to its end. The client's own pages repeat the first one for ever: they do not send the cursor."""
    after, found = None, []
    while True:
        page = search(query=EVERYTHING, pagination={"per_page": per_page, "starting_after": after} if after else {"per_page": per_page})
        found += page.items
        if not page.has_next:
            return found
        after = page.response.pages.next.starting_after


def one(record, stream, columns, key="id", **elsewhere):
    same(record, oracle(stream, key)[str(record.id)], columns, **elsewhere)
    return record


def calls():
    me = client.admins.identify()
    one(me, "admins", ADMIN)
    admins = all_of(client.admins.list().admins, "admins", ADMIN)
    for admin in admins:
        if int(admin.id) < 1 << 53:
            one(client.admins.find(int(admin.id)), "admins", ADMIN)
    logs = client.admins.list_all_activity_logs(created_at_after="1600000000").activity_logs
    for log in logs:
        one(log, "admin_activity_logs", "activity_type activity_description created_at")

    # Contacts, and what belongs to them.
    contacts = all_of(client.contacts.list(per_page=50), "contacts", CONTACT)
    all_of(searched(client.contacts.search, 50), "contacts", CONTACT)
    first = contacts[0]
    one(client.contacts.find(first.id), "contacts", CONTACT)
    known = next(c for c in contacts if c.external_id and c.role == "user")
    one(client.contacts.show_contact_by_external_id(known.external_id), "contacts", CONTACT)
    made = one(client.contacts.create(request={"external_id": "py-1", "email": "py@example.com", "name": "Zoë"}), "contacts", CONTACT)
    one(client.contacts.update(made.id, phone="+4930123", custom_attributes={"plan": "Pro"}), "contacts", CONTACT)
    lead = client.contacts.create(request={"role": "lead", "name": "Lead"})
    company = one(client.companies.create_or_update(request={"company_id": "py-firm", "name": "Neu & Söhne", "monthly_spend": 12}), "companies", COMPANY)
    one(client.companies.attach_contact(lead.id, company_id=company.id), "companies", COMPANY)
    note = client.notes.create(lead.id, body="<p>Hallo</p>", admin_id=me.id)
    same(note, oracle("contact_note_texts", "note_id")[note.id], NOTE, author_id=lambda n: n.author.id, contact_id=lambda n: n.contact.id)
    same(client.notes.find(int(note.id)), oracle("contact_note_texts", "note_id")[note.id], NOTE)
    one(client.contacts.merge_lead_in_user(lead_id=lead.id, contact_id=made.id), "contacts", CONTACT)
    all_of(client.notes.list(made.id), "contact_note_texts", NOTE, "note_id", lambda r: r["contact_id"] == made.id)
    all_of(client.contacts.list_attached_companies(made.id), "companies", COMPANY, of=lambda r: r["id"] == company.id)
    for links, key, read in (("contact_tags", "tag_id", lambda i: client.contacts.list_attached_tags(i).data),
                             ("contact_subscriptions", "subscription_id", lambda i: client.contacts.list_attached_subscriptions(i).data)):
        rows = fetch("/_oracle/" + links)
        for contact in {r["contact_id"] for r in rows[:40]}:
            equal(links, sorted(x.id for x in read(contact)), sorted(r[key] for r in rows if r["contact_id"] == contact))
    segments = oracle("segments")
    for segment in client.contacts.list_attached_segments(made.id).data:
        same(segment, segments[segment.id], "name created_at updated_at person_type")
    link = fetch("/_oracle/contact_subscriptions")[0]
    one(client.contacts.detach_subscription(link["contact_id"], link["subscription_id"]), "subscription_types", "consent_type")
    equal("subscriptions left", [r for r in fetch("/_oracle/contact_subscriptions") if r == link], [])
    lifecycle = lambda i: oracle("contact_lifecycle")[i]["lifecycle"]
    gone = client.contacts.create(request={"role": "lead"}).id
    equal("archived", client.contacts.archive(gone).archived and lifecycle(gone), "archived")
    equal("unarchived", client.contacts.unarchive(gone).archived or lifecycle(gone), "active")
    equal("blocked", client.contacts.block_contact(gone).blocked and lifecycle(gone), "blocked")
    left = client.contacts.create(request={"role": "lead"}).id
    deleted = client.contacts.delete(left)
    equal("deleted", (deleted.deleted, deleted.id, "delet" in lifecycle(left)), (True, left, True))
    one(client.visitors.merge_to_contact(type="user", user={"user_id": "py-1"}, visitor={"user_id": "nobody"}), "contacts", CONTACT)

    # Companies.
    all_of(client.companies.list(per_page=15), "companies", COMPANY)
    all_of(client.companies.scroll(), "companies", COMPANY)
    one(client.companies.find(company.id), "companies", COMPANY)
    equal("contacts of a company", [c.id for c in client.companies.list_attached_contacts(company.id).data], [made.id])
    rows = fetch("/_oracle/company_segments")
    equal("segments of a company", sorted(s.id for s in client.companies.list_attached_segments(rows[0]["company_id"]).data),
          sorted(r["segment_id"] for r in rows if r["company_id"] == rows[0]["company_id"]))
    one(client.companies.detach_contact(made.id, company.id), "companies", COMPANY)

    # Conversations and messages.
    talks = all_of(client.conversations.list(per_page=20), "conversations", CONVERSATION)
    all_of(searched(client.conversations.search, 20), "conversations", CONVERSATION)
    begun = client.conversations.create(from_={"type": "user", "id": made.id}, body="<p>Hilfe</p>").conversation_id
    talk = one(client.conversations.find(begun), "conversations", CONVERSATION, source_body=lambda c: c.source.body)
    one(client.conversations.update(begun, title="Titel", read=True, company_id=company.id), "conversations", CONVERSATION)
    one(client.conversations.reply(begun, request={"message_type": "comment", "type": "admin", "admin_id": me.id, "body": "<p>Gern</p>"}), "conversations", CONVERSATION)
    for request in ({"message_type": "assignment", "type": "admin", "admin_id": me.id, "assignee_id": "5"}, {"message_type": "close", "type": "admin", "admin_id": me.id},
                    {"message_type": "open", "admin_id": me.id}, {"message_type": "snoozed", "admin_id": me.id, "snoozed_until": 2000000000}):
        talk = one(client.conversations.manage(begun, request=request), "conversations", CONVERSATION)
    parts = {r["id"]: r for r in fetch("/_oracle/conversation_parts") if r["conversation_id"] == begun}
    equal("parts", sorted(p.id for p in talk.conversation_parts.conversation_parts), sorted(parts))
    for part in talk.conversation_parts.conversation_parts:
        same(part, parts[part.id], "part_type body created_at", author_id=lambda p: p.author.id)
    for other in talks[:20]:
        whole = client.conversations.find(other.id)
        one(whole, "conversations", CONVERSATION)
        equal("parts", whole.conversation_parts.total_count, sum(r["conversation_id"] == other.id for r in fetch("/_oracle/conversation_parts")))
    sent = client.messages.create(request={"message_type": "inapp", "body": "Hallo", "from_": {"type": "admin", "id": 814860}, "to": {"type": "user", "id": made.id}})
    same(sent, oracle("conversations", "source_id")[sent.id], "created_at", source_body=lambda x: x.body, id=lambda x: x.conversation_id)

    # Tickets and jobs.
    all_of(searched(client.tickets.search, 20), "tickets", TICKET, number=lambda t: t.ticket_id)
    kinds = [k for k in client.ticket_types.list().data if not k.archived]
    ticket_type = next(k for k in kinds if k.category == "Customer")
    attributes = {"additional_body_parameters": {"ticket_attributes": {"Größe": "S"}}}
    ticket = one(client.tickets.create(ticket_type_id=ticket_type.id, contacts=[{"id": made.id}], assignment={"admin_assignee_id": "5"}, request_options=attributes),
                 "tickets", TICKET)
    one(client.tickets.get(ticket.id), "tickets", TICKET)
    state = next(s for s in client.ticket_states.list_ticket_states().data if s.category == "in_progress")
    one(client.tickets.update(ticket.id, ticket_state_id=state.id, assignee_id="814861", admin_id=814860), "tickets", TICKET, ticket_state_id=lambda t: state.id)
    reply = client.tickets.reply(ticket.id, request={"message_type": "comment", "type": "admin", "admin_id": me.id, "body": "<p>Gern</p>"})
    same(reply, [r for r in fetch("/_oracle/ticket_parts") if r["ticket_id"] == ticket.id][-1], "id part_type body created_at")
    job = client.tickets.enqueue_create_ticket(ticket_type_id=ticket_type.id, contacts=[{"id": made.id}], request_options=attributes)
    equal("a job", client.jobs.status(job.id).status, "pending")
    fetch("/_emulator/advance?by=10m", {})
    done = client.jobs.status(job.id)
    equal("the ticket of a job", done.status == "success" and client.tickets.get(done.resource_id).id in oracle("tickets"), True)

    # Small lists.
    all_of(client.tags.list().data, "tags", "name")
    one(client.tags.find(client.tags.list().data[7].id), "tags", "name")
    all_of(client.teams.list().teams, "teams", "name")
    one(client.teams.find("814865"), "teams", "name")
    for segment in all_of(client.segments.list(include_count=True).segments, "segments", "name created_at updated_at person_type count"):
        one(client.segments.find(segment.id), "segments", "name created_at updated_at person_type")
    all_of(client.subscription_types.list().data, "subscription_types", "state consent_type")
    all_of(client.ticket_types.list().data, "ticket_types", "name category archived")
    all_of(client.ticket_states.list_ticket_states().data, "ticket_states", "category internal_label external_label")
    rows = oracle("data_attributes", "full_name")
    for attribute in client.data_attributes.list(include_archived=True).data:
        same(attribute, next(r for r in rows.values() if r["full_name"] == attribute.full_name), "label custom archived")
    all_of(client.help_centers.list(), "help_centers", "identifier display_name created_at")

    # Calls.
    listed, page = [], 1
    while True:
        answer = client.calls.list_calls(page=page, per_page=25)
        listed += answer.data
        if not answer.pages.next:
            break
        page += 1
    all_of(listed, "calls", "conversation_id contact_id state direction call_type ended_reason phone")
    one(client.calls.show_call(listed[0].id), "calls", "conversation_id contact_id state")
    recorded = next(c for c in listed if c.recording_url)
    follow = client._client_wrapper.httpx_client.httpx_client
    follow.follow_redirects = False
    try:
        client.calls.show_call_recording(recorded.id)
    except Exception as error:  # the client has no answer for the redirect of the document
        equal("a recording", getattr(error, "status_code", error), 302)
    follow.follow_redirects = True
    ended = fetch("/_oracle/call_transcripts")[0]
    client.calls.show_call_transcript(ended["call_id"])
    found = client.calls.list_calls_with_transcripts(conversation_ids=[ended["conversation_id"]]).data
    equal("calls of a conversation", ended["call_id"] in [c.id for c in found], True)

    # Content.
    articles = all_of(client.articles.list(per_page=25), "articles", ARTICLE)
    one(client.articles.find(int(articles[0].id)), "articles", ARTICLE)
    article = one(client.articles.create(request={"title": "Über Kraken", "author_id": 814860, "body": "<p>acht Arme</p>", "state": "published"}), "articles", ARTICLE + " body")
    one(client.articles.update(int(article.id), title="Kraken"), "articles", ARTICLE)
    found = client.articles.search(phrase="kraken", state="published", highlight=True).data
    equal("articles found", [a.id for a in found.articles], [article.id])
    equal("the phrase", found.highlights[0].highlighted_title[0].text, "Kraken")
    equal("deleted", (client.articles.delete(int(article.id)).deleted, str(article.id) in oracle("articles")), (True, False))
    internal = oracle("internal_articles")
    for item in client.internal_articles.list_internal_articles().data:
        same(item, internal[str(item.id)], INTERNAL)
    item = one(client.internal_articles.create_internal_article(request={"title": "Intern", "author_id": 814860, "owner_id": 814860, "body": "<p>x</p>", "locale": "en"}),
               "internal_articles", INTERNAL)
    one(client.internal_articles.retrieve_internal_article(int(item.id)), "internal_articles", INTERNAL)
    one(client.internal_articles.update_internal_article(int(item.id), title="Anders"), "internal_articles", INTERNAL)
    found = client.internal_articles.search_internal_articles(folder_id=None).data.internal_articles
    equal("internal articles found", len(found) > 10 and all(str(a.id) in oracle("internal_articles") for a in found), True)
    equal("deleted", (client.internal_articles.delete_internal_article(int(item.id)).deleted, str(item.id) in oracle("internal_articles")), (True, False))
    collections = all_of(client.help_centers.collections.list(per_page=20), "collections", "name description created_at updated_at order")
    one(client.help_centers.collections.find(int(collections[0].id)), "collections", "name description created_at updated_at order")
    feeds = client.news.feeds.list().data
    for feed in feeds:
        one(feed, "newsfeeds", "name created_at updated_at")
    one(client.news.feeds.find(feeds[0].id), "newsfeeds", "name created_at updated_at")
    news = one(client.news.items.create(title="Neu", sender_id=814860, body="<p>Neu</p>", state="live", newsfeed_assignments=[{"newsfeed_id": int(feeds[0].id), "published_at": 1710000000}]),
               "news_items", NEWS)
    equal("items of a newsfeed", all(str(i.id) in oracle("news_items") for i in client.news.feeds.list_items(feeds[0].id).data), True)
    for listed_item in client.news.items.list().data:
        one(listed_item, "news_items", NEWS)
    one(client.news.items.find(int(news.id)), "news_items", NEWS)
    one(client.news.items.update(int(news.id), title="Anders", sender_id=814860), "news_items", NEWS)
    equal("deleted", (client.news.items.delete(int(news.id)).deleted, str(news.id) in oracle("news_items")), (True, False))

    # Reporting exports.
    datasets = client.export.list_available_datasets_and_attributes().data
    chosen = next(d for d in datasets if d.id == "conversation")
    wanted = [getattr(a, "qualified_id", None) or a.id for a in chosen.attributes][:3]
    asked = client.export.enqueue_a_new_reporting_data_export_job(dataset_id="conversation", attribute_ids=wanted, start_time=1710000000, end_time=1718000000)
    export = asked.job_identifier
    fetch("/_emulator/advance?by=1h", {})
    status = client.data_export.export_reporting_data(export, app_id="x", client_id="x")
    equal("an export", (status.status, bool(status.download_url)), ("complete", True))
    client.data_export.download_reporting_data_export(export, app_id="x", request_options={"additional_headers": {"Accept": "application/octet-stream"}})


calls()
json.dump({"has": requests, "values": values, "unlike": unlike}, sys.stdout)

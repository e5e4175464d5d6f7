package emulator

import (
	"net/url"
	"slices"
	"strings"

	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/event"
)

// route is one endpoint. Adding one is a row here and a function in a file of its own.
type route struct {
	name   string
	method string
	path   string // a name in braces stands for one segment; there are at most two
	serve  func(w *server, q *request) answer
	since  version // that added it (workspace-api 9); the zero version: every one has it
	scope  string  // that a token needs for it (workspace-api 5.3); "": none that the document names
}

// routes are tried in order: literal paths before those with an {id} in the same place.
var routes = append(publicRoutes, []route{
	{name: "contacts.search", method: "POST", path: "/contacts/search", serve: searchContacts},
	{name: "contacts.deleted", method: "GET", path: "/contacts/deleted", serve: listDeleted, since: afterStable},
	{name: "contacts.activities", method: "GET", path: "/contacts/activities", serve: listActivities, since: afterStable},
	{name: "contacts.list", method: "GET", path: "/contacts", serve: listContacts},
	{name: "contacts.create", method: "POST", path: "/contacts", serve: writing(createContact)},
	{name: "contacts.tags", method: "GET", path: "/contacts/{id}/tags", serve: contactTags},
	{name: "contacts.notes", method: "GET", path: "/contacts/{id}/notes", serve: contactNotes},
	{name: "contacts.companies", method: "GET", path: "/contacts/{id}/companies", serve: contactCompanies},
	{name: "contacts.segments", method: "GET", path: "/contacts/{id}/segments", serve: contactSegments},
	{name: "contacts.subscriptions", method: "GET", path: "/contacts/{id}/subscriptions", serve: contactSubscriptions},
	{name: "contacts.merge_preview", method: "POST", path: "/contacts/merge/preview", serve: previewMerge, since: afterStable},
	{name: "contacts.bulk", method: "GET", path: "/contacts/bulk/{id}", serve: bulkJobStatus, since: afterStable},
	{name: "contacts.find", method: "GET", path: "/contacts/find_by_external_id/{id}", serve: contactByExternalID},
	{name: "contacts.get", method: "GET", path: "/contacts/{id}", serve: oneContact},
	{name: "contacts.delete", method: "DELETE", path: "/contacts/{id}", serve: writing(deleteContact)},
	{name: "contacts.merge", method: "POST", path: "/contacts/merge", serve: writing(mergeContacts)},
	{name: "contacts.bulk_create", method: "POST", path: "/contacts/bulk", serve: bulk(JobContactsCreate), since: afterStable},
	{name: "contacts.bulk_update", method: "PUT", path: "/contacts/bulk", serve: bulk(JobContactsUpdate), since: afterStable},
	{name: "contacts.bulk_delete", method: "POST", path: "/contacts/bulk/delete", serve: bulk(JobContactsDelete), since: afterStable},
	{name: "contacts.attach", method: "POST", path: "/contacts/{id}/companies", serve: writing(attachCompany)},
	{name: "contacts.detach", method: "DELETE", path: "/contacts/{contact_id}/companies/{id}", serve: writing(detachCompany)},
	{name: "contacts.unsubscribe", method: "DELETE", path: "/contacts/{contact_id}/subscriptions/{id}", serve: writing(leaveSubscription)},
	{name: "visitors.convert", method: "POST", path: "/visitors/convert", serve: writing(convertVisitor)},
	{name: "notes.delete", method: "DELETE", path: "/notes/{id}", serve: writing(deleteNote), since: afterStable, scope: "write_users_companies"},
	{name: "contacts.update", method: "PUT", path: "/contacts/{id}", serve: writing(updateContact)},
	{name: "conversations.search", method: "POST", path: "/conversations/search", serve: searchConversations},
	{name: "conversations.deleted", method: "GET", path: "/conversations/deleted", serve: listDeletedConversations, since: afterStable},
	{name: "conversations.list", method: "GET", path: "/conversations", serve: listConversations},
	{name: "conversations.hitl", method: "GET", path: "/conversations/{id}/hitl_events", serve: hitlEvents, since: afterStable, scope: "read_conversations"},
	{name: "conversations.get", method: "GET", path: "/conversations/{id}", serve: oneConversation},
	{name: "conversations.part", method: "POST", path: "/conversations/{id}/parts", serve: writing(partOfConversation)},
	{name: "conversations.reply", method: "POST", path: "/conversations/{id}/reply", serve: writing(replyToConversation)},
	{name: "conversations.update", method: "PUT", path: "/conversations/{id}", serve: writing(changeConversation)},
	{name: "messages.create", method: "POST", path: "/messages", serve: writing(createMessage)},
	{name: "tickets.search", method: "POST", path: "/tickets/search", serve: searchTickets},
	{name: "tickets.create", method: "POST", path: "/tickets", serve: writing(createTicket)},
	{name: "tickets.enqueue", method: "POST", path: "/tickets/enqueue", serve: writing(enqueueTicket), since: v214},
	{name: "tickets.reply", method: "POST", path: "/tickets/{id}/reply", serve: writing(replyToTicket)},
	{name: "tickets.update", method: "PUT", path: "/tickets/{id}", serve: writing(changeTicket)},
	{name: "tickets.get", method: "GET", path: "/tickets/{id}", serve: oneTicket},
	{name: "jobs.status", method: "GET", path: "/jobs/status/{id}", serve: jobStatusOf, since: v214},
	{name: "tags.list", method: "GET", path: "/tags", serve: listTags},
	{name: "segments.list", method: "GET", path: "/segments", serve: listSegments},
	{name: "admins.list", method: "GET", path: "/admins", serve: listAdmins},
	{name: "teams.list", method: "GET", path: "/teams", serve: listTeams},
	{name: "subscription_types.list", method: "GET", path: "/subscription_types", serve: listSubscriptionTypes},
	{name: "data_attributes.list", method: "GET", path: "/data_attributes", serve: listDataAttributes},
	{name: "ticket_types.list", method: "GET", path: "/ticket_types", serve: listTicketTypes},
	{name: "ticket_states.list", method: "GET", path: "/ticket_states", serve: listTicketStates},
	{name: "away_status_reasons.list", method: "GET", path: "/away_status_reasons", serve: listAwayReasons, since: v214},
	{name: "calls.search", method: "POST", path: "/calls/search", serve: searchCalls, since: v214},
	{name: "calls.list", method: "GET", path: "/calls", serve: listCalls, since: v214},
	{name: "calls.recording", method: "GET", path: "/calls/{id}/recording", serve: callRecording, since: v214},
	{name: "calls.transcript", method: "GET", path: "/calls/{id}/transcript", serve: callTranscript, since: v214},
	{name: "calls.get", method: "GET", path: "/calls/{id}", serve: oneCall, since: v214},
	{name: "logs.list", method: "GET", path: "/admins/activity_logs", serve: listLogs},
	{name: "companies.search", method: "POST", path: "/companies/search", serve: searchCompanies},
	{name: "companies.list", method: "POST", path: "/companies/list", serve: listCompanies},
	{name: "companies.scroll", method: "GET", path: "/companies/scroll", serve: scrollCompanies},
	{name: "companies.contacts", method: "GET", path: "/companies/{id}/contacts", serve: companyContacts},
	{name: "companies.notes", method: "GET", path: "/companies/{id}/notes", serve: companyNotes},
	{name: "companies.segments", method: "GET", path: "/companies/{id}/segments", serve: companySegments},
	{name: "companies.get", method: "GET", path: "/companies/{id}", serve: oneCompany},
	{name: "articles.list", method: "GET", path: "/articles", serve: listArticles},
	{name: "articles.get", method: "GET", path: "/articles/{id}", serve: single(event.Articles)},
	{name: "articles.create", method: "POST", path: "/articles", serve: writing(contentWriter(event.Articles).create)},
	{name: "articles.update", method: "PUT", path: "/articles/{id}", serve: writing(contentWriter(event.Articles).update)},
	{name: "articles.delete", method: "DELETE", path: "/articles/{id}", serve: writing(contentWriter(event.Articles).remove)},
	{name: "collections.list", method: "GET", path: "/help_center/collections", serve: paged(event.Collections, 20, 250)},
	{name: "collections.get", method: "GET", path: "/help_center/collections/{id}", serve: single(event.Collections)},
	{name: "internal_articles.list", method: "GET", path: "/internal_articles", serve: paged(event.InternalArticles, 50, 250), since: v214},
	{name: "internal_articles.search", method: "GET", path: "/internal_articles/search", serve: searchInternalArticles, since: v214},
	{name: "internal_articles.get", method: "GET", path: "/internal_articles/{id}", serve: single(event.InternalArticles), since: v214},
	{name: "internal_articles.create", method: "POST", path: "/internal_articles", serve: writing(contentWriter(event.InternalArticles).create), since: v214},
	{name: "internal_articles.update", method: "PUT", path: "/internal_articles/{id}", serve: writing(contentWriter(event.InternalArticles).update), since: v214},
	{name: "internal_articles.delete", method: "DELETE", path: "/internal_articles/{id}", serve: writing(contentWriter(event.InternalArticles).remove), since: v214},
	{name: "newsfeeds.list", method: "GET", path: "/news/newsfeeds", serve: paged(event.Newsfeeds, 10, 10)},
	{name: "newsfeeds.items", method: "GET", path: "/news/newsfeeds/{id}/items", serve: newsfeedItems},
	{name: "newsfeeds.get", method: "GET", path: "/news/newsfeeds/{id}", serve: single(event.Newsfeeds)},
	{name: "news_items.list", method: "GET", path: "/news/news_items", serve: paged(event.NewsItems, 10, 10)},
	{name: "news_items.get", method: "GET", path: "/news/news_items/{id}", serve: single(event.NewsItems)},
	{name: "news_items.create", method: "POST", path: "/news/news_items", serve: writing(contentWriter(event.NewsItems).create)},
	{name: "news_items.update", method: "PUT", path: "/news/news_items/{id}", serve: writing(contentWriter(event.NewsItems).update)},
	{name: "news_items.delete", method: "DELETE", path: "/news/news_items/{id}", serve: writing(contentWriter(event.NewsItems).remove)},
	{name: "folders.list", method: "GET", path: "/folders", serve: listFolders, since: afterStable},
	{name: "folders.get", method: "GET", path: "/folders/{id}", serve: single(event.Folders), since: afterStable},
	{name: "folders.create", method: "POST", path: "/folders", serve: writing(contentWriter(event.Folders).create), since: afterStable},
	{name: "folders.update", method: "PUT", path: "/folders/{id}", serve: writing(contentWriter(event.Folders).update), since: afterStable},
	{name: "folders.delete", method: "DELETE", path: "/folders/{id}", serve: writing(contentWriter(event.Folders).remove), since: afterStable},
	{name: "dynamic_contents.list", method: "GET", path: "/dynamic_contents", serve: listDynamicContents, since: afterStable, scope: "read_dynamic_content"},
	{name: "dynamic_contents.get", method: "GET", path: "/dynamic_contents/{id}", serve: oneDynamicContent, since: afterStable, scope: "read_dynamic_content"},
	{name: "dynamic_contents.create", method: "POST", path: "/dynamic_contents", serve: whereDynamic(writing(contentWriter(event.DynamicContents).create)), since: afterStable, scope: "read_write_dynamic_content"},
	{name: "dynamic_contents.update", method: "PUT", path: "/dynamic_contents/{id}", serve: whereDynamic(writing(contentWriter(event.DynamicContents).update)), since: afterStable, scope: "read_write_dynamic_content"},
	{name: "dynamic_contents.delete", method: "DELETE", path: "/dynamic_contents/{id}", serve: whereDynamic(writing(contentWriter(event.DynamicContents).remove)), since: afterStable, scope: "read_write_dynamic_content"},
	{name: "data_connectors.list", method: "GET", path: "/data_connectors", serve: listConnectors},
	{name: "data_connectors.versions", method: "GET", path: "/data_connectors/{id}/versions", serve: listConnectorVersions, since: afterStable, scope: "read_data_connector_versions"},
	{name: "data_connectors.version", method: "GET", path: "/data_connectors/{id}/versions/{version_id}", serve: oneConnectorVersion, since: afterStable, scope: "read_data_connector_versions"},
	{name: "data_connectors.note", method: "PATCH", path: "/data_connectors/{id}/versions/{version_id}", serve: writing(noteVersion), since: afterStable, scope: "read_write_data_connector_versions"},
	{name: "data_connectors.get", method: "GET", path: "/data_connectors/{id}", serve: single(event.Connectors)},
	{name: "exports.datasets", method: "GET", path: "/export/reporting_data/get_datasets", serve: exportDatasets, since: v214},
	{name: "exports.enqueue", method: "POST", path: "/export/reporting_data/enqueue", serve: enqueueExport, since: v214},
	{name: "exports.status", method: "GET", path: "/export/reporting_data/{id}", serve: exportStatus, since: v214},
	{name: "exports.download", method: "GET", path: "/download/reporting_data/{id}", serve: downloadExport, since: v214},
}...)

// request is what a route gets to see of an HTTP request.
type request struct {
	n       int // number of the request, from 1
	path    string
	base    string // scheme and host it was sent to
	query   url.Values
	body    []byte
	version version
	id      string // the first that the path names
	inner   string // the second, of what lies in the first
	route   string // its name
}

// answer is a status and a body, with headers beyond the usual.
type answer struct {
	status int
	body   []byte
	header map[string]string
	wrote  bool // it is of a writing request, and no cache's
}

// Endpoints are all that the API has here, as METHOD /path, with {id} for what names one.
func Endpoints() []string {
	var all []string
	for _, r := range routes {
		all = append(all, r.method+" "+r.path)
	}
	return all
}

// EndpointOf is the one of them that a request went to; "": none.
func EndpointOf(r control.Request) string {
	found, _, _ := find(r.Method, r.Path)
	if found == nil {
		return ""
	}
	return found.method + " " + found.path
}

// find gives the route of a path with the ids in it, and whether the path is known under another method.
func find(method, path string) (r *route, ids [2]string, known bool) {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i := range routes {
		ids, ok := routes[i].matches(segments)
		if !ok {
			continue
		}
		if routes[i].method == method {
			return &routes[i], ids, true
		}
		known = true
	}
	return nil, ids, known
}

// among says whether a route is one of these, by its name or by what is before the dot of it.
func (r *route) among(names []string) bool {
	all, _, _ := strings.Cut(r.name, ".")
	return slices.Contains(names, r.name) || slices.Contains(names, all)
}

func (r *route) matches(segments []string) (ids [2]string, ok bool) {
	named, rest := 0, r.path[1:]
	for i, segment := range segments {
		part, after, more := strings.Cut(rest, "/")
		rest = after
		switch {
		case more != (i+1 < len(segments)):
			return ids, false
		case part[0] == '{':
			id, err := url.PathUnescape(segment)
			if err != nil || id == "" {
				return ids, false
			}
			ids[named] = id
			named++
		case part != segment:
			return ids, false
		}
	}
	return ids, true
}

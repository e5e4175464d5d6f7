package emulator

import (
	"net/url"
	"strings"
)

// route is one endpoint. Adding one is a row here and a function in a file of its own.
type route struct {
	name   string
	method string
	path   string // {id} stands for one segment, and so does {version} at the end
	serve  func(w *Workspace, q *request) answer
	since  version // that added it (workspace-api 9); the zero version: every one has it
	scope  string  // that a token needs for it (workspace-api 5.3); "": none that the document names
}

// routes are tried in order: literal paths before those with an {id} in the same place.
var routes = []route{
	{name: "contacts.search", method: "POST", path: "/contacts/search", serve: (*Workspace).searchContacts},
	{name: "contacts.deleted", method: "GET", path: "/contacts/deleted", serve: (*Workspace).listDeleted, since: afterStable},
	{name: "contacts.activities", method: "GET", path: "/contacts/activities", serve: (*Workspace).listActivities, since: afterStable},
	{name: "contacts.list", method: "GET", path: "/contacts", serve: (*Workspace).listContacts},
	{name: "contacts.tags", method: "GET", path: "/contacts/{id}/tags", serve: (*Workspace).contactTags},
	{name: "contacts.notes", method: "GET", path: "/contacts/{id}/notes", serve: (*Workspace).contactNotes},
	{name: "contacts.companies", method: "GET", path: "/contacts/{id}/companies", serve: (*Workspace).contactCompanies},
	{name: "contacts.segments", method: "GET", path: "/contacts/{id}/segments", serve: (*Workspace).contactSegments},
	{name: "contacts.subscriptions", method: "GET", path: "/contacts/{id}/subscriptions", serve: (*Workspace).contactSubscriptions},
	{name: "contacts.merge_preview", method: "POST", path: "/contacts/merge/preview", serve: (*Workspace).previewMerge, since: afterStable},
	{name: "contacts.bulk", method: "GET", path: "/contacts/bulk/{id}", serve: (*Workspace).bulkJobStatus, since: afterStable},
	{name: "contacts.find", method: "GET", path: "/contacts/find_by_external_id/{id}", serve: (*Workspace).contactByExternalID},
	{name: "contacts.get", method: "GET", path: "/contacts/{id}", serve: (*Workspace).oneContact},
	{name: "conversations.search", method: "POST", path: "/conversations/search", serve: (*Workspace).searchConversations},
	{name: "conversations.deleted", method: "GET", path: "/conversations/deleted", serve: (*Workspace).listDeletedConversations, since: afterStable},
	{name: "conversations.list", method: "GET", path: "/conversations", serve: (*Workspace).listConversations},
	{name: "conversations.hitl", method: "GET", path: "/conversations/{id}/hitl_events", serve: (*Workspace).hitlEvents, since: afterStable, scope: "read_conversations"},
	{name: "conversations.get", method: "GET", path: "/conversations/{id}", serve: (*Workspace).oneConversation},
	{name: "tickets.search", method: "POST", path: "/tickets/search", serve: (*Workspace).searchTickets},
	{name: "tickets.get", method: "GET", path: "/tickets/{id}", serve: (*Workspace).oneTicket},
	{name: "jobs.status", method: "GET", path: "/jobs/status/{id}", serve: (*Workspace).jobStatusOf, since: v214},
	{name: "tags.list", method: "GET", path: "/tags", serve: (*Workspace).listTags},
	{name: "segments.list", method: "GET", path: "/segments", serve: (*Workspace).listSegments},
	{name: "admins.list", method: "GET", path: "/admins", serve: (*Workspace).listAdmins},
	{name: "teams.list", method: "GET", path: "/teams", serve: (*Workspace).listTeams},
	{name: "subscription_types.list", method: "GET", path: "/subscription_types", serve: (*Workspace).listSubscriptionTypes},
	{name: "data_attributes.list", method: "GET", path: "/data_attributes", serve: (*Workspace).listDataAttributes},
	{name: "ticket_types.list", method: "GET", path: "/ticket_types", serve: (*Workspace).listTicketTypes},
	{name: "ticket_states.list", method: "GET", path: "/ticket_states", serve: (*Workspace).listTicketStates},
	{name: "away_status_reasons.list", method: "GET", path: "/away_status_reasons", serve: (*Workspace).listAwayReasons, since: v214},
	{name: "calls.search", method: "POST", path: "/calls/search", serve: (*Workspace).searchCalls, since: v214},
	{name: "calls.list", method: "GET", path: "/calls", serve: (*Workspace).listCalls, since: v214},
	{name: "calls.recording", method: "GET", path: "/calls/{id}/recording", serve: (*Workspace).callRecording, since: v214},
	{name: "calls.transcript", method: "GET", path: "/calls/{id}/transcript", serve: (*Workspace).callTranscript, since: v214},
	{name: "calls.get", method: "GET", path: "/calls/{id}", serve: (*Workspace).oneCall, since: v214},
	{name: "logs.list", method: "GET", path: "/admins/activity_logs", serve: (*Workspace).listLogs},
	{name: "companies.search", method: "POST", path: "/companies/search", serve: (*Workspace).searchCompanies},
	{name: "companies.list", method: "POST", path: "/companies/list", serve: (*Workspace).listCompanies},
	{name: "companies.scroll", method: "GET", path: "/companies/scroll", serve: (*Workspace).scrollCompanies},
	{name: "companies.contacts", method: "GET", path: "/companies/{id}/contacts", serve: (*Workspace).companyContacts},
	{name: "companies.notes", method: "GET", path: "/companies/{id}/notes", serve: (*Workspace).companyNotes},
	{name: "companies.segments", method: "GET", path: "/companies/{id}/segments", serve: (*Workspace).companySegments},
	{name: "companies.get", method: "GET", path: "/companies/{id}", serve: (*Workspace).oneCompany},
	{name: "articles.list", method: "GET", path: "/articles", serve: (*Workspace).listArticles},
	{name: "articles.get", method: "GET", path: "/articles/{id}", serve: (*Workspace).oneArticle},
	{name: "collections.list", method: "GET", path: "/help_center/collections", serve: paged(collections, 20, 250)},
	{name: "collections.get", method: "GET", path: "/help_center/collections/{id}", serve: single(collections)},
	{name: "internal_articles.list", method: "GET", path: "/internal_articles", serve: paged(internalArticles, 50, 250), since: v214},
	{name: "internal_articles.search", method: "GET", path: "/internal_articles/search", serve: (*Workspace).searchInternalArticles, since: v214},
	{name: "internal_articles.get", method: "GET", path: "/internal_articles/{id}", serve: single(internalArticles), since: v214},
	{name: "newsfeeds.list", method: "GET", path: "/news/newsfeeds", serve: paged(newsfeeds, 10, 10)},
	{name: "newsfeeds.items", method: "GET", path: "/news/newsfeeds/{id}/items", serve: (*Workspace).newsfeedItems},
	{name: "newsfeeds.get", method: "GET", path: "/news/newsfeeds/{id}", serve: single(newsfeeds)},
	{name: "news_items.list", method: "GET", path: "/news/news_items", serve: paged(newsItems, 10, 10)},
	{name: "news_items.get", method: "GET", path: "/news/news_items/{id}", serve: single(newsItems)},
	{name: "folders.list", method: "GET", path: "/folders", serve: (*Workspace).listFolders, since: afterStable},
	{name: "folders.get", method: "GET", path: "/folders/{id}", serve: single(folders), since: afterStable},
	{name: "dynamic_contents.list", method: "GET", path: "/dynamic_contents", serve: (*Workspace).listDynamicContents, since: afterStable, scope: "read_dynamic_content"},
	{name: "dynamic_contents.get", method: "GET", path: "/dynamic_contents/{id}", serve: (*Workspace).oneDynamicContent, since: afterStable, scope: "read_dynamic_content"},
	{name: "data_connectors.list", method: "GET", path: "/data_connectors", serve: (*Workspace).listConnectors},
	{name: "data_connectors.versions", method: "GET", path: "/data_connectors/{id}/versions", serve: (*Workspace).listConnectorVersions, since: afterStable, scope: "read_data_connector_versions"},
	{name: "data_connectors.version", method: "GET", path: "/data_connectors/{id}/versions/{version}", serve: (*Workspace).oneConnectorVersion, since: afterStable, scope: "read_data_connector_versions"},
	{name: "data_connectors.get", method: "GET", path: "/data_connectors/{id}", serve: single(connectors)},
	{name: "exports.datasets", method: "GET", path: "/export/reporting_data/get_datasets", serve: (*Workspace).exportDatasets, since: v214},
	{name: "exports.enqueue", method: "POST", path: "/export/reporting_data/enqueue", serve: (*Workspace).enqueueExport, since: v214},
	{name: "exports.status", method: "GET", path: "/export/reporting_data/{id}", serve: (*Workspace).exportStatus, since: v214},
	{name: "exports.download", method: "GET", path: "/download/reporting_data/{id}", serve: (*Workspace).downloadExport, since: v214},
}

// request is what a route gets to see of an HTTP request.
type request struct {
	n       int // number of the request, from 1
	path    string
	base    string // scheme and host it was sent to
	query   url.Values
	body    []byte
	version version
	id      string // the path's {id}
	route   string // its name
}

// answer is a status and a body, with headers beyond the usual.
type answer struct {
	status int
	body   []byte
	header map[string]string
}

// find gives the route of a path, and whether the path is known under another method.
func find(method, path string) (r *route, id string, known bool) {
	for i := range routes {
		id, ok := routes[i].matches(path)
		if !ok {
			continue
		}
		if routes[i].method == method {
			return &routes[i], id, true
		}
		known = true
	}
	return nil, "", known
}

func (r *route) matches(path string) (id string, ok bool) {
	before, after, has := strings.Cut(r.path, "{id}")
	if !has {
		return "", path == r.path
	}
	if cut, two := strings.CutSuffix(after, "{version}"); two {
		after = cut + path[strings.LastIndexByte(path, '/')+1:]
	}
	if len(path) <= len(before)+len(after) || !strings.HasPrefix(path, before) || !strings.HasSuffix(path, after) {
		return "", false
	}
	id = path[len(before) : len(path)-len(after)]
	if strings.Contains(id, "/") {
		return "", false
	}
	id, err := url.PathUnescape(id)
	return id, err == nil
}

package emulator

import (
	"net/url"
	"slices"
	"strings"
)

// route is one endpoint. Adding one is a row here and a function in a file of its own.
type route struct {
	name   string
	method string
	path   string // a name in braces stands for one segment; there are at most two
	serve  func(w *Workspace, q *request) answer
	since  version // that added it (workspace-api 9); the zero version: every one has it
	scope  string  // that a token needs for it (workspace-api 5.3); "": none that the document names
}

// routes are tried in order: literal paths before those with an {id} in the same place.
var routes = append(publicRoutes, []route{
	{name: "contacts.search", method: "POST", path: "/contacts/search", serve: (*Workspace).searchContacts},
	{name: "contacts.deleted", method: "GET", path: "/contacts/deleted", serve: (*Workspace).listDeleted, since: afterStable},
	{name: "contacts.activities", method: "GET", path: "/contacts/activities", serve: (*Workspace).listActivities, since: afterStable},
	{name: "contacts.list", method: "GET", path: "/contacts", serve: (*Workspace).listContacts},
	{name: "contacts.create", method: "POST", path: "/contacts", serve: writing((*Workspace).createContact)},
	{name: "contacts.tags", method: "GET", path: "/contacts/{id}/tags", serve: (*Workspace).contactTags},
	{name: "contacts.notes", method: "GET", path: "/contacts/{id}/notes", serve: (*Workspace).contactNotes},
	{name: "contacts.companies", method: "GET", path: "/contacts/{id}/companies", serve: (*Workspace).contactCompanies},
	{name: "contacts.segments", method: "GET", path: "/contacts/{id}/segments", serve: (*Workspace).contactSegments},
	{name: "contacts.subscriptions", method: "GET", path: "/contacts/{id}/subscriptions", serve: (*Workspace).contactSubscriptions},
	{name: "contacts.merge_preview", method: "POST", path: "/contacts/merge/preview", serve: (*Workspace).previewMerge, since: afterStable},
	{name: "contacts.bulk", method: "GET", path: "/contacts/bulk/{id}", serve: (*Workspace).bulkJobStatus, since: afterStable},
	{name: "contacts.find", method: "GET", path: "/contacts/find_by_external_id/{id}", serve: (*Workspace).contactByExternalID},
	{name: "contacts.get", method: "GET", path: "/contacts/{id}", serve: (*Workspace).oneContact},
	{name: "contacts.delete", method: "DELETE", path: "/contacts/{id}", serve: writing((*Workspace).deleteContact)},
	{name: "contacts.merge", method: "POST", path: "/contacts/merge", serve: writing((*Workspace).mergeContacts)},
	{name: "contacts.bulk_create", method: "POST", path: "/contacts/bulk", serve: bulk(JobContactsCreate), since: afterStable},
	{name: "contacts.bulk_update", method: "PUT", path: "/contacts/bulk", serve: bulk(JobContactsUpdate), since: afterStable},
	{name: "contacts.bulk_delete", method: "POST", path: "/contacts/bulk/delete", serve: bulk(JobContactsDelete), since: afterStable},
	{name: "contacts.attach", method: "POST", path: "/contacts/{id}/companies", serve: writing((*Workspace).attachCompany)},
	{name: "contacts.detach", method: "DELETE", path: "/contacts/{contact_id}/companies/{id}", serve: writing((*Workspace).detachCompany)},
	{name: "contacts.unsubscribe", method: "DELETE", path: "/contacts/{contact_id}/subscriptions/{id}", serve: writing((*Workspace).leaveSubscription)},
	{name: "visitors.convert", method: "POST", path: "/visitors/convert", serve: writing((*Workspace).convertVisitor)},
	{name: "notes.delete", method: "DELETE", path: "/notes/{id}", serve: writing((*Workspace).deleteNote), since: afterStable, scope: "write_users_companies"},
	{name: "contacts.update", method: "PUT", path: "/contacts/{id}", serve: writing((*Workspace).updateContact)},
	{name: "conversations.search", method: "POST", path: "/conversations/search", serve: (*Workspace).searchConversations},
	{name: "conversations.deleted", method: "GET", path: "/conversations/deleted", serve: (*Workspace).listDeletedConversations, since: afterStable},
	{name: "conversations.list", method: "GET", path: "/conversations", serve: (*Workspace).listConversations},
	{name: "conversations.hitl", method: "GET", path: "/conversations/{id}/hitl_events", serve: (*Workspace).hitlEvents, since: afterStable, scope: "read_conversations"},
	{name: "conversations.get", method: "GET", path: "/conversations/{id}", serve: (*Workspace).oneConversation},
	{name: "conversations.part", method: "POST", path: "/conversations/{id}/parts", serve: writing((*Workspace).partOfConversation)},
	{name: "conversations.reply", method: "POST", path: "/conversations/{id}/reply", serve: writing((*Workspace).replyToConversation)},
	{name: "conversations.update", method: "PUT", path: "/conversations/{id}", serve: writing((*Workspace).changeConversation)},
	{name: "messages.create", method: "POST", path: "/messages", serve: writing((*Workspace).createMessage)},
	{name: "tickets.search", method: "POST", path: "/tickets/search", serve: (*Workspace).searchTickets},
	{name: "tickets.create", method: "POST", path: "/tickets", serve: writing((*Workspace).createTicket)},
	{name: "tickets.enqueue", method: "POST", path: "/tickets/enqueue", serve: writing((*Workspace).enqueueTicket), since: v214},
	{name: "tickets.reply", method: "POST", path: "/tickets/{id}/reply", serve: writing((*Workspace).replyToTicket)},
	{name: "tickets.update", method: "PUT", path: "/tickets/{id}", serve: writing((*Workspace).changeTicket)},
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
	{name: "articles.get", method: "GET", path: "/articles/{id}", serve: single(articles)},
	{name: "articles.create", method: "POST", path: "/articles", serve: writing(contentWriter(articles).create)},
	{name: "articles.update", method: "PUT", path: "/articles/{id}", serve: writing(contentWriter(articles).update)},
	{name: "articles.delete", method: "DELETE", path: "/articles/{id}", serve: writing(contentWriter(articles).remove)},
	{name: "collections.list", method: "GET", path: "/help_center/collections", serve: paged(collections, 20, 250)},
	{name: "collections.get", method: "GET", path: "/help_center/collections/{id}", serve: single(collections)},
	{name: "internal_articles.list", method: "GET", path: "/internal_articles", serve: paged(internalArticles, 50, 250), since: v214},
	{name: "internal_articles.search", method: "GET", path: "/internal_articles/search", serve: (*Workspace).searchInternalArticles, since: v214},
	{name: "internal_articles.get", method: "GET", path: "/internal_articles/{id}", serve: single(internalArticles), since: v214},
	{name: "internal_articles.create", method: "POST", path: "/internal_articles", serve: writing(contentWriter(internalArticles).create), since: v214},
	{name: "internal_articles.update", method: "PUT", path: "/internal_articles/{id}", serve: writing(contentWriter(internalArticles).update), since: v214},
	{name: "internal_articles.delete", method: "DELETE", path: "/internal_articles/{id}", serve: writing(contentWriter(internalArticles).remove), since: v214},
	{name: "newsfeeds.list", method: "GET", path: "/news/newsfeeds", serve: paged(newsfeeds, 10, 10)},
	{name: "newsfeeds.items", method: "GET", path: "/news/newsfeeds/{id}/items", serve: (*Workspace).newsfeedItems},
	{name: "newsfeeds.get", method: "GET", path: "/news/newsfeeds/{id}", serve: single(newsfeeds)},
	{name: "news_items.list", method: "GET", path: "/news/news_items", serve: paged(newsItems, 10, 10)},
	{name: "news_items.get", method: "GET", path: "/news/news_items/{id}", serve: single(newsItems)},
	{name: "news_items.create", method: "POST", path: "/news/news_items", serve: writing(contentWriter(newsItems).create)},
	{name: "news_items.update", method: "PUT", path: "/news/news_items/{id}", serve: writing(contentWriter(newsItems).update)},
	{name: "news_items.delete", method: "DELETE", path: "/news/news_items/{id}", serve: writing(contentWriter(newsItems).remove)},
	{name: "folders.list", method: "GET", path: "/folders", serve: (*Workspace).listFolders, since: afterStable},
	{name: "folders.get", method: "GET", path: "/folders/{id}", serve: single(folders), since: afterStable},
	{name: "folders.create", method: "POST", path: "/folders", serve: writing(contentWriter(folders).create), since: afterStable},
	{name: "folders.update", method: "PUT", path: "/folders/{id}", serve: writing(contentWriter(folders).update), since: afterStable},
	{name: "folders.delete", method: "DELETE", path: "/folders/{id}", serve: writing(contentWriter(folders).remove), since: afterStable},
	{name: "dynamic_contents.list", method: "GET", path: "/dynamic_contents", serve: (*Workspace).listDynamicContents, since: afterStable, scope: "read_dynamic_content"},
	{name: "dynamic_contents.get", method: "GET", path: "/dynamic_contents/{id}", serve: (*Workspace).oneDynamicContent, since: afterStable, scope: "read_dynamic_content"},
	{name: "dynamic_contents.create", method: "POST", path: "/dynamic_contents", serve: whereDynamic(writing(contentWriter(dynamicContents).create)), since: afterStable, scope: "read_write_dynamic_content"},
	{name: "dynamic_contents.update", method: "PUT", path: "/dynamic_contents/{id}", serve: whereDynamic(writing(contentWriter(dynamicContents).update)), since: afterStable, scope: "read_write_dynamic_content"},
	{name: "dynamic_contents.delete", method: "DELETE", path: "/dynamic_contents/{id}", serve: whereDynamic(writing(contentWriter(dynamicContents).remove)), since: afterStable, scope: "read_write_dynamic_content"},
	{name: "data_connectors.list", method: "GET", path: "/data_connectors", serve: (*Workspace).listConnectors},
	{name: "data_connectors.versions", method: "GET", path: "/data_connectors/{id}/versions", serve: (*Workspace).listConnectorVersions, since: afterStable, scope: "read_data_connector_versions"},
	{name: "data_connectors.version", method: "GET", path: "/data_connectors/{id}/versions/{version_id}", serve: (*Workspace).oneConnectorVersion, since: afterStable, scope: "read_data_connector_versions"},
	{name: "data_connectors.note", method: "PATCH", path: "/data_connectors/{id}/versions/{version_id}", serve: writing((*Workspace).noteVersion), since: afterStable, scope: "read_write_data_connector_versions"},
	{name: "data_connectors.get", method: "GET", path: "/data_connectors/{id}", serve: single(connectors)},
	{name: "exports.datasets", method: "GET", path: "/export/reporting_data/get_datasets", serve: (*Workspace).exportDatasets, since: v214},
	{name: "exports.enqueue", method: "POST", path: "/export/reporting_data/enqueue", serve: (*Workspace).enqueueExport, since: v214},
	{name: "exports.status", method: "GET", path: "/export/reporting_data/{id}", serve: (*Workspace).exportStatus, since: v214},
	{name: "exports.download", method: "GET", path: "/download/reporting_data/{id}", serve: (*Workspace).downloadExport, since: v214},
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
func EndpointOf(r LoggedRequest) string {
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

package api

import (
	"net/url"
	"slices"
	"strings"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/jobs"
)

// RouteNames are the names of all routes, in the order in which they are matched.
func RouteNames() []string {
	names := make([]string, len(Routes))
	for i, r := range Routes {
		names[i] = r.Name
	}
	return names
}

// IsAmongRoutes reports whether a name is a route's name, or the part of one before its dot.
func IsAmongRoutes(name string) bool {
	return slices.ContainsFunc(Routes, func(r Route) bool { return r.MatchesAny([]string{name}) })
}

// IsRoute reports whether a route has this name.
func IsRoute(name string) bool { return slices.Contains(RouteNames(), name) }

// Route is one endpoint. A new one is a row of the table and a function.
type Route struct {
	Name   string
	Method string
	Path   string // a name in braces matches one segment; there are at most two
	Serve  func(w *Handlers, q *Request) answer.Answer
	Since  apiversion.Version // the version that added it (workspace-api 9); the zero version: all versions have it
	Scope  string             // the scope that a token needs (workspace-api 5.3); "": the document names none
}

// Routes are matched in order: literal paths stand before those with an {id} in the same place.
var Routes = append(publicRoutes, []Route{
	{Name: "contacts.search", Method: "POST", Path: "/contacts/search", Serve: searchContacts},
	{Name: "contacts.deleted", Method: "GET", Path: "/contacts/deleted", Serve: listDeleted, Since: apiversion.AfterStable},
	{Name: "contacts.activities", Method: "GET", Path: "/contacts/activities", Serve: listActivities, Since: apiversion.AfterStable},
	{Name: "contacts.list", Method: "GET", Path: "/contacts", Serve: listContacts},
	{Name: "contacts.create", Method: "POST", Path: "/contacts", Serve: writingRoute(createContact)},
	{Name: "contacts.tags", Method: "GET", Path: "/contacts/{id}/tags", Serve: contactTags},
	{Name: "contacts.notes", Method: "GET", Path: "/contacts/{id}/notes", Serve: contactNotes},
	{Name: "contacts.companies", Method: "GET", Path: "/contacts/{id}/companies", Serve: contactCompanies},
	{Name: "contacts.segments", Method: "GET", Path: "/contacts/{id}/segments", Serve: contactSegments},
	{Name: "contacts.subscriptions", Method: "GET", Path: "/contacts/{id}/subscriptions", Serve: contactSubscriptions},
	{Name: "contacts.merge_preview", Method: "POST", Path: "/contacts/merge/preview", Serve: previewMerge, Since: apiversion.AfterStable},
	{Name: "contacts.bulk", Method: "GET", Path: "/contacts/bulk/{id}", Serve: bulkJobStatus, Since: apiversion.AfterStable},
	{Name: "contacts.find", Method: "GET", Path: "/contacts/find_by_external_id/{id}", Serve: contactByExternalID},
	{Name: "contacts.get", Method: "GET", Path: "/contacts/{id}", Serve: oneContact},
	{Name: "contacts.delete", Method: "DELETE", Path: "/contacts/{id}", Serve: writingRoute(deleteContact)},
	{Name: "contacts.merge", Method: "POST", Path: "/contacts/merge", Serve: writingRoute(mergeContacts)},
	{Name: "contacts.bulk_create", Method: "POST", Path: "/contacts/bulk", Serve: bulkRoute(jobs.ContactsCreate), Since: apiversion.AfterStable},
	{Name: "contacts.bulk_update", Method: "PUT", Path: "/contacts/bulk", Serve: bulkRoute(jobs.ContactsUpdate), Since: apiversion.AfterStable},
	{Name: "contacts.bulk_delete", Method: "POST", Path: "/contacts/bulk/delete", Serve: bulkRoute(jobs.ContactsDelete), Since: apiversion.AfterStable},
	{Name: "contacts.attach", Method: "POST", Path: "/contacts/{id}/companies", Serve: writingRoute(attachCompany)},
	{Name: "contacts.detach", Method: "DELETE", Path: "/contacts/{contact_id}/companies/{id}", Serve: writingRoute(detachCompany)},
	{Name: "contacts.unsubscribe", Method: "DELETE", Path: "/contacts/{contact_id}/subscriptions/{id}", Serve: writingRoute(leaveSubscription)},
	{Name: "visitors.convert", Method: "POST", Path: "/visitors/convert", Serve: writingRoute(convertVisitor)},
	{Name: "notes.delete", Method: "DELETE", Path: "/notes/{id}", Serve: writingRoute(deleteNote), Since: apiversion.AfterStable, Scope: "write_users_companies"},
	{Name: "notes.get", Method: "GET", Path: "/notes/{id}", Serve: oneNote},
	{Name: "notes.create", Method: "POST", Path: "/contacts/{id}/notes", Serve: writingRoute(createNote)},
	{Name: "contacts.archive", Method: "POST", Path: "/contacts/{id}/archive", Serve: writingRoute(archiveContact)},
	{Name: "contacts.unarchive", Method: "POST", Path: "/contacts/{id}/unarchive", Serve: writingRoute(unarchiveContact)},
	{Name: "contacts.block", Method: "POST", Path: "/contacts/{id}/block", Serve: writingRoute(blockContact)},
	{Name: "contacts.update", Method: "PUT", Path: "/contacts/{id}", Serve: writingRoute(updateContact)},
	{Name: "conversations.search", Method: "POST", Path: "/conversations/search", Serve: searchConversations},
	{Name: "conversations.deleted", Method: "GET", Path: "/conversations/deleted", Serve: listDeletedConversations, Since: apiversion.AfterStable},
	{Name: "conversations.list", Method: "GET", Path: "/conversations", Serve: listConversations},
	{Name: "conversations.create", Method: "POST", Path: "/conversations", Serve: writingRoute(createConversation)},
	{Name: "conversations.hitl", Method: "GET", Path: "/conversations/{id}/hitl_events", Serve: hitlEvents, Since: apiversion.AfterStable, Scope: "read_conversations"},
	{Name: "conversations.get", Method: "GET", Path: "/conversations/{id}", Serve: oneConversation},
	{Name: "conversations.part", Method: "POST", Path: "/conversations/{id}/parts", Serve: writingRoute(partOfConversation)},
	{Name: "conversations.reply", Method: "POST", Path: "/conversations/{id}/reply", Serve: writingRoute(replyToConversation)},
	{Name: "conversations.update", Method: "PUT", Path: "/conversations/{id}", Serve: writingRoute(changeConversation)},
	{Name: "messages.create", Method: "POST", Path: "/messages", Serve: writingRoute(createMessage)},
	{Name: "tickets.search", Method: "POST", Path: "/tickets/search", Serve: searchTickets},
	{Name: "tickets.create", Method: "POST", Path: "/tickets", Serve: writingRoute(createTicket)},
	{Name: "tickets.enqueue", Method: "POST", Path: "/tickets/enqueue", Serve: writingRoute(enqueueTicket), Since: apiversion.V214},
	{Name: "tickets.reply", Method: "POST", Path: "/tickets/{id}/reply", Serve: writingRoute(replyToTicket)},
	{Name: "tickets.update", Method: "PUT", Path: "/tickets/{id}", Serve: writingRoute(changeTicket)},
	{Name: "tickets.get", Method: "GET", Path: "/tickets/{id}", Serve: oneTicket},
	{Name: "jobs.status", Method: "GET", Path: "/jobs/status/{id}", Serve: jobStatusOf, Since: apiversion.V214},
	{Name: "tags.list", Method: "GET", Path: "/tags", Serve: listTags},
	{Name: "tags.get", Method: "GET", Path: "/tags/{id}", Serve: oneTag},
	{Name: "segments.list", Method: "GET", Path: "/segments", Serve: listSegments},
	{Name: "segments.get", Method: "GET", Path: "/segments/{id}", Serve: oneSegment},
	{Name: "me.get", Method: "GET", Path: "/me", Serve: identifyAdmin},
	{Name: "admins.list", Method: "GET", Path: "/admins", Serve: listAdmins},
	{Name: "teams.list", Method: "GET", Path: "/teams", Serve: listTeams},
	{Name: "teams.get", Method: "GET", Path: "/teams/{id}", Serve: oneTeam},
	{Name: "subscription_types.list", Method: "GET", Path: "/subscription_types", Serve: listSubscriptionTypes},
	{Name: "data_attributes.list", Method: "GET", Path: "/data_attributes", Serve: listDataAttributes},
	{Name: "ticket_types.list", Method: "GET", Path: "/ticket_types", Serve: listTicketTypes},
	{Name: "ticket_states.list", Method: "GET", Path: "/ticket_states", Serve: listTicketStates},
	{Name: "away_status_reasons.list", Method: "GET", Path: "/away_status_reasons", Serve: listAwayReasons, Since: apiversion.V214},
	{Name: "calls.search", Method: "POST", Path: "/calls/search", Serve: searchCalls, Since: apiversion.V214},
	{Name: "calls.list", Method: "GET", Path: "/calls", Serve: listCalls, Since: apiversion.V214},
	{Name: "calls.recording", Method: "GET", Path: "/calls/{id}/recording", Serve: callRecording, Since: apiversion.V214},
	{Name: "calls.transcript", Method: "GET", Path: "/calls/{id}/transcript", Serve: callTranscript, Since: apiversion.V214},
	{Name: "calls.get", Method: "GET", Path: "/calls/{id}", Serve: oneCall, Since: apiversion.V214},
	{Name: "logs.list", Method: "GET", Path: "/admins/activity_logs", Serve: listLogs},
	{Name: "admins.get", Method: "GET", Path: "/admins/{id}", Serve: oneAdmin},
	{Name: "companies.search", Method: "POST", Path: "/companies/search", Serve: searchCompanies},
	{Name: "companies.save", Method: "POST", Path: "/companies", Serve: writingRoute(saveCompany)},
	{Name: "companies.list", Method: "POST", Path: "/companies/list", Serve: listCompanies},
	{Name: "companies.scroll", Method: "GET", Path: "/companies/scroll", Serve: scrollCompanies},
	{Name: "companies.contacts", Method: "GET", Path: "/companies/{id}/contacts", Serve: companyContacts},
	{Name: "companies.notes", Method: "GET", Path: "/companies/{id}/notes", Serve: companyNotes},
	{Name: "companies.segments", Method: "GET", Path: "/companies/{id}/segments", Serve: companySegments},
	{Name: "companies.get", Method: "GET", Path: "/companies/{id}", Serve: oneCompany},
	{Name: "articles.list", Method: "GET", Path: "/articles", Serve: listArticles},
	{Name: "articles.search", Method: "GET", Path: "/articles/search", Serve: searchArticles},
	{Name: "articles.get", Method: "GET", Path: "/articles/{id}", Serve: singleItemRoute(event.Articles)},
	{Name: "articles.create", Method: "POST", Path: "/articles", Serve: writingRoute(contentWriter(event.Articles).createItem)},
	{Name: "articles.update", Method: "PUT", Path: "/articles/{id}", Serve: writingRoute(contentWriter(event.Articles).updateItem)},
	{Name: "articles.delete", Method: "DELETE", Path: "/articles/{id}", Serve: writingRoute(contentWriter(event.Articles).removeItem)},
	{Name: "collections.list", Method: "GET", Path: "/help_center/collections", Serve: listByPageRoute(event.Collections, 20, 250)},
	{Name: "collections.get", Method: "GET", Path: "/help_center/collections/{id}", Serve: singleItemRoute(event.Collections)},
	{Name: "internal_articles.list", Method: "GET", Path: "/internal_articles", Serve: listByPageRoute(event.InternalArticles, 50, 250), Since: apiversion.V214},
	{Name: "internal_articles.search", Method: "GET", Path: "/internal_articles/search", Serve: searchInternalArticles, Since: apiversion.V214},
	{Name: "internal_articles.get", Method: "GET", Path: "/internal_articles/{id}", Serve: singleItemRoute(event.InternalArticles), Since: apiversion.V214},
	{Name: "internal_articles.create", Method: "POST", Path: "/internal_articles", Serve: writingRoute(contentWriter(event.InternalArticles).createItem), Since: apiversion.V214},
	{Name: "internal_articles.update", Method: "PUT", Path: "/internal_articles/{id}", Serve: writingRoute(contentWriter(event.InternalArticles).updateItem), Since: apiversion.V214},
	{Name: "internal_articles.delete", Method: "DELETE", Path: "/internal_articles/{id}", Serve: writingRoute(contentWriter(event.InternalArticles).removeItem), Since: apiversion.V214},
	{Name: "newsfeeds.list", Method: "GET", Path: "/news/newsfeeds", Serve: listByPageRoute(event.Newsfeeds, 10, 10)},
	{Name: "newsfeeds.items", Method: "GET", Path: "/news/newsfeeds/{id}/items", Serve: newsfeedItems},
	{Name: "newsfeeds.get", Method: "GET", Path: "/news/newsfeeds/{id}", Serve: singleItemRoute(event.Newsfeeds)},
	{Name: "news_items.list", Method: "GET", Path: "/news/news_items", Serve: listByPageRoute(event.NewsItems, 10, 10)},
	{Name: "news_items.get", Method: "GET", Path: "/news/news_items/{id}", Serve: singleItemRoute(event.NewsItems)},
	{Name: "news_items.create", Method: "POST", Path: "/news/news_items", Serve: writingRoute(contentWriter(event.NewsItems).createItem)},
	{Name: "news_items.update", Method: "PUT", Path: "/news/news_items/{id}", Serve: writingRoute(contentWriter(event.NewsItems).updateItem)},
	{Name: "news_items.delete", Method: "DELETE", Path: "/news/news_items/{id}", Serve: writingRoute(contentWriter(event.NewsItems).removeItem)},
	{Name: "folders.list", Method: "GET", Path: "/folders", Serve: listFolders, Since: apiversion.AfterStable},
	{Name: "folders.get", Method: "GET", Path: "/folders/{id}", Serve: singleItemRoute(event.Folders), Since: apiversion.AfterStable},
	{Name: "folders.create", Method: "POST", Path: "/folders", Serve: writingRoute(contentWriter(event.Folders).createItem), Since: apiversion.AfterStable},
	{Name: "folders.update", Method: "PUT", Path: "/folders/{id}", Serve: writingRoute(contentWriter(event.Folders).updateItem), Since: apiversion.AfterStable},
	{Name: "folders.delete", Method: "DELETE", Path: "/folders/{id}", Serve: writingRoute(contentWriter(event.Folders).removeItem), Since: apiversion.AfterStable},
	{Name: "dynamic_contents.list", Method: "GET", Path: "/dynamic_contents", Serve: listDynamicContents, Since: apiversion.AfterStable, Scope: "read_dynamic_content"},
	{Name: "dynamic_contents.get", Method: "GET", Path: "/dynamic_contents/{id}", Serve: oneDynamicContent, Since: apiversion.AfterStable, Scope: "read_dynamic_content"},
	{Name: "dynamic_contents.create", Method: "POST", Path: "/dynamic_contents", Serve: whereDynamic(writingRoute(contentWriter(event.DynamicContents).createItem)), Since: apiversion.AfterStable, Scope: "read_write_dynamic_content"},
	{Name: "dynamic_contents.update", Method: "PUT", Path: "/dynamic_contents/{id}", Serve: whereDynamic(writingRoute(contentWriter(event.DynamicContents).updateItem)), Since: apiversion.AfterStable, Scope: "read_write_dynamic_content"},
	{Name: "dynamic_contents.delete", Method: "DELETE", Path: "/dynamic_contents/{id}", Serve: whereDynamic(writingRoute(contentWriter(event.DynamicContents).removeItem)), Since: apiversion.AfterStable, Scope: "read_write_dynamic_content"},
	{Name: "data_connectors.list", Method: "GET", Path: "/data_connectors", Serve: listConnectors},
	{Name: "data_connectors.versions", Method: "GET", Path: "/data_connectors/{id}/versions", Serve: listConnectorVersions, Since: apiversion.AfterStable, Scope: "read_data_connector_versions"},
	{Name: "data_connectors.version", Method: "GET", Path: "/data_connectors/{id}/versions/{version_id}", Serve: oneConnectorVersion, Since: apiversion.AfterStable, Scope: "read_data_connector_versions"},
	{Name: "data_connectors.note", Method: "PATCH", Path: "/data_connectors/{id}/versions/{version_id}", Serve: writingRoute(noteVersion), Since: apiversion.AfterStable, Scope: "read_write_data_connector_versions"},
	{Name: "data_connectors.get", Method: "GET", Path: "/data_connectors/{id}", Serve: singleItemRoute(event.Connectors)},
	{Name: "exports.datasets", Method: "GET", Path: "/export/reporting_data/get_datasets", Serve: exportDatasets, Since: apiversion.V214},
	{Name: "exports.enqueue", Method: "POST", Path: "/export/reporting_data/enqueue", Serve: enqueueExport, Since: apiversion.V214},
	{Name: "exports.status", Method: "GET", Path: "/export/reporting_data/{id}", Serve: exportStatus, Since: apiversion.V214},
	{Name: "exports.download", Method: "GET", Path: "/download/reporting_data/{id}", Serve: downloadExport, Since: apiversion.V214},
}...)

// Endpoints lists all endpoints as METHOD /path, with ids as {id}.
func Endpoints() []string {
	var all []string
	for _, r := range Routes {
		all = append(all, r.Method+" "+r.Path)
	}
	return all
}

// EndpointOf returns the endpoint that a request went to, "" for none.
func EndpointOf(r control.Request) string {
	found, _, _ := FindRoute(r.Method, r.Path)
	if found == nil {
		return ""
	}
	return found.Method + " " + found.Path
}

// FindRoute returns the route of a path and the ids in it. known reports whether the path exists under another method.
func FindRoute(method, path string) (r *Route, ids [2]string, known bool) {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i := range Routes {
		ids, ok := Routes[i].matchSegments(segments)
		if !ok {
			continue
		}
		if Routes[i].Method == method {
			return &Routes[i], ids, true
		}
		known = true
	}
	return nil, ids, known
}

// MatchesAny reports whether names contains the route's name, or the part of it before the dot.
func (r *Route) MatchesAny(names []string) bool {
	all, _, _ := strings.Cut(r.Name, ".")
	return slices.Contains(names, r.Name) || slices.Contains(names, all)
}

func (r *Route) matchSegments(segments []string) (ids [2]string, ok bool) {
	named, rest := 0, r.Path[1:]
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

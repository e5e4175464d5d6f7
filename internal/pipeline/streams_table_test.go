package pipeline_test

import (
	"strings"

	"aqueduck/internal/oracletest"
)

// streamCase is one stream in the table of TestEveryStream. A new stream needs only a row here.
type streamCase struct {
	stream string
	route  string   // the emulator's route, which the test refuses and whose answers it edits
	single string   // route of a single record, edited like the list; "": the list has complete records
	also   []string // other routes with the records, edited likewise
	with   []string // streams that write into the same tables, and child streams
	paged  string   // the route with numbered pages, where one past the end is requested; "": cursors, or a single answer
	list   string   // key of the list in the answer
	key    []string // key fields of a record, and columns of the oracle
	field  string   // one of them with a text column
	newest string   // time field by which the changed record is the newest, because a search reads only some days again; "": any record
	lasts  bool     // a record that is missing from an answer is not gone
	tables []oracletest.Table
}

// streamBeds are the streams that are read together from one workspace. Few beds are cheaper.
func streamBeds() map[string][]streamCase {
	return map[string][]streamCase{"lists": listCases(), "content": contentCases(), "public": publicCases(), "moving": movingCases(), "companies": {{
		stream: "companies", route: "companies.search", also: []string{"companies.list"}, with: []string{"companies_listed", "companies_by_id"}, paged: "companies.list",
		list: "data", field: "name", tables: companyTables()[:3],
	}}}
}

// movingCases are growing lists and searches. Contacts, conversations, transcripts, events, consultations and exports have their own tests for the
// same behaviour.
func movingCases() []streamCase {
	return []streamCase{
		{stream: "calls", route: "calls.list", paged: "calls.list", list: "data", field: "ended_reason", tables: []oracletest.Table{
			{Name: "calls", Columns: []string{"id", "conversation_id", "admin_id", "contact_id", "state", "call_type", "direction", "initiated_at",
				"answered_at", "ended_at", "ended_reason", "created_at", "updated_at", "recording_url", "transcription_url"}}}},
		{stream: "deleted_contacts", route: "contacts.deleted", paged: "contacts.deleted", list: "data", field: "role", tables: []oracletest.Table{
			{Name: "deleted_contacts", Columns: []string{"id", "role", "status", "updated_at", "merged_into_id"}}}},
		{stream: "tickets", route: "tickets.search", list: "tickets", field: "category", newest: "updated_at", lasts: true, tables: []oracletest.Table{
			{Name: "tickets", Columns: []string{"id", "number", "category", "ticket_type_id", "ticket_state_id", "admin_assignee_id", "created_at", "updated_at",
				"open", "part_count", "ticket_attributes:ticket_attributes::VARCHAR"}}}},
		{stream: "admin_activity_logs", route: "logs.list", list: "activity_logs", field: "activity_description", newest: "created_at", lasts: true, tables: []oracletest.Table{
			{Name: "admin_activity_logs", Columns: []string{"id", "activity_type", "activity_description", "metadata:metadata::VARCHAR", "created_at",
				"performed_by_type", "performed_by_id"}}}},
	}
}

// listCases are the small lists.
func listCases() []streamCase {
	return []streamCase{
		{stream: "tags", route: "tags.list", list: "data", field: "name", tables: []oracletest.Table{{Name: "tags", Columns: []string{"id", "name"}}}},
		{stream: "admins", route: "admins.list", list: "admins", field: "name", tables: []oracletest.Table{
			{Name: "admins", Columns: []string{"id", "name", "email", "away_mode_enabled", "away_mode_reassign", "has_inbox_seat", "team_ids:team_ids::VARCHAR"}}}},
		{stream: "teams", route: "teams.list", list: "teams", field: "name", tables: []oracletest.Table{
			{Name: "teams", Columns: []string{"id", "name"}},
			{Name: "team_admins", Of: "(SELECT a.* FROM team_admins a JOIN teams t ON t.id = a.team_id)", Items: "admin_ids",
				Columns: []string{"parent.id:team_id", "item:admin_id"}}}},
		{stream: "segments", route: "segments.list", list: "segments", field: "name", tables: []oracletest.Table{
			{Name: "segments", Columns: []string{"id", "name", "person_type", "count:member_count", "created_at", "updated_at"}}}},
		{stream: "subscription_types", route: "subscription_types.list", list: "data", field: "state", tables: []oracletest.Table{
			{Name: "subscription_types", Columns: []string{"id", "state", "consent_type",
				"default_translation:json_object('name', name, 'description', description, 'locale', default_locale)::VARCHAR"}},
			{Name: "subscription_type_translations", Of: "(SELECT l.* FROM subscription_type_translations l JOIN subscription_types t ON t.id = l.subscription_type_id)",
				Items: "translations", Columns: []string{"parent.id:subscription_type_id", "locale", "name", "description"}}}},
		{stream: "ticket_types", route: "ticket_types.list", list: "data", field: "name", tables: []oracletest.Table{
			{Name: "ticket_types", Columns: []string{"id", "name", "description", "icon", "workspace_id", "category", "archived", "is_internal", "created_at", "updated_at"}},
			{Name: "ticket_type_attributes", Of: "(SELECT a.* FROM ticket_type_attributes a JOIN ticket_types t ON t.id = a.ticket_type_id)",
				Items: "ticket_type_attributes.data", Columns: []string{"parent.id:ticket_type_id", "id:attribute_id", "name", "data_type", "order:position",
					"required_to_create", "input_options:input_options::VARCHAR", "archived"}}}},
		{stream: "ticket_states", route: "ticket_states.list", list: "data", field: "internal_label", tables: []oracletest.Table{
			{Name: "ticket_states", Columns: []string{"id", "category", "internal_label", "external_label", "archived"}},
			{Name: "ticket_state_types", Of: "(SELECT y.* FROM ticket_state_types y JOIN ticket_states t ON t.id = y.ticket_state_id)",
				Items: "ticket_types.data", Columns: []string{"parent.id:ticket_state_id", "id:ticket_type_id"}}}},
		{stream: "data_attributes", route: "data_attributes.list", list: "data", field: "label", key: []string{"model", "full_name"}, tables: []oracletest.Table{
			{Name: "data_attributes", Columns: []string{"model", "full_name",
				"id", "name", "label", "data_type", "api_writable", "custom", "archived", "created_at", "updated_at"}}}},
		{stream: "away_status_reasons", route: "away_status_reasons.list", list: "data", field: "label", tables: []oracletest.Table{
			{Name: "away_status_reasons", Columns: []string{"id", "label", "emoji", "order:position", "deleted", "created_at", "updated_at"}}}},
	}
}

// publicCases are the lists of public descriptions.
func publicCases() []streamCase {
	of := func(child, parent string) string {
		key := strings.TrimSuffix(parent, "s") + "_id"
		return "(SELECT l.* FROM " + child + " l JOIN " + parent + " t ON t.id = l." + key + ")"
	}
	return []streamCase{
		{stream: "help_centers", route: "help_centers.list", list: "data", field: "display_name", tables: []oracletest.Table{
			{Name: "help_centers", Columns: []string{"id", "workspace_id", "identifier", "display_name", "url", "custom_domain", "website_turned_on", "default:is_default",
				"created_at", "updated_at"}},
			{Name: "help_center_locales", Of: of("help_center_locales", "help_centers"), Items: "locales", Columns: []string{"parent.id:help_center_id", "item:locale"}}}},
		{stream: "brands", route: "brands.list", list: "data", field: "name", tables: []oracletest.Table{
			{Name: "brands", Columns: []string{"id", "name", "is_default", "help_center_id", "default_address_settings_id", "created_at", "updated_at"}}}},
		{stream: "macros", route: "macros.list", list: "data", field: "name", tables: []oracletest.Table{
			{Name: "macros", Columns: []string{"id", "name", "body", "body_text:text", "visible_to", "created_at", "updated_at"}},
			{Name: "macro_teams", Of: of("macro_teams", "macros"), Items: "visible_to_team_ids", Columns: []string{"parent.id:macro_id", "item:team_id"}},
			{Name: "macro_places", Of: of("macro_places", "macros"), Items: "available_on", Columns: []string{"parent.id:macro_id", "item:place"}}}},
		{stream: "content_snippets", route: "content_snippets.list", paged: "content_snippets.list", list: "data", field: "body_markdown", tables: []oracletest.Table{
			{Name: "content_snippets", Columns: []string{"id", "title", "locale", "body_markdown", "json_blocks:json_blocks::VARCHAR", "ai_chatbot_availability",
				"ai_copilot_availability", "ai_sales_agent_availability", "chatbot_availability", "copilot_availability", "created_at", "updated_at"}},
			{Name: "content_snippet_audiences", Of: of("content_snippet_audiences", "content_snippets"), Items: "audience_ids",
				Columns: []string{"parent.id:content_snippet_id", "item:audience_id"}}}},
		{stream: "conversation_data_attributes", route: "conversations.attributes", list: "data", field: "name", tables: []oracletest.Table{
			{Name: "conversation_data_attributes", Columns: []string{"id", "name", "description", "data_type", "required", "multiline", "archived", "reference_type",
				"reference_object_type_id", "admin_id", "created_at", "updated_at"}},
			{Name: "conversation_data_attribute_options", Of: of("conversation_data_attribute_options", "conversation_data_attributes"), Items: "options",
				Columns: []string{"parent.id:conversation_data_attribute_id", "id:option_id", "label", "archived"}},
			{Name: "conversation_data_attribute_teams", Of: of("conversation_data_attribute_teams", "conversation_data_attributes"), Items: "visible_to_team_ids",
				Columns: []string{"parent.id:conversation_data_attribute_id", "item:team_id"}}}},
	}
}

// contentCases are content of teammates, in lists of several pages.
func contentCases() []streamCase {
	whole := []string{"id", "workspace_id", "title", "description", "body", "author_id", "state", "created_at", "updated_at", "url",
		"parent_id", "parent_type", "folder_id", "default_locale", "statistics:json_object('type', 'article_statistics', 'views', views, 'conversations', conversations, " +
			"'reactions', reactions, 'happy_reaction_percentage', happy_reaction_percentage::BIGINT, 'neutral_reaction_percentage', neutral_reaction_percentage::BIGINT, " +
			"'sad_reaction_percentage', sad_reaction_percentage::BIGINT)::VARCHAR"}
	return []streamCase{
		{stream: "articles", route: "articles.list", single: "articles.get", paged: "articles.list", list: "data", field: "title", tables: []oracletest.Table{
			{Name: "articles", Columns: whole},
			{Name: "article_translations", Of: "(SELECT l.* FROM article_translations l JOIN articles t ON t.id = l.article_id)", Items: "translated_content",
				Columns: []string{"parent.id:article_id", "key:locale", "title", "description", "body", "author_id", "state", "created_at", "updated_at", "url"}}}},
		{stream: "internal_articles", route: "internal_articles.list", paged: "internal_articles.list", list: "data", field: "title", tables: []oracletest.Table{
			{Name: "internal_articles", Columns: []string{"id", "title", "body", "owner_id", "author_id", "locale", "folder_id", "created_at", "updated_at"}}}},
		{stream: "collections", route: "collections.list", paged: "collections.list", list: "data", field: "name", tables: []oracletest.Table{
			{Name: "collections", Columns: []string{"id", "workspace_id", "name", "description", "parent_id", "order:position", "url", "default_locale", "created_at", "updated_at"}},
			{Name: "collection_translations", Of: "(SELECT l.* FROM collection_translations l JOIN collections t ON t.id = l.collection_id)", Items: "translated_content",
				Columns: []string{"parent.id:collection_id", "key:locale", "name", "description"}}}},
		{stream: "newsfeeds", route: "newsfeeds.list", paged: "newsfeeds.list", list: "data", field: "name", tables: []oracletest.Table{
			{Name: "newsfeeds", Columns: []string{"id", "name", "created_at", "updated_at"}}}},
		{stream: "news_items", route: "news_items.list", paged: "news_items.list", list: "data", field: "title", tables: []oracletest.Table{
			{Name: "news_items", Columns: []string{"id", "workspace_id", "title", "body", "sender_id", "state", "published_at", "created_at", "updated_at"}},
			{Name: "news_item_assignments", Of: "(SELECT a.* FROM news_item_assignments a JOIN news_items t ON t.id = a.news_item_id)", Items: "newsfeed_assignments",
				Columns: []string{"parent.id:news_item_id", "newsfeed_id", "published_at"}}}},
		{stream: "folders", route: "folders.list", paged: "folders.list", list: "data", field: "name", tables: []oracletest.Table{
			{Name: "folders", Columns: []string{"id", "name", "parent_folder_id", "created_at", "updated_at"}}}},
		{stream: "dynamic_contents", route: "dynamic_contents.list", paged: "dynamic_contents.list", list: "data", field: "name", tables: []oracletest.Table{
			{Name: "dynamic_contents", Columns: []string{"id", "key", "name", "content_type", "default_locale", "created_at", "updated_at"}},
			{Name: "dynamic_content_variations", Of: "(SELECT v.* FROM dynamic_content_variations v JOIN dynamic_contents t ON t.id = v.dynamic_content_id)",
				Items: "variations", Columns: []string{"parent.id:dynamic_content_id", "locale", "brand_id", "body", "intentionally_empty"}}}},
		{stream: "data_connectors", route: "data_connectors.list", with: []string{"data_connector_versions"}, list: "data", field: "name", tables: []oracletest.Table{
			{Name: "data_connectors", Columns: []string{"id", "name", "state", "http_method", "created_at", "updated_at"}},
			{Name: "data_connector_versions", Oracle: "data_connector_versions", Of: "(SELECT v.* FROM data_connector_versions v JOIN data_connectors t ON t.id = v.data_connector_id)",
				Columns: []string{"data_connector_id", "entity_version_id:id", "version_number", "note", "created_at", "updated_at"}}}},
	}
}

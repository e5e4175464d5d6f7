package pipeline_test

import "aqueduck/internal/oracletest"

// streamCase is one stream of the table that TestEveryStream runs through: a row here is all that a stream needs.
type streamCase struct {
	stream string
	route  string   // of the emulator: refused in its turn, and where its answers are edited
	also   []string // other routes whose answers have the records, edited like those
	with   []string // streams that go into the same tables
	paged  string   // the route whose pages go by number: one past the end is asked for; "": cursors, or one answer, have none
	list   string   // key of the answer that holds the records
	key    []string // fields that name a record, and columns of the oracle
	field  string   // one of them, which a text column takes
	tables []oracletest.Table
}

// streamBeds are the streams that are read together from one workspace: the fewer beds, the cheaper.
func streamBeds() map[string][]streamCase {
	return map[string][]streamCase{"lists": listCases(), "companies": {{
		stream: "companies", route: "companies.search", also: []string{"companies.list"}, with: []string{"companies_listed", "companies_by_id"}, paged: "companies.list",
		list: "data", field: "name", tables: companyTables()[:3],
	}}}
}

// listCases are the small lists.
func listCases() []streamCase {
	return []streamCase{
		{stream: "tags", route: "tags.list", list: "data", field: "name", tables: []oracletest.Table{{Name: "tags", Columns: []string{"id", "name"}}}},
		{stream: "admins", route: "admins.list", list: "admins", field: "name", tables: []oracletest.Table{
			{Name: "admins", Columns: []string{"id", "name", "email", "away_mode_enabled", "has_inbox_seat", "team_ids:team_ids::VARCHAR"}}}},
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
			{Name: "data_attributes", Where: func(row map[string]any) bool { return row["model"] != "conversation" }, Columns: []string{"model", "full_name",
				"id", "name", "label", "data_type", "api_writable", "custom", "archived", "created_at", "updated_at"}}}},
		{stream: "away_status_reasons", route: "away_status_reasons.list", list: "data", field: "label", tables: []oracletest.Table{
			{Name: "away_status_reasons", Columns: []string{"id", "label", "emoji", "order:position", "deleted", "created_at", "updated_at"}}}},
	}
}

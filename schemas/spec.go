package schemas

import (
	"errors"
	"fmt"
	"strings"

	"aqueduck/internal/grammar"
)

// Spec is the grammar of a stream file.
func Spec() *grammar.Spec {
	return &grammar.Spec{Kind: grammar.Map, Keys: []grammar.Spec{
		{Name: "stream", Kind: grammar.Text, Required: true, Form: name, Example: "notes",
			Doc: "Name of the stream, and of its table."},
		{Name: "doc", Kind: grammar.Text, Doc: "What one row is; becomes the comment of the table."},
		readSpec(),
		{Name: "key", Kind: grammar.List, Needed: "without `like` and `into`", Item: &grammar.Spec{Kind: grammar.Text, Form: inTable, Check: columnName},
			Doc: "Columns that identify a record. A record without one of them is rejected."},
		{Name: "newest", Kind: grammar.Text, Form: inTable, Check: columnName,
			Doc: "Timestamp column: of two copies of a record, the newer one is stored. Default: the copy that arrives last."},
		{Name: "absent", Kind: grammar.Enum, Values: []grammar.Choice{{Name: "gone",
			Doc: "soft delete, after two full-list sweeps without it or a 404 by id. It stays in `<table>_all`, with `_gone_at`."},
			{Name: Redacted, Doc: "for `over: {stream}`: redaction. The rows stay, and their `redactable` values are erased from all files. Values that return are stored again."}},
			Doc: "What it means when a record is missing. Default: nothing."},
		{Name: "identity", Kind: grammar.Text, Form: dotted,
			Doc: "Path of the workspace's id in a record. It stops a run with another workspace's token before anything is written."},
		{Name: "capped", Kind: grammar.Map, Doc: "For a list that the source caps at its newest items, while the record has the full count. The audit of a run reports once that there are more.", Keys: []grammar.Spec{
			{Name: "count", Example: "tags.total_count", Kind: grammar.Text, Required: true, Form: dotted, Doc: "Path of the count in a record."},
			{Name: "most", Example: "10", Kind: grammar.Int, Required: true, Min: 1, Max: 1_000_000, Doc: "Most items that are sent."},
			{Name: "of", Example: "tags", Kind: grammar.Text, Required: true, Form: name, Doc: "Name of the items. The audit's finding is `<of>_capped`."}}},
		{Name: "with", Kind: grammar.Text, Form: name, Doc: "Stream that this one belongs to: a pipeline that reads that stream also reads this one."},
		{Name: "like", Kind: grammar.Text, Form: name,
			Doc: "Stream with the same records. `columns`, `key`, `newest`, `ignore` and `children` are taken from it, with this file's `suffix`. `columns` of this file are added."},
		{Name: "into", Kind: grammar.Text, Form: name,
			Doc: "Stream that owns the tables. Everything except `read` is taken from that stream. A pipeline that reads it also reads this one. Of two copies `newest` decides, then arrival."},
		{Name: "suffix", Kind: grammar.Text, Form: suffix, Hint: "e.g. _raw",
			Doc: "Suffix of every table name of the stream. Such tables feed published relations and are not for analysts: they are in schema `_raw`, or `_raw_<workspace>`. SQL files of streams read them as `{raw}.<table>`."},
		{Name: "publish_as", Kind: grammar.Text, Form: name,
			Doc: "Name of an SQL file, without `.sql`. It makes the published relations from the tables of this stream and others."},
		{Name: "ignore", Kind: grammar.List, Item: &grammar.Spec{Kind: grammar.Text, Form: dotted},
			Doc: "Paths without information that are kept out of `_extra`, e.g. a constant `type`. A path goes through a list to its items: `tags.data.type`. The `count` and `rest` of a child need no entry."},
		{Name: "columns", Kind: grammar.List, Needed: "without `like` and `into`", Item: columnSpec(), Doc: "Columns of the table."},
		{Name: "children", Kind: grammar.List, Item: childSpec(), Doc: "Nested lists that become child tables, committed with their record."},
		eraseSpec(),
		{Name: "persons", Kind: grammar.Map, Doc: "SQL files that report erased and merged contacts. `{schema}` stands for the workspace's schema, `{raw}` for its raw schema.", Keys: []grammar.Spec{
			{Name: "forgotten", Kind: grammar.Text, Form: sqlFile, Doc: "SQL file. Its first column has the ids of contacts that the source has erased for good. Their stored data is erased."},
			{Name: "merged", Kind: grammar.Text, Form: sqlFile, Doc: "SQL file. Its rows have two ids: the merged contact and the contact it was merged into. An erasure covers all ids of a person."},
		}},
		{Name: "mark", Kind: grammar.List, Doc: "Exports only: what columns of the files hold.", Item: &grammar.Spec{Kind: grammar.Map, Keys: []grammar.Spec{
			{Name: "columns", Example: `["*_email"]`, Kind: grammar.List, Required: true, Item: &grammar.Spec{Kind: grammar.Text}, Doc: "Names of columns, or patterns: `*_email`."},
			{Name: "pii", Kind: grammar.Bool, Default: "false", Doc: "Personal data."},
			{Name: "person", Kind: grammar.Bool, Default: "false", Doc: "A contact's id."},
			{Name: "references", Kind: grammar.Text, Form: ofColumn, Hint: "table.column, e.g. conversations.id", Doc: "Column that they point to. The row is about the persons that this record names."},
		}}},
		{Name: "reconcile", Kind: grammar.Map, Doc: "search: reconciliation. A full-list sweep without `detail` finds records that search no longer returns or never returned; both are requested by id. Without `detail` the sweep also finds changes that search does not show.",
			Keys: []grammar.Spec{{Name: "every", Example: "7d", Kind: grammar.Duration, Required: true, Doc: "How often, after the backfill."},
				{Name: "endpoint", Kind: grammar.Text, Form: request, Check: checkEndpoint, Hint: "e.g. GET /tickets/{id}", Doc: "Path of one record, if there is no `detail`. `{id}` is the record's key."}}},
		{Name: "snapshot", Kind: grammar.Enum, Doc: "Keeps daily copies of the table. Needs `absent: gone`.", Values: []grammar.Choice{{Name: "day",
			Doc: "one copy a day in `<table>_daily`, from the last run of the day. `snapshot_date`, a day in `warehouse.timezone`, comes before the table's columns."}}},
		{Name: "on_version_change", Kind: grammar.Enum, Values: []grammar.Choice{{Name: "again", Doc: "everything is re-read and compared."}},
			Doc: "What happens after a change of `api_version`. Default: only later reads use the new version."},
		{Name: "needs", Kind: grammar.Map, Doc: "What a workspace needs for the stream. The stream is requested in any case; the text explains why it is unavailable.", Keys: []grammar.Spec{
			{Name: "version", Kind: grammar.Text, Doc: "First API version that has it."},
			{Name: "scope", Kind: grammar.Text, Doc: "Scope that the token needs."}}},
		{Name: "told", Kind: grammar.Map, Doc: "Texts for the catalogue that replace those made from the other keys.", Keys: []grammar.Spec{
			{Name: "deletion", Kind: grammar.Text, Doc: "How a deletion is detected."},
			{Name: "late", Kind: grammar.Text, Doc: "What is detected late, and after how long."}}},
		{Name: "lake", Kind: grammar.Map, Later: true, Doc: "Partitions the table's Parquet by month."},
	}}
}

func readSpec() grammar.Spec {
	scalar := &grammar.Spec{Name: "NAME", Kind: grammar.Text, Doc: "Its value."}
	return grammar.Spec{Name: "read", Kind: grammar.Map, Required: true, Example: "{endpoint: GET /notes, records: data, page: {by: none}, since: {by: full}}", Doc: "How the stream is read.", Keys: []grammar.Spec{
		{Name: "endpoint", Example: "GET /notes", Kind: grammar.Text, Required: true, Form: request, Check: checkEndpoint, Hint: "e.g. GET /tags, or GET /companies/{id}/notes",
			Doc: "Method and path, below `base_url`. `over` fills `{id}`."},
		{Name: "query", Kind: grammar.Free, Item: scalar, Doc: "Query parameters sent with every request."},
		{Name: "records", Example: "data", Kind: grammar.OneOrAll, Item: &grammar.Spec{Kind: grammar.Text}, Required: true,
			Doc: "Key of the list in the answer. Of several keys an answer has exactly one. `itself`: the answer is the record."},
		{Name: "page", Example: "{by: none}", Kind: grammar.Map, Required: true, Doc: "Pagination of one list. A URL in `pages.next` is always followed; with `by: number` and `by: cursor` also a `next` beside the list.", Keys: []grammar.Spec{
			{Name: "by", Example: "none", Kind: grammar.Enum, Required: true, Doc: "What names the next page.", Values: []grammar.Choice{
				{Name: "none", Doc: "the list is one answer. An answer that shows more records is not stored."},
				{Name: "number", Doc: "`page`, counted from 1."},
				{Name: "cursor", Doc: "`starting_after`, from the answer."}}},
			{Name: "in", Kind: grammar.Enum, Needed: "with `by: number` or `cursor`", Doc: "Where the page parameters are sent.", Values: []grammar.Choice{{Name: "query"}, {Name: "body"}}},
			{Name: "size", Kind: grammar.Int, Needed: "with `by: number` or `cursor`", Min: 1, Max: 10_000, Doc: "Records per page. Halved automatically when a page keeps failing."},
			{Name: "most", Kind: grammar.Int, Min: 1, Max: 10_000_000, Doc: "Cap of the list, if it has one. Above the cap a missing record means nothing, and the audit reports it once: `list_capped`. With `by: none` the answer may be a part of the list."},
		}},
		{Name: "since", Example: "{by: full}", Kind: grammar.Map, Required: true, Doc: "How the stream is read incrementally, and what the checkpoint holds.", Keys: []grammar.Spec{
			{Name: "by", Example: "full", Kind: grammar.Enum, Required: true, Doc: "Method.", Values: []grammar.Choice{
				{Name: "full", Doc: "full refresh."},
				{Name: "search", Doc: "changes since the watermark, by a search on `field`."},
				{Name: "bookmark", Doc: "a feed, from the last cursor."},
				{Name: "between", Doc: "records between `<field>_after` and `<field>_before`; large windows are split."},
				{Name: "export", Doc: "datasets that the source exports as files; each is a stream and a table `<stream>_<dataset>`, with the columns of the files."}}},
			{Name: "field", Kind: grammar.Text, Needed: "with `by: search` or `between`", Form: dotted, Doc: "search: timestamp field of the search and its order. between: field that the parameters are named after."},
			{Name: "lag", Kind: grammar.Duration, Default: "15m", Doc: "search, between: how long the source may take until it returns a changed record."},
			{Name: "overlap", Kind: grammar.Duration, Default: "48h", Doc: "search, between: lookback window."},
		}},
		{Name: "over", Kind: grammar.Map, Doc: "Child stream: one list for each parent id or value, which fills `{id}` in the path or the query parameter `as`. With `batch`, one request for several ids.", Keys: []grammar.Spec{
			{Name: "view", Kind: grammar.Text, Form: sqlFile, Hint: "a file name beside the stream file, e.g. contacts_to_read.sql",
				Doc: "SQL file. The first column has the ids. `{schema}` stands for the workspace's schema, `{raw}` for its raw schema."},
			{Name: "after", Kind: grammar.List, Item: &grammar.Spec{Kind: grammar.Text, Form: name}, Doc: "Streams that the run reads before this one."},
			{Name: "stream", Kind: grammar.OneOrAll, Item: &grammar.Spec{Kind: grammar.Text, Form: name},
				Doc: "Parent stream or streams, also the stream itself: one list for each stored row, then for each new or changed row. Ids wait in `_sync.pending` from the commit of the row to the commit of its list. An id that answers 404 has no rows."},
			{Name: "where", Kind: grammar.Text, Form: inTable, Check: columnName, Doc: "stream: column of the parent's table with the id."},
			{Name: "refresh", Kind: grammar.Map, Doc: "stream: re-reads lists of parent rows that did not change.", Keys: refreshKeys("Rows that changed within this time, by `newest` of the parent, are re-read.")},
			{Name: "batch", Kind: grammar.Text, Form: sqlFile, Hint: "a file name beside the stream file, e.g. calls_to_transcribe.sql",
				Doc: "SQL file as for `view`, with one request for several ids. A second column has the key of the expected record. Default: the id. With `absent: gone` an expected record that two answers lack is soft-deleted."},
			{Name: "as", Kind: grammar.Text, Form: name, Doc: "Name under which an id or value is sent. batch: the list in the body. Otherwise: the query parameter, if the path has no `{id}`."},
			{Name: "size", Kind: grammar.Int, Min: 1, Max: 1000, Doc: "batch: ids per request."},
			{Name: "values", Example: "[open, closed]", Kind: grammar.List, Some: true, Item: &grammar.Spec{Kind: grammar.Text, Form: value},
				Doc: "One list for each literal value. Together they count as one full list, also for `absent: gone`."},
			{Name: "optional", Kind: grammar.List, Item: &grammar.Spec{Kind: grammar.Text, Form: value},
				Doc: "Values that the source may not know. If it refuses one, the others are read. Rows with that value in the column named by `as` stay."},
		}},
		{Name: "below", Kind: grammar.Map, Doc: "For records that contain others: the list is also read with the key of each record, to any depth. Together they count as one full list, also for `absent: gone`.", Keys: []grammar.Spec{
			{Name: "as", Example: "parent_id", Kind: grammar.Text, Required: true, Form: name, Hint: "e.g. parent_folder_id", Doc: "Query parameter for the key. If `query` has it too, that value is for the first list only."},
			{Name: "unless", Kind: grammar.Text, Form: dotted, Doc: "Path of a field, e.g. the id of the containing record. If a record of the first list has it, that list is complete, and no other is read."},
		}},
		detailSpec(scalar),
	}}
}

func detailSpec(scalar *grammar.Spec) grammar.Spec {
	return grammar.Spec{Name: "detail", Kind: grammar.Map, Doc: "Reads each record of a page again by id, for fields that the list omits. A full refresh does this for every record in every run.", Keys: []grammar.Spec{
		{Name: "endpoint", Example: "GET /notes/{id}", Kind: grammar.Text, Required: true, Form: request, Check: checkEndpoint, Hint: "e.g. GET /conversations/{id}", Doc: "Path of one record. `{id}` is the record's key."},
		{Name: "query", Kind: grammar.Free, Item: scalar, Doc: "Query parameters sent with the request."},
		{Name: "unless_same", Kind: grammar.List, Item: &grammar.Spec{Kind: grammar.Text, Form: dotted},
			Doc: "search: paths of fields that the list also has. If all equal the stored values, the record is not read by id."},
		{Name: "refresh", Kind: grammar.Map, Doc: "search: re-reads records, to find changes that do not move these fields.", Keys: refreshKeys("Records that changed within this time are re-read.")},
	}}
}

func refreshKeys(within string) []grammar.Spec {
	return []grammar.Spec{
		{Name: "for", Example: "30d", Kind: grammar.Duration, Required: true, Doc: within},
		{Name: "every", Example: "1d", Kind: grammar.Duration, Required: true, Doc: "How often they are re-read."},
	}
}

func columnSpec() *grammar.Spec {
	flag := func(name, doc string) grammar.Spec {
		return grammar.Spec{Name: name, Kind: grammar.Bool, Default: "false", Doc: doc}
	}
	return &grammar.Spec{Kind: grammar.Map, Keys: []grammar.Spec{
		{Name: "name", Example: "id", Kind: grammar.Text, Required: true, Form: inTable, Check: columnName, Cased: "The key of the record goes in from", Doc: "Name of the column."},
		{Name: "from", Example: "location.country", Kind: grammar.OneOrAll, Item: &grammar.Spec{Kind: grammar.Text, Check: checkSource, Hint: "a path like location.country, or $read_at, $over, $erased, $position, $parent.id"},
			Some: true, Doc: "Path of the value in the record. Default: the name. Of several paths the first with a value is used. `$read_at`: server time of the answer. `$over`: requested id or value. `$erased`: an erasure changed the row. In children also `$parent.<column>`, `$position`, `$key` of an entry and `$item`, a scalar item."},
		{Name: "type", Example: "text", Kind: grammar.Enum, Required: true, Doc: "Type of the column.", Values: []grammar.Choice{
			{Name: string(Text), Doc: "any scalar, as text."}, {Name: string(Int), Doc: "64 bits."}, {Name: string(Double)}, {Name: string(Bool)},
			{Name: string(Timestamp), Doc: "unix seconds or ISO-8601."}, {Name: string(Date)}, {Name: string(JSON), Doc: "an object or list as sent; its scalars may have columns too."}}},
		{Name: "as", Kind: grammar.Enum, Doc: "What the column takes of a text.", Values: []grammar.Choice{
			{Name: PlainText, Doc: "HTML to plain text."},
			{Name: "url", Doc: "address of a page, without query parameters that sign it."},
			{Name: "signed_url", Doc: "address of a file, also without parameters that look like a token or an expiry."},
			{Name: HasText, Doc: "bool: whether the plain text of a column before it has characters."}}},
		{Name: "doc", Kind: grammar.Text, Doc: "Meaning; becomes the comment of the column."},
		flag("required", "A record without it is rejected. Key columns are always required."),
		{Name: "default", Kind: grammar.Text, Doc: "int and text: value for records that have none, so that the column may be part of a key."},
		flag("pii", "Personal data."),
		flag("person", "Holds a contact's id. An erasure finds a person's rows by it."),
		{Name: "whose", Kind: grammar.OneOrAll, Item: &grammar.Spec{Kind: grammar.Text, Form: inTable, Check: columnName},
			Doc: "Personal data: the data subjects. A column of the row or record that holds a contact's id or references another record. `record`: every person that the record or its children name. Default: the contacts' ids of the row; if it has none, those of the containing record."},
		flag("stays", "Kept by `erase: all`."),
		flag("redactable", "The source may redact it. When it arrives as null, the stored value is erased from all files."),
		{Name: "redacted_by", Kind: grammar.Text, Form: inTable, Check: columnName, Doc: "Redactable columns: column that is true after a final redaction. Older copies then never restore the value."},
		flag("volatile", "Its changes do not count as changes of the record."),
		{Name: "attributes", Kind: grammar.Text, Form: name, Hint: "e.g. contact",
			Doc: "json: its keys are custom attributes. The view `<stream>_attributes` has a typed column for each. The value is the `data_attributes.model` of the records."},
		{Name: "words", Example: "[open, closed]", Kind: grammar.List, Some: true, Item: &grammar.Spec{Kind: grammar.Text, Form: word},
			Doc: "text: the words that the source is known to send. Another value is stored as sent, and reported once as schema drift."},
		{Name: "references", Kind: grammar.Text, Form: ofColumn, Hint: "table.column, e.g. admins.id", Doc: "Column that it points to."},
	}}
}

func childSpec() *grammar.Spec {
	nested := itemSpec("Path of the list in the item.",
		"Columns that identify a row: first the key of the containing row, in its order, which need not be declared; then columns of the child.")
	return &grammar.Spec{Kind: grammar.Map, Keys: append(
		itemSpec("Path of the list in the record.",
			"Columns that identify a row: first the parent's key, in its order, which need not be declared; then columns of the child."),
		grammar.Spec{Name: "complete", Kind: grammar.Bool, Default: "true", Doc: "The list is complete: stored rows that are missing from it are removed."},
		grammar.Spec{Name: "count", Kind: grammar.Text, Form: dotted, Doc: "Path of the number of items at the source."},
		grammar.Spec{Name: "rest", Kind: grammar.Text, Form: dotted, Doc: "Path of the URL with the rest of a capped list."},
		grammar.Spec{Name: "each", Kind: grammar.Enum, Default: "items", Doc: "What becomes a row.",
			Values: []grammar.Choice{{Name: "items", Doc: "the items of a list."}, {Name: "entries", Doc: "the entries of an object with data as keys, such as locales. The key is `$key`. Null entries make no row. Of several with one name the first counts."}}},
		grammar.Spec{Name: "children", Kind: grammar.List, Item: &grammar.Spec{Kind: grammar.Map, Keys: nested},
			Doc: "Lists inside the items. They are always complete."},
	)}
}

// itemSpec are the keys of every table that is made of a list.
func itemSpec(from, key string) []grammar.Spec {
	return []grammar.Spec{
		{Name: "table", Example: "note_tags", Kind: grammar.Text, Required: true, Form: name, Doc: "Name of the table, before the suffix."},
		{Name: "doc", Kind: grammar.Text, Doc: "What one row is."},
		{Name: "from", Example: "tags.data", Kind: grammar.OneOrAll, Item: &grammar.Spec{Kind: grammar.Text, Form: dotted}, Some: true, Required: true, Doc: from + " Of several paths the first non-empty list is used."},
		{Name: "key", Example: "[note_id, id]", Kind: grammar.List, Required: true, Item: &grammar.Spec{Kind: grammar.Text, Form: inTable, Check: columnName}, Doc: key},
		eraseSpec(),
		{Name: "columns", Example: "[{name: id, type: text}]", Kind: grammar.List, Required: true, Item: columnSpec(), See: "columns[]", Doc: "Columns of the table."},
	}
}

func eraseSpec() grammar.Spec {
	return grammar.Spec{Name: "erase", Kind: grammar.Enum, Doc: "What an erasure does to the rows of a person. Default: personal data and `_extra` become null.",
		Values: []grammar.Choice{{Name: "all", Doc: "all columns become null, except the key and `stays` columns."}, {Name: "rows", Doc: "the rows are removed."}}}
}

// CheckName is the error of a text that cannot be the name of a stream.
func CheckName(text string) error { return name.Check(text) }

// Forms of what a file writes.
var (
	name     = grammar.NewForm(`^[a-z][a-z0-9_]{0,62}$`, "a name is lower-case letters, digits and _, beginning with a letter: %q is not")
	suffix   = grammar.NewForm(`^_[a-z][a-z0-9_]{0,20}$`, "a suffix is _ and lower-case letters, digits and _: %q is not")
	sqlFile  = grammar.NewForm(`^[a-z][a-z0-9_]*\.sql$`, "%q is not the name of an SQL file")
	dotted   = grammar.NewForm(`^[^.$\s][^.\s]*(\.[^.\s]+)*$`, "%q is not a path of keys with dots between")
	request  = grammar.NewForm(`^(GET|POST) (/([A-Za-z0-9_.-]+|\{id\}))+$`, "expected GET or POST, and a path in which {id} is the only placeholder (parameters after ? go in read.query), found %q")
	value    = grammar.NewForm(`^[A-Za-z0-9_-]{1,128}$`, "a value is letters, digits, _ and -, as the API's are: %q is not")
	word     = grammar.NewForm(`^[A-Za-z0-9_.-]{1,64}$`, "a word is letters, digits, _, . and -: %q is not")
	inTable  = grammar.NewForm(`^_?[a-z][a-z0-9_]{0,62}$`, "a column's name is lower-case letters, digits and _: %q is not")
	ofColumn = grammar.NewForm(`^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$`, "%q is not table.column")
)

// IsWord reports whether a value looks like a word of a closed list: up to 64 letters, digits, _, . and -.
func IsWord(text string) bool { return word.Check(text) == nil }

// columnName refuses what every table has.
func columnName(text string) error {
	for _, taken := range []string{"_row", "_read_at", "_absent", "_extra", "_api_version", "_hash", "_gone_at", "_synced_at", "_run_id", "rowid"} {
		if text == taken {
			return fmt.Errorf("every table has its own %q", text)
		}
	}
	return nil
}

func checkSource(text string) error {
	if !strings.HasPrefix(text, "$") {
		return dotted.Check(text)
	}
	if text == FromReadAt || text == FromOver || text == FromPosition || text == FromKey || text == FromItem || text == FromErased {
		return nil
	}
	if column, ok := strings.CutPrefix(text, FromParent+"."); ok {
		return errors.Join(inTable.Check(column), columnName(column))
	}
	return fmt.Errorf("unknown source: %q", text)
}

// checkEndpoint refuses what would never be sent: this program only reads.
func checkEndpoint(text string) error {
	if err := request.Check(text); err != nil {
		return err
	}
	if strings.HasPrefix(text, "POST ") && !strings.HasSuffix(text, "/search") && !strings.HasSuffix(text, "/list") {
		return errors.New("only POST /…/search and /…/list are allowed: the program changes nothing at the source")
	}
	if strings.Count(text, "{id}") > 1 {
		return errors.New("only one {id} is filled")
	}
	return nil
}

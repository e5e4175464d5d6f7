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
		{Name: "stream", Kind: grammar.Text, Required: true, Form: name,
			Doc: "Name of the stream. Its table is called the same."},
		{Name: "doc", Kind: grammar.Text, Doc: "What one row is; becomes the comment of the table."},
		readSpec(),
		{Name: "key", Kind: grammar.List, Item: &grammar.Spec{Kind: grammar.Text, Form: inTable, Check: columnName},
			Doc: "Columns that name a record. A record without one of them is rejected whole."},
		{Name: "newest", Kind: grammar.Text, Form: inTable, Check: columnName,
			Doc: "Timestamp column that decides between two copies of a record; without it the later answer wins."},
		{Name: "absent", Kind: grammar.Enum, Values: []grammar.Choice{{Name: "gone",
			Doc: "a record that complete sweeps no longer find, or that a reading by id answers 404, leaves `<table>` and stays in `<table>_all`, with `_gone_at`."},
			{Name: Redacted, Doc: "of `over: {stream}`: where an id whose rows are stored answers with none, the source has redacted them. They stay, and what of them is `redactable` is erased from all files; where it comes again it is stored again."}},
			Doc: "What absence means; without it nothing."},
		{Name: "identity", Kind: grammar.Text, Form: dotted,
			Doc: "Path of the workspace's id in a record: another workspace's token is noticed by it before anything is written."},
		{Name: "capped", Kind: grammar.Map, Doc: "What records count themselves, and the source sends only the newest of: the audit of a run says once that there are more.", Keys: []grammar.Spec{
			{Name: "count", Kind: grammar.Text, Required: true, Form: dotted, Doc: "Path of the count in a record."},
			{Name: "most", Kind: grammar.Int, Required: true, Min: 1, Max: 1_000_000, Doc: "How many are sent at the most."},
			{Name: "of", Kind: grammar.Text, Required: true, Form: name, Doc: "What is counted; the finding is called after it, `<of>_capped`."}}},
		{Name: "with", Kind: grammar.Text, Form: name, Doc: "Stream that this one is read along with, wherever that one is asked for."},
		{Name: "like", Kind: grammar.Text, Form: name,
			Doc: "Stream whose records these are: `columns`, `key`, `newest`, `ignore` and `children` are its own, with this file's `suffix`; `columns` here are added."},
		{Name: "into", Kind: grammar.Text, Form: name,
			Doc: "Stream whose records these are, and whose tables they go into: all that is not said under `read` is its own. Of two copies `newest` decides, then arrival. It is read along with that one."},
		{Name: "suffix", Kind: grammar.Text, Form: suffix, Hint: "e.g. _raw",
			Doc: "Put after the name of every table of the stream. Such tables feed published relations and are not for analysts."},
		{Name: "publish_as", Kind: grammar.Text, Form: name,
			Doc: "SQL file, without `.sql`, that makes the published relations from the tables of this stream and others."},
		{Name: "ignore", Kind: grammar.List, Item: &grammar.Spec{Kind: grammar.Text, Form: dotted},
			Doc: "Paths in a record that say nothing and are kept out of `_extra`, e.g. a constant `type`; a path goes through a list to its items: `tags.data.type`. Where a child's `count` and `rest` are is known without it."},
		{Name: "columns", Kind: grammar.List, Item: columnSpec(), Doc: "Columns of the table."},
		{Name: "children", Kind: grammar.List, Item: childSpec(), Doc: "Nested lists that become tables of their own, committed with their record."},
		eraseSpec(),
		{Name: "persons", Kind: grammar.Map, Doc: "What the stream tells about contacts as persons. SQL files; `{schema}` stands for the workspace's schema.", Keys: []grammar.Spec{
			{Name: "forgotten", Kind: grammar.Text, Form: sqlFile, Doc: "SQL file; the first column of its rows are the ids of contacts that the source has erased for good: what is stored of them is erased."},
			{Name: "merged", Kind: grammar.Text, Form: sqlFile, Doc: "SQL file; its rows are two ids, one that was merged and the one it was merged into: who is forgotten is forgotten under all of them."},
		}},
		{Name: "mark", Kind: grammar.List, Doc: "Exports only: what the columns hold that the source names.", Item: &grammar.Spec{Kind: grammar.Map, Keys: []grammar.Spec{
			{Name: "columns", Kind: grammar.List, Required: true, Item: &grammar.Spec{Kind: grammar.Text}, Doc: "Names of columns, or patterns: `*_email`."},
			{Name: "pii", Kind: grammar.Bool, Default: "false", Doc: "Personal data."},
			{Name: "person", Kind: grammar.Bool, Default: "false", Doc: "A contact's id."},
			{Name: "references", Kind: grammar.Text, Form: ofColumn, Hint: "table.column, e.g. conversations.id", Doc: "Column they point to: the row is about the persons that this record names."},
		}}},
		{Name: "reconcile", Kind: grammar.Map, Doc: "search: a walk over the whole list, without the records' own readings, finds what search no longer has and what it never told: both are asked for by id. What a list without `detail` has is compared, too: so changes without a sign are found.",
			Keys: []grammar.Spec{{Name: "every", Kind: grammar.Duration, Required: true, Doc: "How often, once the history is read."},
				{Name: "endpoint", Kind: grammar.Text, Form: request, Check: checkEndpoint, Hint: "e.g. GET /tickets/{id}", Doc: "Path of one record, where there is no `detail` that says it; `{id}` is the record's key."}}},
		{Name: "snapshot", Kind: grammar.Enum, Doc: "Keeps copies of what the list had. Needs `absent: gone`.", Values: []grammar.Choice{{Name: "day",
			Doc: "one a day, as of the day's last reading, in `<table>_daily`: the columns of the table after `snapshot_date`, a day of `warehouse.timezone`."}}},
		{Name: "on_version_change", Kind: grammar.Enum, Values: []grammar.Choice{{Name: "again", Doc: "everything is read again, and compared."}},
			Doc: "What another `api_version` means for what is stored. Without it only what is read anyway is read under it."},
		{Name: "needs", Kind: grammar.Map, Doc: "What a workspace must have for it. It is asked for in any case: this is what is said when the source does not have it.", Keys: []grammar.Spec{
			{Name: "version", Kind: grammar.Text, Doc: "First API version that has it."},
			{Name: "scope", Kind: grammar.Text, Doc: "Scope that the token needs."}}},
		{Name: "told", Kind: grammar.Map, Doc: "For the catalogue, where more is known than the other keys say.", Keys: []grammar.Spec{
			{Name: "deletion", Kind: grammar.Text, Doc: "How it is noticed that a record is gone."},
			{Name: "late", Kind: grammar.Text, Doc: "What is noticed late, and after how long."}}},
		{Name: "lake", Kind: grammar.Map, Later: true, Doc: "Partitions the table's Parquet by month."},
	}}
}

func readSpec() grammar.Spec {
	scalar := &grammar.Spec{Name: "NAME", Kind: grammar.Text, Doc: "Its value."}
	return grammar.Spec{Name: "read", Kind: grammar.Map, Required: true, Doc: "How the stream is asked for.", Keys: []grammar.Spec{
		{Name: "endpoint", Kind: grammar.Text, Required: true, Form: request, Check: checkEndpoint, Hint: "e.g. GET /help_center/help_centers",
			Doc: "Method and path, below the base address. `{id}` is filled by `over`."},
		{Name: "query", Kind: grammar.Free, Item: scalar, Doc: "Query parameters sent with every request."},
		{Name: "records", Kind: grammar.OneOrAll, Item: &grammar.Spec{Kind: grammar.Text}, Required: true,
			Doc: "Key of the answer that holds the list; of several, exactly one is there. `itself`: the answer is the record."},
		{Name: "page", Kind: grammar.Map, Required: true, Doc: "How one list is walked. A URL in `pages.next` is read by all.", Keys: []grammar.Spec{
			{Name: "by", Kind: grammar.Enum, Required: true, Doc: "What names the next page.", Values: []grammar.Choice{
				{Name: "none", Doc: "one answer is all."},
				{Name: "number", Doc: "`page`, counted from 1."},
				{Name: "cursor", Doc: "`starting_after`, from the answer."}}},
			{Name: "in", Kind: grammar.Enum, Doc: "Where it is sent.", Values: []grammar.Choice{{Name: "query"}, {Name: "body"}}},
			{Name: "size", Kind: grammar.Int, Min: 1, Max: 10_000, Doc: "Records asked for at once; halved by itself when a page keeps failing."},
			{Name: "most", Kind: grammar.Int, Min: 1, Max: 10_000_000, Doc: "Records that the list stops at, where it does. When it has more, absence from it means nothing, and the audit says so once: `list_capped`."},
		}},
		{Name: "since", Kind: grammar.Map, Required: true, Doc: "How far a stream is read, and what is remembered.", Keys: []grammar.Spec{
			{Name: "by", Kind: grammar.Enum, Required: true, Doc: "The way of reading on.", Values: []grammar.Choice{
				{Name: "full", Doc: "everything, each time."},
				{Name: "search", Doc: "what changed since the mark, by a search on `field`."},
				{Name: "bookmark", Doc: "a feed, from the last cursor on."},
				{Name: "between", Doc: "what lies between two times, sent as `<field>_after` and `<field>_before`; a span that one answer does not hold is split."},
				{Name: "export", Doc: "datasets that the source exports as files. The endpoint lists them; each is a stream and a table of its own, `<stream>_<dataset>`, with the columns that its files have."}}},
			{Name: "field", Kind: grammar.Text, Form: dotted, Doc: "search: the timestamp field that is searched and sorted by. between: the one that the parameters are named after."},
			{Name: "lag", Kind: grammar.Duration, Default: "15m", Doc: "search, between: how long the source may take to find a changed record."},
			{Name: "overlap", Kind: grammar.Duration, Default: "48h", Doc: "search, between: how far behind the mark each reading begins."},
		}},
		{Name: "over", Kind: grammar.Map, Doc: "One walk for each row of something else, or for each of some values, the path has `{id}` or the query a parameter `as`; or one request for several rows.", Keys: []grammar.Spec{
			{Name: "view", Kind: grammar.Text, Form: sqlFile, Hint: "a file name beside the stream file, e.g. contacts_to_read.sql",
				Doc: "SQL file; the first column of its rows is the id. `{schema}` stands for the workspace's schema."},
			{Name: "after", Kind: grammar.List, Item: &grammar.Spec{Kind: grammar.Text, Form: name}, Doc: "Streams that are read before it in the same run."},
			{Name: "stream", Kind: grammar.OneOrAll, Item: &grammar.Spec{Kind: grammar.Text, Form: name},
				Doc: "One walk for each row of another stream, or of several, perhaps itself: first for each that is stored, then for each that comes or changes. Their ids wait in `_sync.pending`, filled in the commit of the row, emptied in that of the walk. An id answered 404 has no rows."},
			{Name: "where", Kind: grammar.Text, Form: inTable, Check: columnName, Doc: "stream: column of its table with the id."},
			{Name: "refresh", Kind: grammar.Map, Doc: "stream: what comes without a change of the row is found by walking again.", Keys: refreshKeys("Rows that changed within this time, by their stream's `newest`, are walked again, ")},
			{Name: "batch", Kind: grammar.Text, Form: sqlFile, Hint: "a file name beside the stream file, e.g. calls_to_transcribe.sql",
				Doc: "SQL file as for `view`, for one request for several ids. A second column is the key of the record that is expected for the id; without it the id is the key. With `absent: gone` expected records that do not come are marked gone."},
			{Name: "as", Kind: grammar.Text, Form: name, Doc: "What an id or value is sent in: of a batch the name of the list in the body, else that of a query parameter, where the path has no `{id}`."},
			{Name: "size", Kind: grammar.Int, Min: 1, Max: 1000, Doc: "batch: ids of one request."},
			{Name: "values", Kind: grammar.List, Some: true, Item: &grammar.Spec{Kind: grammar.Text, Form: value},
				Doc: "One walk for each literal value. Together they are the whole list, for `absent: gone` too."},
			{Name: "optional", Kind: grammar.List, Item: &grammar.Spec{Kind: grammar.Text, Form: value},
				Doc: "Those of the values that the source may not know. Where it refuses one, the others are read, and rows stay whose column named by `as` has it."},
		}},
		{Name: "below", Kind: grammar.Map, Doc: "Records of the list may hold others, which the same list has when it is asked with a record's key. These are walked too, as deep as they go; together they are the whole list, for `absent: gone` too.", Keys: []grammar.Spec{
			{Name: "as", Kind: grammar.Text, Required: true, Form: name, Hint: "e.g. parent_folder_id", Doc: "Query parameter that the key is sent in."},
			{Name: "unless", Kind: grammar.Text, Form: dotted, Doc: "Path of a field, e.g. of the record around one: where some record of the list itself has it, the list has all, and nothing is walked below."},
		}},
		detailSpec(scalar),
	}}
}

func detailSpec(scalar *grammar.Spec) grammar.Spec {
	return grammar.Spec{Name: "detail", Kind: grammar.Map, Doc: "Each record of a page is replaced by its own reading, which has what the list leaves out. Of a list that is read in full every record is, each time.", Keys: []grammar.Spec{
		{Name: "endpoint", Kind: grammar.Text, Required: true, Form: request, Check: checkEndpoint, Hint: "e.g. GET /conversations/{id}", Doc: "Path of one record; `{id}` is the record's key."},
		{Name: "query", Kind: grammar.Free, Item: scalar, Doc: "Query parameters sent with it."},
		{Name: "unless_same", Kind: grammar.List, Item: &grammar.Spec{Kind: grammar.Text, Form: dotted},
			Doc: "search: paths of fields that the list has too. Where all are as stored, the record is not read again."},
		{Name: "refresh", Kind: grammar.Map, Doc: "search: what changes without moving these fields is found by reading again.", Keys: refreshKeys("Records that changed within this time are read again, ")},
	}}
}

func refreshKeys(within string) []grammar.Spec {
	return []grammar.Spec{
		{Name: "for", Kind: grammar.Duration, Required: true, Doc: within},
		{Name: "every", Kind: grammar.Duration, Required: true, Doc: "this often."},
	}
}

func columnSpec() *grammar.Spec {
	flag := func(name, doc string) grammar.Spec {
		return grammar.Spec{Name: name, Kind: grammar.Bool, Default: "false", Doc: doc}
	}
	return &grammar.Spec{Kind: grammar.Map, Keys: []grammar.Spec{
		{Name: "name", Kind: grammar.Text, Required: true, Form: inTable, Check: columnName, Doc: "Name of the column."},
		{Name: "from", Kind: grammar.OneOrAll, Item: &grammar.Spec{Kind: grammar.Text, Check: checkSource, Hint: "a path like location.country, or $read_at, $over, $erased, $position, $parent.id"},
			Some: true, Doc: "Where the value is: a path in the record (default: the name), or several: the first that has a value fills the column, and what another has besides stays in `_extra`. Or one of these: `$read_at` the server's time of the answer, `$over` the id or value that was asked for, `$erased` whether the row lost what a forgotten person wrote; in a child `$parent.<column>`, `$position`, the place in the list, `$key`, the key of an entry, and `$item`, an item that is a text or a number itself."},
		{Name: "type", Kind: grammar.Enum, Required: true, Doc: "Type of the column.", Values: []grammar.Choice{
			{Name: string(Text), Doc: "any scalar, as text."}, {Name: string(Int), Doc: "64 bits."}, {Name: string(Double)}, {Name: string(Bool)},
			{Name: string(Timestamp), Doc: "unix seconds or ISO-8601."}, {Name: string(Date)}, {Name: string(JSON), Doc: "a free-form object or list, as sent; a scalar in it may have a column of its own as well."}}},
		{Name: "as", Kind: grammar.Enum, Doc: "What is made of a text.", Values: []grammar.Choice{
			{Name: "plain_text", Doc: "HTML made readable."},
			{Name: "url", Doc: "an address of a page: of its query the parameters that sign it are cut off, the others stay."},
			{Name: "signed_url", Doc: "an address of a file: as url, and what only looks like a token, or like when it ends, is cut off as well."}}},
		{Name: "doc", Kind: grammar.Text, Doc: "What it means; becomes the comment of the column."},
		flag("required", "A record without it is rejected whole. Columns of the key always are."),
		{Name: "default", Kind: grammar.Text, Doc: "Of int and text: the value of a record that has none, so that it may be part of a key."},
		flag("pii", "Personal data."),
		flag("person", "Holds a contact's id: erasure finds a person's rows by it."),
		{Name: "whose", Kind: grammar.OneOrAll, Item: &grammar.Spec{Kind: grammar.Text, Form: inTable, Check: columnName},
			Doc: "Personal data: what tells whom it is about. A column of the row, or of the record, that holds a contact's id or references another record; `record`: everybody whom the record or its children name. Left out: the contacts' ids of the row, else of what the list lies in."},
		flag("stays", "With `erase: all`: is kept."),
		flag("redactable", "The source may take it out: once it comes as null, what was stored of it is erased from all files."),
		{Name: "redacted_by", Kind: grammar.Text, Form: inTable, Check: columnName, Doc: "Of a redactable column: the column that is true once it was taken out for good; no older copy brings it back then."},
		flag("volatile", "Moves without being a change of the record."),
		{Name: "attributes", Kind: grammar.Text, Form: name, Hint: "e.g. contact",
			Doc: "Of json: its keys are attributes that people define. The view `<stream>_attributes` has a typed column for each that was seen. The value is what `data_attributes.model` calls the records."},
		{Name: "references", Kind: grammar.Text, Form: ofColumn, Hint: "table.column, e.g. admins.id", Doc: "Column it points to."},
	}}
}

func childSpec() *grammar.Spec {
	nested := itemSpec("Path of the list in the item.",
		"Columns that name a row: first one for each column of the key that the item's own row has, in its order, which need not be declared; then the child's own.")
	return &grammar.Spec{Kind: grammar.Map, Keys: append(
		itemSpec("Path of the list in the record.",
			"Columns that name a row: first one for each column of the parent's key, in its order, which need not be declared; then the child's own."),
		grammar.Spec{Name: "complete", Kind: grammar.Bool, Default: "true", Doc: "The list is whole: stored rows that are absent from it go."},
		grammar.Spec{Name: "count", Kind: grammar.Text, Form: dotted, Doc: "Path of the number of items the source has."},
		grammar.Spec{Name: "rest", Kind: grammar.Text, Form: dotted, Doc: "Path of the URL where a capped list is read on."},
		grammar.Spec{Name: "each", Kind: grammar.Enum, Default: "items", Doc: "What a row is made of.",
			Values: []grammar.Choice{{Name: "items", Doc: "the items of a list."}, {Name: "entries", Doc: "the entries of an object whose keys are data, as locales are; the key is `$key`. What is null is no entry."}}},
		grammar.Spec{Name: "children", Kind: grammar.List, Item: &grammar.Spec{Kind: grammar.Map, Keys: nested},
			Doc: "Lists inside the items. The rows that came with an item are all that it has."},
	)}
}

// itemSpec are the keys of every table that is made of a list.
func itemSpec(from, key string) []grammar.Spec {
	return []grammar.Spec{
		{Name: "table", Kind: grammar.Text, Required: true, Form: name, Doc: "Name of the table, before the suffix."},
		{Name: "doc", Kind: grammar.Text, Doc: "What one row is."},
		{Name: "from", Kind: grammar.OneOrAll, Item: &grammar.Spec{Kind: grammar.Text, Form: dotted}, Some: true, Required: true, Doc: from + " Of several paths the first whose list has items fills the table."},
		{Name: "key", Kind: grammar.List, Required: true, Item: &grammar.Spec{Kind: grammar.Text, Form: inTable, Check: columnName}, Doc: key},
		eraseSpec(),
		{Name: "columns", Kind: grammar.List, Required: true, Item: columnSpec(), See: "columns[]", Doc: "Columns of the table."},
	}
}

func eraseSpec() grammar.Spec {
	return grammar.Spec{Name: "erase", Kind: grammar.Enum, Doc: "What becomes of the rows of a person who is forgotten; left out: their personal data and `_extra` become null.",
		Values: []grammar.Choice{{Name: "all", Doc: "every column but the key and those that say `stays`."}, {Name: "rows", Doc: "the rows go."}}}
}

// Forms of what a file writes.
var (
	name     = grammar.NewForm(`^[a-z][a-z0-9_]{0,62}$`, "a name is lower-case letters, digits and _, beginning with a letter: %q is not")
	suffix   = grammar.NewForm(`^_[a-z][a-z0-9_]{0,20}$`, "a suffix is _ and lower-case letters, digits and _: %q is not")
	sqlFile  = grammar.NewForm(`^[a-z][a-z0-9_]*\.sql$`, "%q is not the name of an SQL file")
	dotted   = grammar.NewForm(`^[^.$\s][^.\s]*(\.[^.\s]+)*$`, "%q is not a path of keys with dots between")
	request  = grammar.NewForm(`^(GET|POST) (/([A-Za-z0-9_.-]+|\{id\}))+$`, "expected a method and a path, found %q")
	value    = grammar.NewForm(`^[A-Za-z0-9_-]{1,128}$`, "a value is letters, digits, _ and -, as the API's are: %q is not")
	inTable  = grammar.NewForm(`^_?[a-z][a-z0-9_]{0,62}$`, "a column's name is lower-case letters, digits and _: %q is not")
	ofColumn = grammar.NewForm(`^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$`, "%q names no column of a table")
)

// columnName refuses what every table has.
func columnName(text string) error {
	for _, taken := range []string{"_row", "_extra", "_api_version", "_hash", "_gone_at", "_synced_at", "_run_id"} {
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
	return fmt.Errorf("no such source: %q", text)
}

// checkEndpoint refuses what would never be sent: this program only reads.
func checkEndpoint(text string) error {
	if err := request.Check(text); err != nil {
		return err
	}
	if strings.HasPrefix(text, "POST ") && !strings.HasSuffix(text, "/search") && !strings.HasSuffix(text, "/list") {
		return errors.New("of POST only /…/search and /…/list are ever sent: this program changes nothing at the source")
	}
	if strings.Count(text, "{id}") > 1 {
		return errors.New("one {id} is filled, no more")
	}
	return nil
}

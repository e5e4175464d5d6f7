package emulator_test

import (
	"strings"
	"testing"

	"aqueduck/internal/emulator"
)

// tableHTML returns a table with that many rows and columns.
func tableHTML(rows, columns int) string {
	return "<table><tbody>" + strings.Repeat("<tr>"+strings.Repeat("<td>x</td>", columns)+"</tr>", rows) + "</tbody></table>"
}

// Section 8, limit by limit, at the limit and one beyond it: for comments and notes, on conversations and tickets.
func TestContract8TablesOfRepliesHaveLimits(t *testing.T) {
	t.Parallel()
	c, ticket := stillTicket(t, "1200")
	talk := c.w.ConversationIDs()[0]
	for _, row := range []struct {
		name, body, refused string // what the message names; "": accepted
	}{
		{"no table", "<p>a</p>", ""},
		{"200 rows", tableHTML(200, 1), ""},
		{"201 rows", tableHTML(201, 1), "at most 200 table rows per table"},
		{"201 rows in the second table, some in its head", tableHTML(1, 1) + "<table><thead><tr><th>h</th></tr></thead>" + tableHTML(200, 1)[len("<table>"):], "at most 200 table rows per table"},
		{"200 rows in each of two tables", tableHTML(200, 1) + tableHTML(200, 1), ""},
		{"50 columns", tableHTML(1, 50), ""},
		{"51 columns", tableHTML(1, 51), "at most 50 table columns per table"},
		{"51 columns in one row", "<table>" + tableHTML(2, 3)[len("<table>"):len(tableHTML(2, 3))-len("</tbody></table>")] + "<tr>" + strings.Repeat("<td>", 51) + "</table>", "at most 50 table columns per table"},
		{"51 columns by a cell that is wide", "<table><tr><td colspan=50>a<td>b</table>", "at most 50 table columns per table"},
		{"columns beyond all counting", "<table><tr><td colspan=9223372036854775807>a<td colspan=9223372036854775807>b</table>", "at most 50 table columns per table"},
		{"20 tables", strings.Repeat(tableHTML(1, 1), 20), ""},
		{"21 tables", strings.Repeat(tableHTML(1, 1), 21), "at most 20 tables per message"},
		{"10,000 cells", tableHTML(200, 50), ""},
		{"10,001 cells", tableHTML(200, 50) + tableHTML(1, 1), "at most 10,000 cells per message"},
		{"a table in a table", "<table><tr><td>" + tableHTML(1, 1) + "</td></tr></table>", "no nested tables"},
		{"a table in a table, deeper", "<table><tr><td><div><p>a<ul><li>" + tableHTML(1, 1) + "</td></tr></table>", "no nested tables"},
		{"a table after one that is not closed", "<table><tr><td>a</table>" + tableHTML(1, 1), ""},
		{"tables that are only spoken of", "<p>&lt;table&gt;</p><!-- " + strings.Repeat("<table>", 30) + " --><p title='<table>'>b</p>", ""},
		{"nothing that can be read", "<table>" + strings.Repeat("<div>", 600), "cannot be read as HTML"},
	} {
		for _, path := range []string{"/conversations/" + talk, "/tickets/" + ticket} {
			for _, kind := range []string{"comment", "note"} {
				before := len(c.w.PartIDs(talk)) + len(c.w.TicketPartIDs(ticket))
				r := c.do("POST", path+"/reply", m{"message_type": kind, "body": row.body})
				added := len(c.w.PartIDs(talk)) + len(c.w.TicketPartIDs(ticket)) - before
				switch {
				case row.refused == "" && (r.status != 200 || added != 1):
					t.Errorf("%s: a %s to %s: %d %.300s", row.name, kind, path, r.status, r.raw)
				case row.refused != "" && (r.status != 400 || added != 0 || r.errorCode() != "parameter_invalid" || !strings.Contains(string(r.raw), row.refused)):
					t.Errorf("%s: a %s to %s: %d %.300s, %d added", row.name, kind, path, r.status, r.raw, added)
				}
			}
		}
	}
}

// Sections 8, 9: where tables are stored and where they become text, whatever their size.
func TestContract8TablesAreKeptOrFlattened(t *testing.T) {
	t.Parallel()
	const sent, kept, flat = `<P>Prices <b>now<TABLE><caption>In €</caption><tr><th>Size<th>Price<tr><td>S &amp; M<td><i>5</i> net</TABLE>so`,
		`<p>Prices <b>now</b></p><table><caption>In €</caption><tbody><tr><th>Size</th><th>Price</th></tr><tr><td>S &amp; M</td><td><i>5</i> net</td></tr></tbody></table><b>so</b>`,
		`<p>Prices <b>now</b></p><p>In €<br/>Size Price<br/>S &amp; M 5 net</p><b>so</b>`
	c, id := newStillClient(t, emulator.Knobs{})
	say := func(body string) any {
		return lastPart(partsOf(c.doOK("POST", "/conversations/"+id+"/reply", m{"message_type": "note", "body": body})))["body"]
	}
	for _, row := range []struct {
		name, version string
		flat          bool
		body, want    string
	}{
		{"the later version", "2.17", false, sent, kept},
		{"the later version, where it is not enabled", "2.17", true, sent, flat},
		{"2.16", "2.16", false, sent, flat},
		{"what was kept, sent back", "2.17", false, kept, kept},
		{"no table: as it was sent", "2.17", false, "<P>a<p>b &amp; c<br>", "<P>a<p>b &amp; c<br>"},
		{"no table in 2.16", "2.16", false, "<P>a<tablet>b", "<P>a<tablet>b"},
		{"a table in a table in 2.16", "2.16", false, "<table><tr><td>a" + tableHTML(2, 2) + "<td>b</table>", "<p>a x x<br/>x x b</p>"},
		{"a table of nothing in 2.16", "2.16", false, "a<table></table>b", "a<p></p>b"},
	} {
		c.w.SetKnobs(func(k *emulator.Knobs) { k.FlatTables = row.flat })
		c.version = row.version
		if got := say(row.body); got != row.want {
			t.Errorf("%s:\n%v, want\n%v", row.name, got, row.want)
		}
	}
	c.version = "2.16"
	if got := say(tableHTML(201, 1)).(string); strings.Count(got, "x") != 201 || strings.Contains(got, "<t") {
		t.Errorf("beyond the limits, but flat: %.200s", got)
	}
	c.version = "2.17"
	for i, part := range partsOf(c.fetchConversation(id)) { // earlier parts are unchanged
		if i == 3 && part["body"] != kept {
			t.Errorf("a part from before is now %v", part["body"])
		}
	}
	c.sameConversations(t)
}

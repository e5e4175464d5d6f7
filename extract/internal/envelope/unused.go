package envelope

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-faster/jx"

	"aqueduck/extract/internal/scan"
)

// Unused is what an answer says about the rest of its list in words that paging does not read. Fields of records do not count.
type Unused struct {
	Next  string // the key that names a next page, or states that there is one; "": none
	Count int64  // the highest count of the list
	Named string // the key of Count; "": the answer has none
	flag  string // the key of a flag that is false: there is no next page
	pages string // the key of a number of pages above 1
	place string // the key of a cursor. Without a flag that is false it means that there is more
}

// Words of other ways to page, without signs and in lower case.
var (
	nextWords = []string{"next", "nextpage", "nexturl", "nexturi", "nextlink", "nexthref", "nextpath", "nextcursor", "nexttoken", "nextpagetoken", "nextpageurl",
		"nextpageuri", "nextpagelink", "nextpagecursor", "nextoffset", "nextid", "nextkey", "nextmarker", "nextstartingafter", "nextrecordsurl", "nextpagestart", "nextpagenumber", "nextstart",
		"nextskip", "nextfrom", "nextresults"}
	// lastWords are flags that are false where there is a next page.
	lastWords = []string{"last", "lastpage", "islast", "islastpage"}
	moreWords = []string{"hasmore", "hasnext", "hasnextpage", "hasmorepages", "hasmoreitems", "hasmoreresults", "more", "moreavailable", "morerecords", "moreitems",
		"moreresults", "istruncated", "truncated", "incompleteresults"}
	cursorWords = []string{"cursor", "endcursor", "aftercursor", "pagetoken", "scrollparam", "scrollid", "scrolltoken", "continuation", "continuationtoken",
		"continuationkey", "bookmark"}
	// placeWords may also repeat the place that was asked for, as a number.
	placeWords = []string{"offset", "after", "startingafter", "marker"}
	countWords = []string{"count", "total", "totalcount", "totalrecords", "totalrecordcount", "totalresults", "totalresultcount", "totalitems", "totalitemcount",
		"totalelements", "totalentries", "totalrows", "totalsize", "totalhits", "found", "numfound", "nbhits", "recordcount", "resultcount", "itemcount"}
	pagesWords = []string{"totalpages", "totalpagecount", "pagecount", "pagestotal", "numpages", "nbpages", "lastpage"}
	// pageObjects hold such members. Other objects beside the list are data.
	pageObjects = []string{"meta", "metadata", "pagination", "paging", "pageinfo", "pager", "page", "pages", "links", "cursors", "cursor", "responsemetadata",
		"resultinfo", "resultset", "searchmetadata", "navigation"}
)

// maxUnusedDepth is how deep objects such as `meta: {pagination: {…}}` are searched.
const maxUnusedDepth = 3

// noteUnused notes what a member beside the list says about the rest of the list.
func (u *Unused) noteUnused(path string, raw []byte, depth int) {
	word := plainWord(path[strings.LastIndexByte(path, '.')+1:])
	kind := jx.DecodeBytes(raw).Next()
	switch {
	case kind == jx.Array && (word == "links" || word == "link"):
		u.noteLinks(path, raw)
	case kind == jx.Null || kind == jx.Array:
	case slices.Contains(nextWords, word):
		u.noteNext(path, raw, kind)
	case kind == jx.Object && depth < maxUnusedDepth && slices.Contains(pageObjects, word):
		keys, values := scan.Members(raw)
		for i, key := range keys {
			u.noteUnused(path+"."+key, values[i], depth+1)
		}
	case slices.Contains(moreWords, word):
		u.noteFlag(path, kind, string(raw) == "true")
	case slices.Contains(lastWords, word) && kind == jx.Bool:
		u.noteFlag(path, kind, string(raw) == "false")
	case slices.Contains(cursorWords, word) && isPlace(raw, kind), slices.Contains(placeWords, word) && isPlace(raw, kind) && scan.Count(raw) < 0:
		u.place = path
	case slices.Contains(countWords, word) && scan.Count(raw) > u.Count:
		u.Count, u.Named = scan.Count(raw), path
	case slices.Contains(pagesWords, word) && scan.Count(raw) > 1:
		u.pages = path
	}
}

// noteNext notes a next page: an address, a cursor or a number, or an object with one of them.
func (u *Unused) noteNext(path string, raw []byte, kind jx.Type) {
	switch {
	case kind == jx.Bool:
		u.noteFlag(path, kind, string(raw) == "true")
	case isPlace(raw, kind):
		u.Next = path
	case kind == jx.Object:
		_, values := scan.Members(raw)
		for _, value := range values {
			if isPlace(value, jx.DecodeBytes(value).Next()) {
				u.Next = path
			}
		}
	}
}

// noteLinks notes a next page in a list of links: `links: [{rel: next, href: …}]`.
func (u *Unused) noteLinks(path string, raw []byte) {
	_ = jx.DecodeBytes(raw).Arr(func(d *jx.Decoder) error { // the answer was checked to be JSON
		link, err := d.Raw()
		if err != nil || jx.DecodeBytes(link).Next() != jx.Object {
			return err
		}
		for _, name := range []string{"rel", "relation"} {
			if rel, _ := scan.Text(scan.Field(link, name)); rel == "next" {
				u.Next = path
			}
		}
		return nil
	})
}

// isPlace reports whether a value can name a page: a text, or a number above zero.
func isPlace(raw []byte, kind jx.Type) bool {
	text, isText := scan.Text(raw)
	return isText && text != "" || kind == jx.Number && scan.Count(raw) > 0
}

// noteFlag notes a flag that says whether there is a next page.
func (u *Unused) noteFlag(path string, kind jx.Type, more bool) {
	switch {
	case kind != jx.Bool:
	case more:
		u.Next = path
	default:
		u.flag = path
	}
}

// notePages notes the members of `pages` that paging does not read.
func (u *Unused) notePages(raw []byte) {
	if jx.DecodeBytes(raw).Next() != jx.Object {
		return
	}
	keys, values := scan.Members(raw)
	for i, key := range keys {
		if key != "next" && key != "total_pages" {
			u.noteUnused("pages."+key, values[i], 1)
		}
	}
}

// noteLink notes a header `Link` that names a next page (RFC 8288).
func (u *Unused) noteLink(values []string) {
	for _, value := range values {
		for link := range strings.SplitSeq(value, ",") {
			for param := range strings.SplitSeq(link, ";") {
				name, rel, _ := strings.Cut(strings.TrimSpace(param), "=")
				if strings.EqualFold(name, "rel") && slices.Contains(strings.Fields(strings.ToLower(strings.Trim(rel, `" `))), "next") {
					u.Next = `the header Link, rel="next"`
				}
			}
		}
	}
}

// NoteHeaders notes the headers that name a next page, and the highest count in one.
func (u *Unused) NoteHeaders(head http.Header) {
	u.noteLink(head.Values("Link"))
	for _, name := range []string{"X-Next-Page", "X-Next-Cursor"} {
		if value := strings.TrimSpace(head.Get(name)); value != "" && value != "0" {
			u.Next = "the header " + name
		}
	}
	for _, name := range []string{"X-Total", "X-Total-Count"} {
		if n, err := strconv.ParseInt(strings.TrimSpace(head.Get(name)), 10, 64); err == nil && n > u.Count {
			u.Count, u.Named = n, "the header "+name
		}
	}
}

// Explain says what shows that a list has more than the given records of one answer; "" when nothing does.
func (u *Unused) Explain(given int64) string {
	switch {
	case u.Next != "":
		return u.ExplainNext()
	case u.place != "" && u.flag == "":
		return fmt.Sprintf("the answer has a cursor (%s)", u.place)
	case u.pages != "":
		return fmt.Sprintf("the answer is one of several pages (%s)", u.pages)
	case u.Named != "" && u.Count > given:
		return fmt.Sprintf("the answer has %d of %d records (%s)", given, u.Count, u.Named)
	}
	return ""
}

// ExplainNext says what names a next page; "" when nothing does.
func (u *Unused) ExplainNext() string {
	if u.Next == "" {
		return ""
	}
	return fmt.Sprintf("the answer names a next page (%s)", u.Next)
}

// plainWord is a key in lower case, with letters only: next_page, nextPage and @odata.nextLink differ in nothing else.
func plainWord(key string) string {
	return strings.Map(func(r rune) rune {
		if r < 'a' || r > 'z' {
			return -1
		}
		return r
	}, strings.ToLower(key))
}

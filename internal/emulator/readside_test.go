package emulator_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
)

// workspace-api 4.11: folder_id searches the folders inside it too, in the later version.
func TestInternalArticlesAreFoundByPhraseAndFolder(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	parents := map[any]any{}
	folders, _ := c.walkList("/folders")
	for _, f := range folders {
		parents[f["id"]] = f["parent_folder_id"]
	}
	within := func(folder, top any, deep bool) bool {
		for ; deep && folder != nil && folder != top; folder = parents[folder] {
		}
		return folder == top
	}
	articles, _ := c.walkList("/internal_articles?per_page=250")
	deepest := 0
	for top := range parents {
		for _, version := range []string{"2.17", "2.16"} {
			var want []any
			for _, a := range articles {
				if within(a["folder_id"], top, version == "2.17") {
					want = append(want, a["id"])
				}
			}
			c.version = version
			found, _ := c.walkList("/internal_articles/search?per_page=7&folder_id=" + top.(string))
			if got := idsOf(found); !slices.Equal(got, want) {
				t.Errorf("%s: folder %v has %v, want %v", version, top, got, want)
			}
			if version == "2.17" {
				deepest = max(deepest, len(found))
			}
		}
	}
	if parents[parents["737"]] == nil || deepest < 10 {
		t.Error("no folder lies two deep")
	}
	c.version = "2.17"
	i := slices.IndexFunc(articles, func(a map[string]any) bool { return strings.HasPrefix(a["title"].(string), "How to") })
	some := articles[i]["title"].(string)
	for phrase, want := range map[string]int{strings.ToUpper(some): 1, "": len(articles), "no such words": 0} {
		if found, _ := c.walkList("/internal_articles/search?phrase=" + url.QueryEscape(phrase)); len(found) != want {
			t.Errorf("%q: %d articles, want %d", phrase, len(found), want)
		}
	}
	if r := c.do("GET", "/internal_articles/search?folder_id=1", nil); r.status != 404 || r.errorCode() != "not_found" {
		t.Errorf("7: a folder that is not there: %d", r.status)
	}
}

func idsOf(list []map[string]any) (ids []any) {
	for _, one := range list {
		ids = append(ids, one["id"])
	}
	return ids
}

// workspace-api 2.6, 9: news items by the newsfeeds that they are assigned to.
func TestTheItemsOfANewsfeedAreThoseAssignedToIt(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	c.w.SimulateHours(4)
	items, _ := c.walkList("/news/news_items")
	feeds, _ := c.walkList("/news/newsfeeds")
	sum := 0
	for _, feed := range feeds {
		var want []any
		for _, item := range items {
			for _, a := range itemsAt(item, "newsfeed_assignments") {
				if fmt.Sprint(a["newsfeed_id"]) == feed["id"] {
					want = append(want, item["id"])
				}
			}
		}
		got, _ := c.walkList("/news/newsfeeds/" + feed["id"].(string) + "/items")
		if !slices.Equal(idsOf(got), want) {
			t.Errorf("feed %v has %v, want %v", feed["id"], idsOf(got), want)
		}
		sum += len(got)
	}
	if sum != len(items) {
		t.Errorf("%d of %d items are in a feed", sum, len(items))
	}
	if r := c.do("GET", "/news/newsfeeds/1/items", nil); r.status != 404 || r.errorCode() != "not_found" {
		t.Errorf("7: a feed that is not there: %d", r.status)
	}
}

// workspace-api 4.11, 9 (version 2.14): the bodies of parts change, and the oracle does not.
func TestT68TranslationsRewriteTheBodiesOfParts(t *testing.T) {
	t.Parallel()
	c, id := newStillClient(t, emulator.Knobs{})
	failOn(t, c.w.ReplyConversation(id, conversations.ByContact, "<p>über</p>"))
	last := func(version, query string) any {
		c.version = version
		list := partsOf(c.do("GET", "/conversations/"+id+query, nil).json)
		return list[len(list)-1]["body"]
	}
	truth := func() (body any) {
		for _, row := range c.w.Oracle("conversation_parts") {
			if row["conversation_id"] == id {
				body = row["body"]
			}
		}
		return body
	}
	for _, test := range []struct {
		version, query string
		translated     bool
	}{{"2.17", "", false}, {"2.17", "?include_translations=true", true}, {"2.14", "?include_translations=true", true},
		{"2.14", "?include_translations=false", false}, {"2.13", "?include_translations=true", false}} {
		if got := last(test.version, test.query); (got != "<p>über</p>") != test.translated {
			t.Errorf("%s%s: %v", test.version, test.query, got)
		}
	}
	if truth() != "<p>über</p>" {
		t.Errorf("the oracle tells %v", truth())
	}
}

// workspace-api 4.1: the document does not show the effect of include_merge_history. The parameter is accepted, and a knob adds fields.
func TestT23IncludeMergeHistoryMayAddFields(t *testing.T) {
	t.Parallel()
	for _, knob := range []bool{false, true} {
		c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{NoLag: true, MergeHistory: knob}})
		lead, user := c.createContact("lead"), c.createContact("user")
		failOn(t, c.w.MergeContacts(lead, user))
		for query, want := range map[string]bool{"": false, "?include_merge_history=false": false, "?include_merge_history=true": knob} {
			r := c.do("POST", "/contacts/search"+query, m{"query": fieldFilter("id", "=", user)})
			if r.status != 200 || len(r.dataItems()) != 1 {
				t.Fatalf("%q: %d %s", query, r.status, r.raw)
			}
			history, there := r.dataItems()[0]["merge_history"]
			if there != want || there && itemsAt(m{"h": history}, "h", "merged_contacts")[0]["id"] != lead {
				t.Errorf("%q with the knob %t: %v", query, knob, history)
			}
		}
	}
}

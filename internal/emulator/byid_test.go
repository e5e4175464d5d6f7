package emulator_test

import (
	"fmt"
	"net/url"
	"testing"

	"aqueduck/internal/emulator"
)

// Every record of a list can be read by its id, with the same content except for fields of the single read and signed addresses. Other ids are
// not found.
func TestEveryRecordOfAListIsReadByItsID(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	c.w.SimulateHours(3)
	for _, list := range []string{"/contacts", "/calls", "/articles", "/internal_articles", "/help_center/collections", "/news/newsfeeds", "/news/news_items", "/folders",
		"/dynamic_contents", "/data_connectors"} {
		items := c.do("GET", list, nil).dataItems()
		if len(items) == 0 {
			t.Errorf("%s has nothing", list)
		}
		for _, item := range items {
			r := c.do("GET", list+"/"+url.PathEscape(fmt.Sprint(item["id"])), nil)
			for _, one := range []m{item, r.json} {
				delete(one, "statistics")
				delete(one, "recording_url")
				delete(one, "transcription_url")
			}
			if r.status != 200 || asText(t, r.json) != asText(t, item) {
				t.Errorf("%s/%v: %d\n%s\nin the list\n%s", list, item["id"], r.status, asText(t, r.json), asText(t, item))
			}
		}
		if r := c.do("GET", list+"/1", nil); r.status != 404 || r.errorCode() != "not_found" {
			t.Errorf("%s/1: %d %s", list, r.status, r.raw)
		}
	}
	segments := 0
	for _, firm := range c.listCompanies("&per_page=60") {
		path := "/companies/" + firm["id"].(string)
		if got := c.do("GET", path, nil).json; asText(t, got) != asText(t, firm) {
			t.Errorf("%s is\n%s\nin the list\n%s", path, asText(t, got), asText(t, firm))
		}
		inside := firm["segments"].(m)["segments"].([]any)
		if got := c.do("GET", path+"/segments", nil).listRecords(); fmt.Sprint(got) != fmt.Sprint(inside) {
			t.Errorf("%s/segments are %v, want %v", path, got, inside)
		}
		segments += len(inside)
	}
	if segments == 0 {
		t.Error("no company is in a segment")
	}
}

package emulator_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fieldSurvey is what a reader of the whole workspace sees: how often each field of each kind of record was there.
type fieldSurvey struct {
	*apiClient
	objects map[string]int             // by path: number of objects
	fields  map[string]*fieldSeen      // by path
	names   map[string]map[string]bool // by kind of record: the JSON types under each name of a custom attribute

	derived map[string]map[string]bool // values that follow from several fields

	contacts              []map[string]any
	sizes                 []int // parts of each conversation
	unanswered            int   // conversations without a contact's reply
	bodies, long, foreign int
	parts, redacted       int
	authors               map[string]bool // ids of admins who wrote or did something
	removed               []string        // ids of admins with a deletion in the activity log
}

const week = 7 * 24 * 3600

// fieldSeen is what was seen of one field. Different texts, numbers and booleans are kept up to a limit.
type fieldSeen struct {
	there, null int
	values      map[string]int
}

// mostValues is larger than any enumeration.
const mostValues = 60

func newSurvey(c *apiClient) *fieldSurvey {
	return &fieldSurvey{apiClient: c, objects: map[string]int{}, fields: map[string]*fieldSeen{}, names: map[string]map[string]bool{},
		authors: map[string]bool{}, derived: map[string]map[string]bool{}}
}

// measureConversation measures one conversation.
func (s *fieldSurvey) measureConversation(c m) {
	answered := false
	list := c["conversation_parts"].(m)
	s.sizes = append(s.sizes, toInt(list["total_count"]))
	if source, ok := c["source"].(m); ok {
		s.measureText(source)
	}
	for _, item := range list["conversation_parts"].([]any) {
		p := item.(m)
		s.measureText(p)
		s.countValue("assignment", assignmentOf(p))
		s.parts++
		if p["redacted"] == true {
			s.redacted++
		}
		author := p["author"].(m)
		switch kind := author["type"]; {
		case kind == "admin":
			s.authors[author["id"].(string)] = true
		case kind != "bot" && p["part_type"] == "comment":
			answered = true
		}
	}
	if !answered {
		s.unanswered++
	}
}

// assignmentOf returns the row of the table of workspace-api 2.10 that a part is.
func assignmentOf(p m) string {
	to, _ := p["assigned_to"].(m)
	admin, team := p["admin_assignee_id"], p["team_assignee_id"]
	switch none := json.Number("0"); {
	case to == nil:
		return "none"
	case to["type"] == "bot":
		return "bot"
	case to["type"] == "team":
		return "team"
	case to["type"] == "admin" && team != nil:
		return "team+teammate"
	case to["type"] == "admin":
		return "teammate"
	case team == none:
		return "-team"
	case admin == none:
		return "-teammate"
	}
	return "-all"
}

// countValue counts a value that follows from several fields.
func (s *fieldSurvey) countValue(field, value string) {
	if s.derived[field] == nil {
		s.derived[field] = map[string]bool{}
	}
	s.derived[field][value] = true
}

// measureText measures a text.
func (s *fieldSurvey) measureText(of m) {
	body, _ := of["body"].(string)
	if body == "" {
		return
	}
	s.bodies++
	if len(body) > 20_000 {
		s.long++
	}
	if isForeign(body) {
		s.foreign++
	}
}

// surveyValue counts a record and everything in it.
func (s *fieldSurvey) surveyValue(path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		s.objects[path]++
		for name, value := range v {
			if name == "custom_attributes" {
				s.surveyAttributes(path, value)
				continue
			}
			at := path + "." + name
			f := s.fields[at]
			if f == nil {
				f = &fieldSeen{values: map[string]int{}}
				s.fields[at] = f
			}
			f.there++
			if value == nil {
				f.null++
			}
			s.surveyValue(at, value)
		}
	case []any:
		for _, item := range v {
			s.surveyValue(path+"[]", item)
		}
	case string, json.Number, bool:
		if f := s.fields[path]; f != nil && len(f.values) < mostValues {
			f.values[fmt.Sprint(v)]++
		}
	}
}

func (s *fieldSurvey) surveyAttributes(kind string, value any) {
	list, _ := value.(map[string]any)
	for name, value := range list {
		if s.names[name] == nil {
			s.names[name] = map[string]bool{}
		}
		s.names[name][kind+fmt.Sprintf(" %T", value)] = true
	}
}

// missingCount returns how many of the objects that could have a field had it absent or null.
func (s *fieldSurvey) missingCount(field string) int {
	f := s.fields[field]
	return s.objects[field[:strings.LastIndex(field, ".")]] - f.there + f.null
}

func (s *fieldSurvey) fieldValues(field string) []string {
	if f := s.fields[field]; f != nil {
		return slices.Sorted(maps.Keys(f.values))
	}
	return slices.Sorted(maps.Keys(s.derived[field]))
}

// smallLists are read in one request each, with the key of the list.
var smallLists = []struct{ kind, path, key string }{
	{"admin", "/admins", "admins"}, {"team", "/teams", "teams"}, {"tag", "/tags", "data"}, {"segment", "/segments?include_count=true", "segments"},
	{"subscription", "/subscription_types", "data"}, {"data_attribute", "/data_attributes?include_archived=true", "data"},
	{"ticket_type", "/ticket_types", "data"}, {"ticket_state", "/ticket_states", "data"}, {"away_reason", "/away_status_reasons", "data"},
}

// numberedLists are paged by number.
var numberedLists = []struct {
	kind, path string
	per        int
}{
	{"inactive", "/contacts/deleted", 150}, {"call", "/calls", 25}, {"article", "/articles", 250}, {"collection", "/help_center/collections", 250},
	{"internal_article", "/internal_articles", 250}, {"newsfeed", "/news/newsfeeds", 10}, {"news_item", "/news/news_items", 10}, {"folder", "/folders", 50},
}

// surveyOf reads everything.
func surveyOf(c *apiClient) *fieldSurvey {
	s := newSurvey(c)
	for _, contact := range c.searchAll(updatedSince(1)) {
		s.surveyValue("contact", contact)
		s.contacts = append(s.contacts, contact)
	}
	for _, l := range smallLists {
		for _, item := range c.do("GET", l.path, nil).json[l.key].([]any) {
			s.surveyValue(l.kind, item)
		}
	}
	for _, l := range numberedLists {
		for _, item := range c.walkPages(l.path, l.per) {
			s.surveyValue(l.kind, item)
		}
	}
	for _, e := range c.walkCursors("/contacts/activities") {
		s.surveyValue("activity", e)
	}
	s.surveyConversations()
	s.surveyCompanies()
	s.surveyContent()
	s.surveyLogs()
	s.surveyCallsUnderWay()
	return s
}

// surveyConversations reads every conversation by its id, with its consultations and its calls with transcripts.
func (s *fieldSurvey) surveyConversations() {
	var ids []string
	for page := 1; ; page++ {
		r := s.do("GET", "/conversations/deleted?per_page=60&page="+strconv.Itoa(page), nil)
		s.seeAll("deleted_conversation", r.json["conversations"])
		if r.nextPage() == nil {
			break
		}
	}
	for token := ""; ; {
		r := s.do("GET", "/conversations?per_page=150&starting_after="+token, nil)
		for _, item := range r.json["conversations"].([]any) {
			ids = append(ids, item.(m)["id"].(string))
		}
		if token, _ = r.nextPage()["starting_after"].(string); token == "" {
			break
		}
	}
	for _, id := range ids {
		one := s.do("GET", "/conversations/"+id+"?include_scorecards=true&include_monitors=true", nil).json
		s.surveyValue("conversation", one)
		s.measureConversation(one)
		s.seeAll("consultation", s.do("GET", "/conversations/"+id+"/hitl_events", nil).json["data"])
	}
	for group := range slices.Chunk(ids, 20) {
		s.seeAll("call", s.do("POST", "/calls/search", m{"conversation_ids": group}).json["data"])
	}
}

func (s *fieldSurvey) surveyCompanies() {
	for page := 1; ; page++ {
		r := s.do("POST", "/companies/list?per_page=60&page="+strconv.Itoa(page), nil)
		for _, item := range r.json["data"].([]any) {
			s.surveyValue("company", item)
			path := "/companies/" + item.(m)["id"].(string)
			s.seeAll("company_note", s.do("GET", path+"/notes", nil).json["data"])
		}
		if r.nextPage() == nil {
			return
		}
	}
}

// surveyContent reads the kinds of content.
func (s *fieldSurvey) surveyContent() {
	for _, item := range s.walkPages("/articles", 250) {
		s.surveyValue("article", s.do("GET", "/articles/"+item["id"].(json.Number).String(), nil).json)
	}
	s.seeAll("dynamic_content", s.do("GET", "/dynamic_contents", nil).json["data"])
	for _, item := range s.do("GET", "/data_connectors?per_page=50", nil).dataItems() {
		s.surveyValue("data_connector", item)
		s.seeAll("data_connector_version", s.do("GET", "/data_connectors/"+item["id"].(string)+"/versions?per_page=50", nil).json["data"])
	}
}

// surveyLogs reads the activity log of admins week by week.
func (s *fieldSurvey) surveyLogs() {
	end := s.w.CurrentTime().Unix()
	for at := end - 53*week; at < end; at += week {
		for half := at; half < at+week; half += week / 2 {
			path := fmt.Sprintf("/admins/activity_logs?per_page=250&created_at_after=%d&created_at_before=%d", half, half+week/2-1)
			list := s.do("GET", path, nil).json["activity_logs"].([]any)
			if len(list) == 250 {
				s.t.Fatalf("half a week has %d entries or more", len(list))
			}
			for _, item := range list {
				s.surveyValue("log", item)
				s.authors[item.(m)["performed_by"].(m)["id"].(string)] = true
				if former, ok := item.(m)["metadata"].(m)["deleted_admin"].(m); ok {
					s.removed = append(s.removed, former["id"].(string))
				}
			}
		}
	}
}

func (s *fieldSurvey) seeAll(path string, list any) {
	for _, item := range list.([]any) {
		s.surveyValue(path, item)
	}
}

// surveyCallsUnderWay reads calls while they ring, are answered and have just ended.
func (s *fieldSurvey) surveyCallsUnderWay() {
	for i, conversation := range s.w.ConversationIDs()[:8] {
		id, err := s.w.StartCall(conversation, i%2 == 0)
		for _, next := range []func(string) error{s.w.AnswerCall, s.w.EndCall, nil} {
			if err != nil {
				s.t.Fatal(err)
			}
			s.surveyValue("call", s.do("GET", "/calls/"+id, nil).json)
			s.seeAll("call", s.do("POST", "/calls/search", m{"conversation_ids": []any{conversation}}).json["data"])
			s.w.Advance(time.Minute)
			if next != nil {
				err = next(id)
			}
		}
	}
}

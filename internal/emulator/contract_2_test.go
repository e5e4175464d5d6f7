package emulator_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
)

// Section 2.1, with the nested lists.
var contactShapes = shapeSpecs{
	"contact": `type =contact  id string  workspace_id string  external_id string?  role =user|lead  email string?  email_verified boolean
		phone,name string?  avatar string?  owner_id integer?  social_profiles @social_profiles  unsubscribed_from_emails boolean
		created_at,updated_at time  signed_up_at,last_seen_at,last_replied_at,last_contacted_at,last_email_opened_at,last_email_clicked_at time?
		language_override string?  browser,browser_version,browser_language,os string?  location @location
		android_app_name,android_app_version,android_device,android_os_version,android_sdk_version string?  android_last_seen_at time?
		ios_app_name,ios_app_version,ios_device,ios_os_version,ios_sdk_version string?  ios_last_seen_at time?
		custom_attributes object  tags @tags  notes @notes  companies @companies`,
	"social_profiles": `type =list  data @social_profile[]`,
	"social_profile":  `type =social_profile  name,url string`,
	"location":        `type =location  country,region,city string?`,
	"tags":            `type =list  data @tag[]  url /contacts/*/tags`,
	"tag":             `type =tag  id string  url /tags/{id}`,
	"notes":           `type =list  data @note[]  url /contacts/*/notes`,
	"note":            `type =note  id string  url /notes/{id}`,
	"companies":       `type =list  data @company[]  url /contacts/*/companies`,
	"company":         `type =company  id string  url /companies/{id}`,
}

func TestContract2_1AContactHasEveryField(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 1500})
	v := newShapeCheck(contactShapes)
	contacts := c.searchAll(updatedSince(0))
	for _, contact := range contacts {
		v.checkObject(t, "contact", contact)
		for name := range contact["custom_attributes"].(map[string]any) {
			switch contact["custom_attributes"].(map[string]any)[name].(type) {
			case map[string]any, []any:
				t.Errorf("2.1: the custom attribute %s is neither boolean nor number nor string", name)
			}
		}
		for _, list := range []string{"tags", "notes", "companies"} {
			if got, want := contact[list].(map[string]any)["url"], "/contacts/"+contact["id"].(string)+"/"+list; got != want {
				t.Errorf("2.1: url %v, want %s", got, want)
			}
		}
	}
	v.checkFilled(t, slices.Collect(maps.Keys(contactShapes))...)
	// The same by every way that a contact is read: 4.3, 4.11.
	first := contacts[0]["id"].(string)
	external := contacts[slices.IndexFunc(contacts, func(c map[string]any) bool { return c["external_id"] != nil })]["external_id"].(string)
	firm := c.w.Oracle("contact_companies")[0]["company_id"].(string)
	v = newShapeCheck(contactShapes)
	v.checkObject(t, "contact", c.do("GET", "/contacts/"+first, nil).json)
	v.checkObject(t, "contact", c.do("GET", "/contacts/find_by_external_id/"+external, nil).json)
	for _, path := range []string{"/contacts?per_page=150", "/companies/" + firm + "/contacts"} {
		list := c.do("GET", path, nil).dataItems()
		if len(list) == 0 {
			t.Errorf("%s is empty", path)
		}
		for _, contact := range list {
			v.checkObject(t, "contact", contact)
		}
	}
	v.checkFilled(t)
}

// Sections 2.2 to 2.7, and the fields of 2.10 that are no part of a conversation.
var smallShapes = shapeSpecs{
	"company": `type =company  company_id,id,app_id string  created_at,updated_at time  monthly_spend,session_count,user_count number  tags @company_tags
		segments @company_segments  plan object  custom_attributes object`,
	"company_tags":     `type =tag.list  tags object[]`,
	"company_segments": `type =segment.list  segments @segment[]`,
	"segment":          `type =segment  id,name string  created_at,updated_at time`,
	"subscription":     `type =subscription  id string  state =live|draft|archived  default_translation @translation  translations @translation[]  consent_type =opt_out|opt_in`,
	"translation":      `name string  description string?  locale string`,
	"article": `id integer  type =article  workspace_id,title string  description string?  body string  author_id integer  state =published|draft
		created_at,updated_at time  url string?  parent_id integer?  parent_type =collection?  default_locale string  translated_content object
		~statistics @statistics  folder_id any?`,
	"content": `type =article_content  title string  description string?  body string  author_id integer  state =published|draft  created_at,updated_at time
		url string?`,
	"statistics": `type =article_statistics  views,conversations,reactions integer
		happy_reaction_percentage,neutral_reaction_percentage,sad_reaction_percentage integer`,
	"newsfeed":         `id string  type =newsfeed  name string  created_at,updated_at time`,
	"news_item":        `published_at time  newsfeed_assignments @assignment[]`,
	"assignment":       `newsfeed_id any  published_at time`,
	"internal_article": `folder_id any?  title,body string  owner_id integer?  author_id integer  locale string`,
	"activity":         `id string  activity_type =` + activityTypes + `  activity_description string  metadata object  created_at time  performed_by @performer`,
	"performer":        `type,id,email string  ip string?`,
	"deleted": `id string  role =lead|user  status =archived|blocked|merged|pending_deletion|permanently_deleted  updated_at time  ~merged_into_id string
		external_id,email string?`,
	"call":      `id string  conversation_id,contact_id string`,
	"dynamic":   `content_type =inline|block  default_locale string  variations @variation[]`,
	"variation": `locale string  brand_id string?  body string?  intentionally_empty boolean`,
	"version":   `entity_version_id string  note string?`,
}

const activityTypes = "admin_deletion|admin_invite_change|admin_invite_creation|admin_invite_deletion|admin_login_failure|admin_login_success|admin_logout|" +
	"admin_permission_change|app_name_change|admin_away_mode|app_timezone_change|bulk_export|message_deletion|message_state_change|campaign_deletion|" +
	"admin_conversation_assignment_limit_change|admin_ticket_assignment_limit_change"

func TestContract2EveryRecordHasTheFieldsOfItsTable(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 300})
	connector := c.w.Oracle("data_connectors")[0]["id"].(string)
	attached := c.w.Oracle("contact_companies")[0]["contact_id"].(string)
	v := newShapeCheck(smallShapes)
	for _, list := range []struct{ section, shape, path, key string }{
		{"2.2", "company", "/contacts/" + attached + "/companies", "data"},
		{"2.3", "segment", "/segments", "segments"},
		{"2.3", "segment", "/contacts/" + attached + "/segments", "data"},
		{"2.4", "subscription", "/subscription_types", "data"},
		{"2.5", "article", "/articles?per_page=250", "data"},
		{"2.6", "newsfeed", "/news/newsfeeds", "data"},
		{"2.6, 4.11", "news_item", "/news/news_items", "data"},
		{"2.5, 4.11", "internal_article", "/internal_articles?per_page=250", "data"},
		{"2.7", "activity", "/admins/activity_logs?created_at_after=1&per_page=250", "activity_logs"},
		{"2.10, 3.1", "deleted", "/contacts/deleted?per_page=150", "data"},
		{"4.11", "call", "/calls", "data"},
		{"4.11", "dynamic", "/dynamic_contents", "data"},
		{"4.11", "version", "/data_connectors/" + connector + "/versions", "data"},
	} {
		found := asList(c.do("GET", list.path, nil).json[list.key])
		if len(found) == 0 {
			t.Errorf("%s: %s is empty", list.section, list.path)
		}
		for _, one := range found {
			v.checkObject(t, list.shape, one.(map[string]any))
		}
	}
	for _, firm := range c.listCompanies("&per_page=60") {
		v.checkObject(t, "company", firm)
	}
	for _, row := range c.w.Oracle("articles") {
		one := c.do("GET", fmt.Sprintf("/articles/%v", row["id"]), nil).json
		v.checkObject(t, "article", one)
		locales := one["translated_content"].(map[string]any)
		if locales["type"] != "article_translated_content" || len(locales) < 2 || one["statistics"] == nil {
			t.Errorf("2.5: translated_content %v", locales)
		}
		for locale, content := range locales {
			if locale != "type" {
				v.checkObject(t, "content", content.(map[string]any))
			}
		}
	}
	var judged []string
	for name := range smallShapes {
		if !strings.HasPrefix(name, "version") { // a note is there or not
			judged = append(judged, name)
		}
	}
	v.checkFilled(t, judged...)
}

// Section 2.10: merged_into_id only with the status merged, and no address of a permanently deleted contact. Section 3.1: every status.
func TestContract2_10DeletedContacts(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 600})
	seen := map[any]int{}
	for _, entry := range c.walkPages("/contacts/deleted", 150) {
		status := entry["status"]
		seen[status]++
		if _, has := entry["merged_into_id"]; has != (status == "merged") {
			t.Errorf("2.10: merged_into_id of a contact that is %v: %t", status, has)
		}
		if status == "permanently_deleted" && (entry["email"] != nil || entry["external_id"] != nil) {
			t.Errorf("2.10: %v is gone for ever and has %v", entry["id"], entry["email"])
		}
	}
	for _, status := range strings.Fields("archived blocked merged pending_deletion permanently_deleted") {
		if seen[status] == 0 {
			t.Errorf("3.1: no contact is %s", status)
		}
	}
}

package event

import "strings"

// Span is how many seconds before hour 0 the workspace began.
const Span = 3 * 365 * Day

// Never is a simulated hour that does not come.
const Never = 1 << 40

// tagCount is the number of tags; one contact may have 500.
const tagCount = 600

// SubscriptionCount is the number of subscription types that contacts may join.
const SubscriptionCount = 6

// TagWords are the words that tag names are made of.
var TagWords = []string{
	"vip", "beta", "churn risk", "newsletter", "événement", "öko", "日本", "trial", "paid", "support:gold", "a&b", `"quoted"`,
	"🎯 target", "do not call", "partner", "press", "webinar 2023", "import/7", "legacy", "reviewed",
}

// Segment is a segment of contacts or of companies.
type Segment struct {
	Name          string
	Made, Updated int64 // seconds after the workspace began
}

// segments are the segments of contacts.
var segments = newSegments(40*Day, 20*Day, "All users", "All leads", "Active", "New", "Slipping Away", "Power users", "Europe", "Café owners", "On mobile",
	"Paying", "No e-mail", "Tagged")

// companySegments are the segments of companies.
var companySegments = newSegments(90*Day, 0, "Big spenders", "Never here", "Großkunden")

func newSegments(apart, later int64, names ...string) (list []Segment) {
	for n, name := range names {
		made := int64(n) * apart
		list = append(list, Segment{name, made, made + later})
	}
	return list
}

// plans are the plans of companies; the first one is no plan.
var plans = []string{"", "Basic", "Pro & more", "企業"}

// Team is a team of teammates.
type Team struct {
	ID      int64 // as the API sends it, a number
	Name    string
	Members bool // it has members; otherwise it is empty
	Hour    int  // simulated hour from which the team exists
}

// Has reports whether an admin is a member.
func (t Team) Has(a Admin) bool { return t.Members && (a.InTeams || a.Team == t.ID) }

// teams are all teams, including later ones. Two exist at hour 0, and assignments name only these.
var teams = []Team{{814865, "Support & Söhne", true, 0}, {814866, "売上", true, 0}, {814867, "New \"team\"", false, 2}}

// SubscriptionType is a kind of message that contacts can subscribe to.
type SubscriptionType struct {
	Name, Description, Consent string
	Live                       int  // simulated hour from which it is live; a draft before
	Archived                   bool // no longer in use
}

// subscriptionTypes are the types that contacts may join, a draft, and an archived one.
var subscriptionTypes = []SubscriptionType{
	{"List 1", "Neues & more", "opt_out", 0, false}, {"List 2", "Neues & more", "opt_in", 0, false}, {"List 3", "Neues & more", "opt_out", 0, false},
	{"List 4", "", "opt_in", 0, false}, {"List 5", "Neues & more", "opt_out", 0, false}, {"List 6", "Neues & more", "opt_in", 0, false},
	{"List 7", "Neues & more", "opt_out", 5, false}, {"List 8", "Neues & more", "opt_in", 0, true},
}

// DateAttribute is the custom attribute of contacts that the workspace defines as a date.
const DateAttribute = "renewal_date"

// DataAttribute is an attribute of a kind of record. Standard attributes have no id (api-notes).
type DataAttribute struct {
	ID, Made          int64 // Made: seconds after the workspace began
	Model, Name, Kind string
	Standard          bool
	Hour              int // simulated hour from which it exists
	Archived          int // simulated hour from which it is archived
}

// dataAttributes returns all attributes, including later ones. A standard attribute of kind time has a data type that depends on the version.
func dataAttributes() (list []DataAttribute) {
	for _, group := range []struct{ model, kind, names string }{
		{"contact", "string", "id external_id role name avatar email phone language_override browser browser_language os"},
		{"contact", "integer", "owner_id"},
		{"contact", "boolean", "unsubscribed_from_emails marked_email_as_spam has_hard_bounced"},
		{"contact", "time", "created_at updated_at signed_up_at last_seen_at last_contacted_at last_replied_at last_email_opened_at " +
			"last_email_clicked_at ios_last_seen_at android_last_seen_at"},
		{"company", "string", "id company_id name website industry plan"},
		{"company", "integer", "monthly_spend session_count size user_count"},
		{"company", "time", "created_at updated_at last_request_at"},
		{"conversation", "string", "title state priority"},
		{"conversation", "time", "created_at updated_at waiting_since snoozed_until"},
	} {
		for _, name := range strings.Fields(group.names) {
			list = append(list, DataAttribute{Model: group.model, Name: name, Kind: group.kind, Standard: true, Archived: Never})
		}
	}
	for n, own := range []DataAttribute{{Model: "contact", Name: "plan", Kind: "string"}, {Model: "contact", Name: "score", Kind: "integer"},
		{Model: "contact", Name: "paid", Kind: "boolean"}, {Model: "contact", Name: DateAttribute, Kind: "date"},
		{Model: "contact", Name: "about", Kind: "string"}, {Model: "company", Name: "plan", Kind: "string"},
		{Model: "company", Name: "score", Kind: "float", Archived: 4}, {Model: "conversation", Name: "Escalated", Kind: "boolean"},
		{Model: "conversation", Name: `"Odd" & named`, Kind: "string"}} {
		own.ID, own.Made = 9100000+int64(n), int64(n)*30*Day
		if own.Archived == 0 && own.Name != `"Odd" & named` {
			own.Archived = Never
		}
		list = append(list, own)
	}
	return append(list, DataAttribute{ID: 9100100, Made: Span + 3*3600, Model: "contact", Name: "neu & frisch", Kind: "string", Hour: 3, Archived: Never})
}

// AwayReason is a reason why a teammate is away.
type AwayReason struct {
	Label, Emoji string
	Made         int64 // seconds after the workspace began
	Deleted      int   // simulated hour in which it is deleted; 0: deleted before hour 0
}

// awayReasons are all away reasons, including deleted ones.
var awayReasons = []AwayReason{{"Lunch", "🍽️", 0, Never}, {"Besprechung", "", Day, 3}, {"休憩", "☕", 2 * Day, 0}, {"On a call", "📞", 3 * Day, Never}}

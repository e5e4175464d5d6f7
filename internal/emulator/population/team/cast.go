package team

import (
	"fmt"
	"slices"

	"aqueduck/internal/emulator/event"
)

// The teams by their places in Cast.Teams.
const (
	support = iota
	billing
	onboarding
)

var teams = []event.Team{{ID: 6101, Name: "Support", Members: true}, {ID: 6102, Name: "Billing", Members: true}, {ID: 6103, Name: "Onboarding", Members: true}}

// admins are the current teammates. Their places are what the tables below go by.
var admins = []event.Admin{
	teammate(5123401, "Hannah Weiss", support), teammate(5123402, "Tom Becker", support), teammate(5123403, "Sofia Rossi", support),
	teammate(5123404, "Lucas Martin", support), teammate(5123405, "Emma Clark", support), teammate(5123406, "Jonas Keller", billing),
	teammate(5123407, "Marta Nowak", billing), teammate(5123408, "David Chen", billing), teammate(5123409, "Julie Bernard", onboarding),
	teammate(5123410, "Carlos Vega", onboarding),
}

// former are the teammates who left: one of Support, one of Billing.
var former = []event.Admin{teammate(5123301, "Nina Hoffmann", support), teammate(5123302, "Peter Lang", billing)}

func teammate(id int64, name string, team int) event.Admin {
	return event.Admin{ID: id, Name: name, Email: mailbox(name) + "@acme.example", Team: teams[team].ID}
}

var everyone = slices.Concat(admins, former)

// left is how many days before hour 0 each former teammate left.
var left = []int64{210, 80}

// satisfaction is how much better or worse than the others a teammate is rated, and passing how often a review of the work passes. Both go by
// the places in everyone.
var (
	satisfaction = []float64{0.06, 0.02, 0.05, -0.07, 0.01, 0.03, -0.02, -0.05, 0.06, 0.02, 0, -0.04}
	passing      = []float64{0.95, 0.9, 0.93, 0.74, 0.92, 0.93, 0.9, 0.77, 0.95, 0.9, 0.9, 0.85}
)

// tagNames begin with the tags of the topics, in the order of topics.
var tagNames = []string{
	"login", "invoice", "import", "bug", "integration", "plan change", "permissions", "getting started", "refund", "performance", "cancellation", "data protection",
	"feature request", "how-to", "vip", "churn risk", "api", "sso", "export", "mobile app", "webhook", "trial", "documentation", "duplicate", "follow-up",
	"escalated", "training", "vat", "upsell", "beta", "outage", "spam", "partner", "reference", "contract",
}

func tagName(n int32) string { return tagNames[n] }

// Cast is the cast of this population.
var Cast = newCast()

func newCast() *event.Cast {
	c := &event.Cast{
		Admins: admins, Former: former, Everyone: everyone, Left: left, Teams: teams, TagCount: len(tagNames), TagName: tagName,
		Plans: []string{"", "Starter", "Team", "Business", "Enterprise"},
		AwayReasons: []event.AwayReason{{Label: "Lunch", Emoji: "🍽️", Deleted: event.Never}, {Label: "Meeting", Made: event.Day, Deleted: event.Never},
			{Label: "Training", Made: 2 * event.Day, Deleted: event.Never}, {Label: "Out of office", Emoji: "🌴", Made: 3 * event.Day, Deleted: event.Never}},
		TicketTypes: ticketTypes(), TicketStates: ticketStates,
		HelpCenters: []event.HelpCenter{{ID: "88101", Identifier: "help", Name: "Acme Help Center", URL: "https://help.example/en", Domain: "help.example", On: true, Default: true,
			Locales: []string{"en", "de", "fr", "es", "it"}, Updated: 9 * event.Day}},
		Brands: []event.Brand{{ID: "4400", Name: "Acme", Address: "7100", HelpCenter: "88101"}},
	}
	// The members of segments are counted by place, so the places keep their meaning and only get readable names.
	for n, name := range []string{"All users", "All leads", "Seen before", "Never signed up", "Never replied", "Many tags", "Germany and France", "Duplicates to merge", "On mobile",
		"With a company", "No e-mail", "Tagged"} {
		c.Segments = append(c.Segments, event.Segment{Name: name, Made: int64(n) * 40 * event.Day, Updated: int64(n)*40*event.Day + 20*event.Day})
	}
	for n, name := range []string{"Big spenders", "Never active", "Large companies"} {
		c.CompanySegments = append(c.CompanySegments, event.Segment{Name: name, Made: int64(n) * 90 * event.Day, Updated: int64(n) * 90 * event.Day})
	}
	for n, name := range []string{"Newsletter", "Product updates", "Maintenance notices", "Webinars", "Offers", "Surveys"} {
		c.SubscriptionTypes = append(c.SubscriptionTypes, event.SubscriptionType{Name: name, Description: "Messages: " + name, Consent: []string{"opt_out", "opt_in"}[n%2]})
	}
	for _, a := range event.OddCast.DataAttributes {
		if a.Standard {
			c.DataAttributes = append(c.DataAttributes, a)
		}
	}
	for n, own := range [][3]string{{"contact", "plan", "string"}, {"contact", "job_title", "string"}, {"contact", event.DateAttribute, "date"}, {"company", "region", "string"},
		{"conversation", "Topic", "string"}, {"conversation", "Urgent", "boolean"}} {
		c.DataAttributes = append(c.DataAttributes, event.DataAttribute{ID: 9200000 + int64(n), Made: int64(n) * 30 * event.Day, Model: own[0], Name: own[1], Kind: own[2], Archived: event.Never})
		if own[0] == "conversation" {
			c.ConversationAttributes = append(c.ConversationAttributes, event.ConversationAttribute{ID: 9200000 + int64(n), Name: own[1], Kind: own[2], Made: int64(n) * 30 * event.Day, Archived: event.Never})
		}
	}
	for n, name := range macroNames {
		m := event.Macro{ID: fmt.Sprint(3300 + n), Name: name, Text: "Hi, thanks for your message. " + name + ": please see the article in our help center.", Places: []string{"inbox", "messenger"},
			Made: int64(n) * 20 * event.Day, NewHour: event.Never}
		if n%4 == 3 {
			m.Teams = []int64{teams[billing].ID}
		}
		c.Macros = append(c.Macros, m)
		c.Snippets = append(c.Snippets, event.Snippet{ID: fmt.Sprint(5500 + n), Title: name, Locale: "en", Markdown: "**" + name + "**: see the help center.", Plain: name + ": see the help center.",
			Chatbot: true, Made: int64(n) * 20 * event.Day, Removed: event.Never})
	}
	return c
}

var macroNames = []string{"Reset a password", "Where to find invoices", "Import a file", "Refund policy", "Connect the API", "Change the plan", "Invite teammates", "VAT number",
	"Status of the service", "Export your data", "Single sign-on", "Cancel the subscription"}

// ticketTypes are customer tickets, the back office's and trackers of incidents.
func ticketTypes() (list []event.TicketType) {
	for n, t := range []event.TicketType{{Name: "Bug report", Description: "Something does not work", Category: event.CustomerTicket}, {Name: "Billing case", Description: "For the back office", Category: event.BackOfficeTicket, Internal: true},
		{Name: "Incident", Description: "Several customers are affected", Category: event.TrackerTicket}, {Name: "Feature request", Description: "A wish for the product", Category: event.CustomerTicket}} {
		t.ID, t.Made, t.Updated = fmt.Sprint(1200+n), int64(n)*50*event.Day, int64(n)*50*event.Day+9*event.Day
		t.Attributes = []event.TicketAttribute{{Name: "_default_title_", Kind: "string"}, {Name: "Severity", Kind: "list", Required: true, Items: []string{"Low", "Medium", "High"}}, {Name: "Customers affected", Kind: "integer"}}
		for i := range t.Attributes {
			t.Attributes[i].ID = t.ID + fmt.Sprint(i+1)
		}
		list = append(list, t)
	}
	return list
}

var ticketStates = []event.TicketState{
	{ID: "3300", Category: "submitted", Internal: "Submitted", External: "Received", Types: []string{"1200", "1201", "1202", "1203"}},
	{ID: "3301", Category: "in_progress", Internal: "In progress", External: "We are on it", Types: []string{"1200", "1201", "1202", "1203"}},
	{ID: "3302", Category: "waiting_on_customer", Internal: "Waiting on customer", External: "Waiting for you", Types: []string{"1200", "1201", "1203"}},
	{ID: "3303", Category: "resolved", Internal: "Resolved", External: "Resolved", Types: []string{"1200", "1201", "1202", "1203"}},
}

package event

import "fmt"

// HelpCenter is a help center of the workspace.
type HelpCenter struct {
	ID, Identifier, Name string
	URL, Domain          string // "": none
	On, Default          bool   // readers find it; it is the workspace's first one
	Locales              []string
	Made, Updated        int64 // seconds after the workspace began
}

// helpCenters are all help centers.
var helpCenters = []HelpCenter{
	{"88101", "help", "Help & Söhne", "https://help.example/help?lang=de", "help.example", true, true, []string{"de", "en"}, 0, 9 * Day},
	{"88102", "second", "売上", "", "", false, false, nil, 40 * Day, 40 * Day},
}

// Brand is a brand of the workspace. The first one is the default.
type Brand struct {
	ID, Name, Address string
	HelpCenter        string // "": none
	Made              int64  // seconds after the workspace began
	Hour              int    // simulated hour from which it exists
}

// brands are all brands, including a later one.
var brands = []Brand{{"4400", "Main", "7100", "88101", 0, 0}, {"4401", "Zweite & Co", "7101", "88102", Day, 0}, {"4402", `New "brand"`, "7102", "", 2 * Day, 3}}

// Macro is a reply that teammates keep ready.
type Macro struct {
	ID, Name string
	Text     string  // plain text; "": it has none
	Teams    []int64 // teams that may use it; empty: everyone
	Places   []string
	Made     int64  // seconds after the workspace began
	NewText  string // its text from the simulated hour NewHour on
	NewHour  int    // Never: it does not change
}

// newMacros returns more than a default page of macros.
func newMacros(count int) (list []Macro) {
	for n := range count {
		m := Macro{ID: fmt.Sprint(3300 + n), Name: fmt.Sprint("Macro ", n), Text: fmt.Sprintf("Hello, this is macro %d & more", n), Places: []string{"inbox", "messenger"},
			Made: int64(n) * Day, NewHour: Never}
		switch {
		case n%5 == 0:
			m.Text, m.Teams = "", []int64{teams[0].ID, teams[1].ID}
		case n == 7:
			m.NewText, m.NewHour = "changed & more", 2
		}
		list = append(list, m)
	}
	return list
}

// Snippet is a short text that the AI agent answers with.
type Snippet struct {
	ID, Title, Locale string
	Markdown, Plain   string
	Chatbot           bool // the AI agent may answer with it
	Targeted          bool // it is for some audiences, perhaps for none yet
	Audiences         []int64
	Made              int64 // seconds after the workspace began
	Removed           int   // simulated hour in which it is removed
}

// newSnippets returns more than two small pages of snippets.
func newSnippets(count int) (list []Snippet) {
	for n := range count {
		s := Snippet{ID: fmt.Sprint(5500 + n), Title: []string{"", "Über & about", "Snippet"}[n%3], Locale: []string{"en", "de"}[n%2], Markdown: fmt.Sprintf("**Snippet** %d", n),
			Plain: fmt.Sprintf("Snippet %d", n), Chatbot: n%2 == 0, Targeted: n%3 != 0, Made: int64(n) * Day, Removed: Never}
		if n%3 == 2 {
			s.Audiences = []int64{17, 18}
		}
		if n == 11 {
			s.Removed = 4
		}
		list = append(list, s)
	}
	return list
}

// ConversationAttribute is a custom attribute of conversations, as their own list has it.
type ConversationAttribute struct {
	ID                      int64 // as the API sends it, a number
	Name, Description, Kind string
	Options                 []AttributeOption // of the kind list
	Reference, Object       string            // of the kind relationship: one or many, and the kind of object
	Teams                   []int64           // teams that see it; empty: all
	Made                    int64             // seconds after the workspace began
	Hour, Archived          int               // simulated hours from which it exists and is archived
}

// AttributeOption is a value that an attribute may have.
type AttributeOption struct {
	ID, Label string
	Archived  bool // can no longer be chosen
}

// conversationAttributes returns those of dataAttributes, and two of kinds that only this list has.
func conversationAttributes() (list []ConversationAttribute) {
	for _, a := range dataAttributes() {
		if a.Model == "conversation" && !a.Standard {
			list = append(list, ConversationAttribute{ID: a.ID, Name: a.Name, Kind: a.Kind, Made: a.Made, Hour: a.Hour, Archived: a.Archived})
		}
	}
	return append(list,
		ConversationAttribute{ID: 9100050, Name: "Topic & kind", Description: "What it is about", Kind: "list", Options: []AttributeOption{{"o1", "Refund", false}, {"o2", "Über", true}},
			Teams: []int64{teams[0].ID}, Archived: 5},
		ConversationAttribute{ID: 9100051, Name: "Order", Kind: "relationship", Reference: "many", Object: "771", Archived: Never})
}

// HandlingEvent is a pause or a resumption of work on a conversation.
type HandlingEvent struct {
	Kind, Reason string // Reason "": none
	After        int64  // seconds after the conversation began
	By           Admin
}

// SideTalk is a side conversation of one part, in which a teammate asks others about a conversation.
type SideTalk struct {
	ID, PartID string
	Body       string // HTML
	After      int64  // seconds after the conversation began
	By         Admin
	Files      []Attachment // their names are a part of their addresses
}

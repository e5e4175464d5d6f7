package event

// Author is who wrote something.
type Author struct {
	Type, ID, Name, Email string
	AI, Answer            bool // from the AI agent, and an answer of it
}

// Source is the message that a conversation began with.
type Source struct {
	Type, ID, Delivered, Subject, Body, URL string
	Author                                  Author
	Files                                   []Attachment
	Redacted                                bool // its words were taken out
}

// Attachment is an attachment. Its address is signed anew in every answer.
type Attachment struct {
	Name, Type    string
	Size          int64  // bytes
	Width, Height int64  // 0: no picture
	ID            uint64 // of the upload, a part of its address
}

// Part is one thing that was said or done in a conversation. Its id is unique within the conversation only.
type Part struct {
	ID                                         int64
	Type, Body                                 string
	At, Updated, Notified                      int64 // Unix seconds
	Until                                      int64 // snoozed until
	Author                                     Author
	Assigned                                   Assigned
	State                                      string // of the conversation after it
	Call, EventType, Data, Meta, External, App string
	Files                                      []Attachment
	Tags                                       []int32
	Redacted                                   bool          // its words were taken out
	Ticket                                     *TicketChange // what a part of a ticket did to it; nil: nothing
}

// Assignment is a row of the table of workspace-api 2.10: what a part did to who is in charge.
type Assignment uint8

// The rows.
const (
	AssignNothing Assignment = iota
	AssignTeamAndTeammate
	AssignTeammate
	AssignTeam
	AssignBot
	RemoveTeam
	RemoveTeammate
	RemoveAll
	Assignments // how many there are
)

// AssignmentNames are the rows as operations over HTTP name them.
var AssignmentNames = [Assignments]string{"nothing", "team_and_teammate", "teammate", "team", "bot", "remove_team", "remove_teammate", "remove_all"}

// Assigned is one row with the ids that it names.
type Assigned struct {
	As          Assignment
	Admin, Team int64 // ids; 0: nobody
}

// AppliedTag is a tag of a conversation: by whom it was put on, and when.
type AppliedTag struct {
	Tag int32
	At  int64
	By  int64
}

// Rating is what a contact thinks of a conversation.
type Rating struct {
	Stars            int64 // 1 to 5
	Remark           string
	Created, Updated int64 // Unix seconds
	Contact          *Contact
	By               string // admin, workflow or nobody
	Admin            int64  // id of the admin who is rated; 0: none
}

// SLA is the service level that a conversation is held to.
type SLA struct{ Name, Status string }

// FirstReply is where the first reply of a contact came from.
type FirstReply struct {
	At        int64 // Unix seconds
	Type, URL string
}

// ContentSource is something that an answer of the AI agent was made of.
type ContentSource struct{ Type, Title, Locale, URL string }

// LinkedObject is a ticket or a conversation that another one is linked to.
type LinkedObject struct{ Type, ID, Category string }

// TicketChange is what a part did to its ticket.
type TicketChange struct {
	Moved       bool       // its state changed
	From, To    int        // places of states, when it moved
	Attribute   *Attribute // what was set; a value of "" is none any more
	AttributeID string     // of what was set
}

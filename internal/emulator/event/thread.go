package event

// Author is who wrote a part or a message.
type Author struct {
	Type, ID, Name, Email string
	AI, Answer            bool // by the AI agent, and an answer of it
}

// Source is the message that began a conversation.
type Source struct {
	Type, ID, Delivered, Subject, Body, URL string
	Author                                  Author
	Files                                   []Attachment
	Redacted                                bool // its words were removed
}

// Attachment is an attached file. Every answer signs its address anew.
type Attachment struct {
	Name, Type    string
	Size          int64  // bytes
	Width, Height int64  // 0: not a picture
	ID            uint64 // id of the upload, a part of its address
}

// Part is one message or event of a conversation. Its id is unique only within the conversation.
type Part struct {
	ID                                         int64
	Type, Body                                 string
	At, Updated, Notified                      int64 // Unix seconds
	Until                                      int64 // snoozed until
	Author                                     Author
	Assigned                                   Assigned
	State                                      string // state of the conversation after the part
	Call, EventType, Data, Meta, External, App string
	Files                                      []Attachment
	Tags                                       []int32
	Redacted                                   bool          // its words were removed
	Ticket                                     *TicketChange // change of a ticket by this part; nil: none
}

// Assignment is a row of the table of workspace-api 2.10: how a part changes the assignees.
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
	Assignments // number of rows
)

// AssignmentNames are the names of the rows in operations over HTTP.
var AssignmentNames = [Assignments]string{"nothing", "team_and_teammate", "teammate", "team", "bot", "remove_team", "remove_teammate", "remove_all"}

// Assigned is one row with its assignees.
type Assigned struct {
	As          Assignment
	Admin, Team int64 // ids; 0: nobody
}

// AppliedTag is a tag of a conversation, with who added it and when.
type AppliedTag struct {
	Tag int32
	At  int64 // unix seconds
	By  int64 // id of the admin
}

// Rating is a contact's rating of a conversation.
type Rating struct {
	Stars            int64 // 1 to 5
	Remark           string
	Created, Updated int64 // Unix seconds
	Contact          *Contact
	By               string // who asked for it: an admin, a workflow or nobody
	Admin            int64  // id of the rated admin; 0: none
}

// SLA is the service level of a conversation.
type SLA struct{ Name, Status string }

// FirstReply is where the first reply of a contact came from.
type FirstReply struct {
	At        int64 // Unix seconds
	Type, URL string
}

// ContentSource is a piece of content that the AI agent used for an answer.
type ContentSource struct{ Type, Title, Locale, URL string }

// LinkedObject is a ticket or a conversation that another one links to.
type LinkedObject struct{ Type, ID, Category string }

// TicketChange is the change that a part made to its ticket.
type TicketChange struct {
	Moved       bool       // its state changed
	From, To    int        // indexes of states, when it moved
	Attribute   *Attribute // the attribute with its new value; "" removes it
	AttributeID string     // id of the attribute
}

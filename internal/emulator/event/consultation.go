package event

// Consultation is one consultation: the AI agent asks the teammates what to answer (workspace-api 2.10, consultation events).
type Consultation struct {
	Conv       int32 // number of the conversation
	N          int32 // number within the conversation, or of simulated hours: its texts are drawn from it
	At, End    int64 // Unix seconds
	Outcome    string
	Rounds     int   // rounds of feedback
	Part, Sent int64 // ids of the part it is about and of the part it led to; 0: none
	LoggedAt   int64 // when it came into the log
}

// Dialogue is the texts of a consultation and their authors.
type Dialogue struct {
	Cycle      string // id of the consultation
	Rule       ConsultationRule
	Confidence int64     // of the AI agent, in percent
	Asked      [4]string // the sharp ask, its rationale, the issue summary, and the customer's question
	Draft      string
	Rounds     []FeedbackRound
	Closing    [2]ConsultationClosing // by a teammate, and without one
}

// ConsultationRule is the rule that started a consultation; the zero value is none.
type ConsultationRule struct {
	ID, Name  string
	Threshold int64 // percent
}

// FeedbackRound is one round of feedback.
type FeedbackRound struct {
	Input     string
	Reviewer  int64 // admin's id
	Elsewhere bool  // given in the inbox, not with a part
	Failed    bool  // the draft was not revised
	Delay     int64 // seconds until the revised draft
	Revised   string
}

// ConsultationClosing is how a consultation ends.
type ConsultationClosing struct {
	Reviewer    int64 // admin's id; 0: none
	Final, Sent string
}

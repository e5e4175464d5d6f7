package event

// Consultation is one consultation: the AI agent asks the teammates what to answer (workspace-api 2.10, consultation events).
type Consultation struct {
	Conv       int32 // number of the conversation
	N          int32 // number within the conversation, or of those that life brought: its words are drawn from it
	At, End    int64 // Unix seconds
	Outcome    string
	Rounds     int   // of feedback
	Part, Sent int64 // ids of the part that it is about and of the one that it led to; 0: none
	Put        int64 // when it came into the log
}

// Dialogue is what was said in a consultation, and by whom.
type Dialogue struct {
	Cycle      string // the id of the consultation
	Rule       ConsultationRule
	Confidence int64     // of the AI agent, in percent
	Asked      [4]string // the sharp ask, why it is asked, the issue, and what the customer asked
	Draft      string
	Rounds     []FeedbackRound
	Closing    [2]ConsultationClosing // by a teammate, and without one
}

// ConsultationRule is what started a consultation; the zero value is none.
type ConsultationRule struct {
	ID, Name  string
	Threshold int64 // percent
}

// FeedbackRound is one round of feedback.
type FeedbackRound struct {
	Input     string
	Reviewer  int64 // admin's id
	Elsewhere bool  // it was given in the inbox, not with a part
	Failed    bool  // nothing came of it
	Delay     int64 // seconds until the draft that it led to
	Revised   string
}

// ConsultationClosing is how a consultation ends.
type ConsultationClosing struct {
	Reviewer    int64 // admin's id; 0: none
	Final, Sent string
}

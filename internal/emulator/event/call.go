package event

// Call is one call, with all that happens to it and when: what is served is what had happened by now. A time of 0 never
// comes.
type Call struct {
	N           int32 // number of the call: its id and what is said in it are drawn from it
	Conv        int   // number of its conversation
	Contact     string
	Admin       uint8 // place in admins, when it is answered
	Outbound    bool
	Phone       string
	Initiated   int64
	Answered    int64
	Ended       int64
	Recorded    int64 // moves no updated_at
	Transcribed int64 // the transcript is final, which moves no updated_at
	Failed      bool  // there will be no transcript, and the status says so; without, nothing ever does
	Removed     int64 // is no longer listed
	Put         int64 // when it came into the list, which may be later than it began; 0: when it began
}

// Consultation is one consultation: the AI agent asks the teammates what to answer (workspace-api 2.10, consultation events).
type Consultation struct {
	Conv       int32
	N          int32 // number within the conversation, or of those that life brought: its words are drawn from it
	At, End    int64
	Outcome    string
	Rounds     int   // of feedback
	Part, Sent int64 // ids of the part that it is about and of the one that it led to; 0: none
	Put        int64 // when it came into the log
}

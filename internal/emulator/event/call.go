package event

// Call is one call with the times of everything that happens to it, in Unix seconds. The server shows what has happened by now. A time of 0
// never comes.
type Call struct {
	N           int32 // number of the call: its id and its transcript are drawn from it
	Conv        int   // number of its conversation
	Contact     string
	Admin       uint8   // index in Admins, once it is answered
	Outbound    bool    // a teammate called the contact
	Messenger   bool    // it was made in the messenger, not by telephone
	Phone       string  // telephone number of the contact, of calls by telephone
	SearchDraw  float64 // search omits the call when the share of omitted calls is larger than this
	Initiated   int64   // Unix seconds, as all times of it
	Answered    int64   // 0: nobody answered
	Ended       int64   // as the list sends it
	Recorded    int64   // does not move updated_at
	Transcribed int64   // the transcript is final; does not move updated_at
	Failed      bool    // the transcript failed, and its status says so; when false and Transcribed is 0, it stays pending
	Removed     int64   // it is no longer listed
	ListedAt    int64   // when it came into the list, if that is later than its beginning; 0: when it began
}

// TranscriptLine is one line of a call's transcript.
type TranscriptLine struct {
	Speaker, Text string
	Start, End    float64 // seconds
}

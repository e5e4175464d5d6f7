package event

// Call is one call, with all that happens to it and when: what is served is what had happened by now. A time of 0 never
// comes.
type Call struct {
	N           int32 // number of the call: its id and what is said in it are drawn from it
	Conv        int   // number of its conversation
	Contact     string
	Admin       uint8   // place in admins, when it is answered
	Outbound    bool    // a teammate called the contact
	Messenger   bool    // it was not made over the telephone
	Phone       string  // the contact's number, of calls over the telephone
	Luck        float64 // search leaves it out where it leaves out a larger share of calls than this
	Initiated   int64   // Unix seconds, as all times of it
	Answered    int64   // 0: nobody took it
	Ended       int64   // as the list tells it
	Recorded    int64   // moves no updated_at
	Transcribed int64   // the transcript is final, which moves no updated_at
	Failed      bool    // there will be no transcript, and the status says so; without, nothing ever does
	Removed     int64   // is no longer listed
	Put         int64   // when it came into the list, which may be later than it began; 0: when it began
}

// TranscriptLine is one line of what was said in a call.
type TranscriptLine struct {
	Speaker, Text string
	Start, End    float64 // seconds
}

package event

// Reviewer is the AI or an admin; the zero value is nobody.
type Reviewer struct {
	AI    bool
	Admin int64
}

// Scorecard is a quality review, sent with include_scorecards (workspace-api 2.10).
type Scorecard struct {
	ID, Name           string
	Reviewed, Reviewer Reviewer // Reviewer: nobody without a review, or when the review is not assigned (trap T66)
	Status             string   // "": no review
	Submitted, Revised Reviewer
	Judged, Passed     bool // Judged: passed and score are known
	Score              int64
	Notes              []ReviewNote
	Evaluators         []Evaluator
}

// ReviewNote is a remark on a review. Its author may have been deleted.
type ReviewNote struct {
	ID, Body         string
	Created, Updated int64 // Unix seconds
	Author           Reviewer
}

// Evaluator is one question of a scorecard with its answer.
type Evaluator struct {
	ID, Name, Value, Label, Source, Reasoning string // Name and Label: "" when unresolved
	Reasons                                   []string
}

// Evaluation is the result of a monitor, sent with include_monitors.
type Evaluation struct {
	ID, Name, Value, Reasoning string
	Passed                     bool // the monitor's verdict
	At                         int64
}

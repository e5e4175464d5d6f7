package event

// Company is one version of a company's own fields. It is never changed: a change makes a copy. How many users it has is
// counted, not kept.
type Company struct {
	N                             int32
	ID, ExternalID, Name          string
	Website, Industry, Plan       string
	Created, Updated, LastRequest int64 // Unix seconds; 0: never
	Spend, Sessions, Size         int64 // monthly spend, visits of its users, employees
	Attrs                         []Attribute
	Tags                          []int32
	Notes                         []CompanyNote
}

// CompanyNote is a note about a company.
type CompanyNote struct {
	ID, At, By int64 // At in Unix seconds; By is an admin's id
	Body       string
}

// CompanyKind is what happened to a company.
type CompanyKind uint8

// The kinds of the log of companies.
const (
	CompanyCreated CompanyKind = iota + 1
	CompanyUpdated
	CompanyTagged
	CompanyUntagged
	CompanyNoted // moves no updated_at, nor does the next
	CompanyNoteDeleted
)

// CompanyEvent is one entry of the log of companies, which is the truth about them beside what each was born with.
type CompanyEvent struct {
	At   int64
	Kind CompanyKind
	N    int32
	Tag  int32 // id of the tag that was put on or taken off
	Born *Company
	Set  []FieldChange
	Note CompanyNote
}

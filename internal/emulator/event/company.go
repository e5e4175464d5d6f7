package event

// Company is one version of a company's own fields. A version never changes: an update makes a copy. The number of users is counted, not
// stored.
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

// CompanyKind is the kind of a company event.
type CompanyKind uint8

// The kinds of the log of companies.
const (
	CompanyCreated CompanyKind = iota + 1
	CompanyUpdated
	CompanyTagged
	CompanyUntagged
	CompanyNoted // does not move updated_at, nor does the next kind
	CompanyNoteDeleted
)

// CompanyEvent is one entry of the log of companies. The log, with the companies of hour 0, is the truth about them.
type CompanyEvent struct {
	At   int64 // unix seconds
	Kind CompanyKind
	N    int32
	Tag  int32 // id of the added or removed tag
	Born *Company
	Set  []FieldChange
	Note CompanyNote
}

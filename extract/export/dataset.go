package export

// Dataset is one dataset of the source.
type Dataset struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Doc        string      `json:"description"`
	Time       string      `json:"default_time_attribute_id"`
	Attributes []Attribute `json:"attributes"`
}

// Attribute is one column that can be asked for.
type Attribute struct {
	ID        string `json:"id"`
	Qualified string `json:"qualified_id"`
	Name      string `json:"name"`
}

// columnID is the id that is sent, and that a column is known by: names and order may change.
func (a Attribute) columnID() string {
	if a.Qualified != "" {
		return a.Qualified
	}
	return a.ID
}

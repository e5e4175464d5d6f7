package export

// Dataset is one dataset of the source, as the source describes it.
type Dataset struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Doc        string      `json:"description"`
	Time       string      `json:"default_time_attribute_id"`
	Attributes []Attribute `json:"attributes"`
}

// Attribute is a column that an export can include.
type Attribute struct {
	ID        string `json:"id"`
	Qualified string `json:"qualified_id"`
	Name      string `json:"name"`
}

// columnID is the id that is sent, and by which a column is recognised: names and order may change.
func (a Attribute) columnID() string {
	if a.Qualified != "" {
		return a.Qualified
	}
	return a.ID
}

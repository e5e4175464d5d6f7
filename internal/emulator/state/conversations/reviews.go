package conversations

import (
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// ReviewAttributeNames are the attributes that only quality assurance writes (workspace-api 9).
var ReviewAttributeNames = []string{"Review status", "Reviewer", "Has QA Notes", "QA Notes Count"}

// ReviewAttributes returns the custom attributes that quality assurance writes. They are sent up to 2.16 only, to workspaces that opted in
// (workspace-api 9, trap T67).
func (c *Conversation) ReviewAttributes() []event.Attribute {
	if len(c.Cards) == 0 {
		return nil
	}
	notes := 0
	for _, s := range c.Cards {
		notes += len(s.Notes)
	}
	last := c.Cards[len(c.Cards)-1]
	list := []event.Attribute{{Name: "Review status", Raw: string(jsontext.AppendText(nil, last.Status))}, {Name: "Has QA Notes", Raw: strconv.FormatBool(notes > 0)},
		{Name: "QA Notes Count", Raw: strconv.Itoa(notes)}}
	if last.Reviewer.Admin != 0 {
		list = append(list, event.Attribute{Name: "Reviewer", Raw: `"` + strconv.FormatInt(last.Reviewer.Admin, 10) + `"`})
	}
	return list
}

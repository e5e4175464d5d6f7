//go:build mirror

package mirror

import (
	"encoding/json"
	"time"
)

// erasedObjects is what a mirror after an erasure deletes, as an object beside the tables lists it. A key has the name of a table and random words, and nothing of a row.
type erasedObjects struct {
	File       string    `json:"file"` // the published file
	RecordedAt time.Time `json:"recorded_at"`
	Objects    []string  `json:"objects"` // their keys
}

// erasedAddress is where the list of this mirror is.
func (m *mirror) erasedAddress() string { return m.location + "/_erased/" + m.claim + ".json" }

// deleteObjects deletes objects. After an erasure they are listed first: a kill leaves no deleted object that no list names.
func (m *mirror) deleteObjects(addresses []string) error {
	if m.erased != nil && len(addresses) > 0 {
		for _, address := range addresses {
			key, err := m.objects.key(address)
			if err != nil {
				return err
			}
			m.erased.Objects = append(m.erased.Objects, key)
		}
		text, err := json.MarshalIndent(m.erased, "", " ")
		if err == nil {
			err = m.objects.WriteFile(m.erasedAddress(), text)
		}
		if err != nil {
			return err
		}
	}
	for _, address := range addresses {
		if err := m.objects.Remove(address); err != nil {
			return err
		}
	}
	return nil
}

// noteErased says how many objects this mirror deleted after an erasure, and where their keys are.
func (m *mirror) noteErased() {
	if m.erased == nil || len(m.erased.Objects) == 0 {
		return
	}
	m.report.Erased += len(m.erased.Objects)
	m.note("%d objects of %s were deleted after an erasure or a new mask: %s lists them", len(m.erased.Objects), m.namespace, m.erasedAddress())
}

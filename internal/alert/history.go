package alert

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/google/renameio/v2"
)

// sentAlert is the last alert that was posted to a target for a pipeline and event.
type sentAlert struct {
	Class string    `json:"class"`
	At    time.Time `json:"at"`
}

// readSent reads the State file. An unreadable file counts as empty: an alert may then be repeated.
func (s *Sender) readSent() map[string]sentAlert {
	sent := map[string]sentAlert{}
	text, err := os.ReadFile(s.State)
	if err == nil {
		err = json.Unmarshal(text, &sent)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Log.Warn("the history of alerts cannot be read: an alert may be repeated", "file", s.State, "error", err)
		return map[string]sentAlert{}
	}
	return sent
}

func (s *Sender) writeSent(sent map[string]sentAlert) error {
	if s.State == "" {
		return nil
	}
	text, err := json.Marshal(sent)
	if err != nil {
		return err
	}
	return renameio.WriteFile(s.State, text, 0o600)
}

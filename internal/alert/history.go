package alert

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/google/renameio/v2"
)

// sentAlert is what a target was told last of a pipeline.
type sentAlert struct {
	Class string    `json:"class"`
	At    time.Time `json:"at"`
}

// readSent gives what was told. A file that cannot be read is as good as none: something may be told twice.
func (s *Sender) readSent() map[string]sentAlert {
	told := map[string]sentAlert{}
	text, err := os.ReadFile(s.State)
	if err == nil {
		err = json.Unmarshal(text, &told)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Log.Warn("the history of alerts cannot be read: an alert may be repeated", "file", s.State, "error", err)
		return map[string]sentAlert{}
	}
	return told
}

func (s *Sender) writeSent(told map[string]sentAlert) error {
	text, err := json.Marshal(told)
	if err != nil {
		return err
	}
	return renameio.WriteFile(s.State, text, 0o600)
}

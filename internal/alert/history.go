package alert

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/google/renameio/v2"
)

// entry is what a target was told last of a pipeline.
type entry struct {
	Class string    `json:"class"`
	At    time.Time `json:"at"`
}

// read gives what was told. A file that cannot be read is as good as none: something may be told twice.
func (s *Sender) read() map[string]entry {
	told := map[string]entry{}
	text, err := os.ReadFile(s.State)
	if err == nil {
		err = json.Unmarshal(text, &told)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Log.Warn("what was told before cannot be read: it may be told again", "file", s.State, "error", err)
		return map[string]entry{}
	}
	return told
}

func (s *Sender) write(told map[string]entry) error {
	text, err := json.Marshal(told)
	if err != nil {
		return err
	}
	return renameio.WriteFile(s.State, text, 0o600)
}

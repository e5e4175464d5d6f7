package load

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"aqueduck/load/internal/disk"
)

// mark is what a tombstone keeps of whom, or what, was erased: a salted hash of the id, cut to what no two share.
type mark [16]byte

func (m mark) String() string { return hex.EncodeToString(m[:]) }

func parseMark(text string) (m mark, err error) {
	raw, err := hex.DecodeString(text)
	if err == nil && len(raw) != len(m) {
		err = errors.New("a mark has 16 bytes")
	}
	copy(m[:], raw)
	return m, err
}

// place is where a mark counts: a workspace's schema, and the table of a row; "" where a person is meant.
type place struct{ schema, table string }

// tombstones is data/erasures.log: the marks of all that was ever erased. It lies outside the database and is only added
// to, so that no older copy of the database brings anything back.
type tombstones struct {
	path  string
	salt  []byte // nil: nothing was ever erased
	marks map[place]map[mark]time.Time
	whole int64 // size of the file without a line that a killed process left half written
}

// Erasures is the log of all that was erased. It belongs to a backup.
func (d Dir) Erasures() string { return filepath.Join(string(d), "erasures.log") }

// saltSize keeps the salt with a usual id in one block of the hash.
const saltSize = 16

type tombstoneLine struct {
	Salt   string    `json:"salt,omitempty"`  // first line only
	Check  string    `json:"check,omitempty"` // of the salt; older logs have none
	At     time.Time `json:"at,omitzero"`
	Schema string    `json:"schema,omitempty"`
	Person string    `json:"person,omitempty"`
	Table  string    `json:"table,omitempty"`
	Row    string    `json:"row,omitempty"`
}

// ErrErasures says that the log of erasures is damaged. Nothing is read or shown without it: it keeps away who was erased.
var ErrErasures = errors.New("the log of erasures is damaged")

func (d Dir) readTombstones() (*tombstones, error) {
	t := &tombstones{path: d.Erasures(), marks: map[place]map[mark]time.Time{}}
	text, err := os.ReadFile(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	t.whole = int64(bytes.LastIndexByte(text, '\n') + 1)
	for i, line := range bytes.Split(text[:t.whole], []byte{'\n'}) {
		if len(line) == 0 {
			continue
		}
		if err := t.take(line); err != nil {
			return nil, fmt.Errorf("%w: %s:%d: this is no line of ours: %w", ErrErasures, t.path, i+1, err)
		}
	}
	return t, nil
}

func (t *tombstones) take(line []byte) error {
	var l tombstoneLine
	if err := json.Unmarshal(line, &l); err != nil {
		return err
	}
	if t.salt == nil {
		salt, err := hex.DecodeString(l.Salt)
		if err != nil || len(salt) != saltSize {
			return errors.New("it should hold the salt")
		}
		if l.Check != "" && l.Check != check(salt) {
			return errors.New("the salt is not the one that was written")
		}
		t.salt = salt
		return nil
	}
	m, err := parseMark(l.Person + l.Row)
	if err != nil {
		return err
	}
	t.note(place{l.Schema, l.Table}, m, l.At)
	return nil
}

func (t *tombstones) note(p place, m mark, at time.Time) {
	if t.marks[p] == nil {
		t.marks[p] = map[mark]time.Time{}
	}
	t.marks[p][m] = at
}

// of gives the mark of a person's id, or of a row's key.
func (t *tombstones) of(p place, id string) mark {
	var space [128]byte
	text := append(append(append(space[:0], t.salt...), p.schema...), 0)
	text = append(append(append(text, p.table...), 0), id...)
	sum := sha256.Sum256(text)
	return mark(sum[:len(mark{})])
}

// has says whether an id, or the key of a row, was erased. Measured: 0.2 to 0.4 µs.
func (t *tombstones) has(p place, id string) bool {
	_, ok := t.marks[p][t.of(p, id)]
	return ok
}

// begin makes the salt before the first mark is made.
func (t *tombstones) begin() error {
	if t.salt != nil {
		return nil
	}
	salt := make([]byte, saltSize)
	if _, err := rand.Read(salt); err != nil {
		return err
	}
	return t.beginWith(salt)
}

func (t *tombstones) beginWith(salt []byte) error {
	return t.write([]tombstoneLine{{Salt: hex.EncodeToString(salt), Check: check(salt)}}, func() { t.salt = salt })
}

// check tells a salt, or a key, from one with a bit changed: with another one nothing that was hashed is found again, and
// nobody would notice.
func check(secret []byte) string {
	sum := sha256.Sum256(secret)
	return hex.EncodeToString(sum[:checkSize])
}

const checkSize = 4

// add notes marks, durably. Those that are there already are not written again.
func (t *tombstones) add(p place, marks []mark, at time.Time) error {
	var lines []tombstoneLine
	for _, m := range marks {
		if _, there := t.marks[p][m]; there {
			continue
		}
		line := tombstoneLine{At: at, Schema: p.schema, Table: p.table, Person: m.String()}
		if p.table != "" {
			line.Person, line.Row = "", m.String()
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil
	}
	return t.write(lines, func() {
		for _, m := range marks {
			t.note(p, m, at)
		}
	})
}

func (t *tombstones) write(lines []tombstoneLine, done func()) (err error) {
	var text []byte
	for _, l := range lines {
		line, err := json.Marshal(l)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	f, err := os.OpenFile(t.path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	// What a killed process left of a line was never promised to anybody.
	if err := f.Truncate(t.whole); err != nil {
		return err
	}
	if _, err := f.WriteAt(text, t.whole); err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), disk.SyncDir(filepath.Dir(t.path))); err != nil {
		return err
	}
	t.whole += int64(len(text))
	done()
	return nil
}

// rowKey is one text for the values of a key.
func rowKey(values []string) string {
	if len(values) == 1 {
		return values[0]
	}
	text := ""
	for _, v := range values {
		text += strconv.Itoa(len(v)) + ":" + v
	}
	return text
}

// ErasedAnything says that something was ever erased here.
func (d Dir) ErasedAnything() bool { return disk.Exists(d.Erasures()) || d.Erasing() }

// Erasing says that something was erased and older bytes of it may still lie in files: every publish writes the file anew
// until one has removed them.
func (d Dir) Erasing() bool { return disk.Exists(d.erasing()) }

func (d Dir) erasing() string { return filepath.Join(d.State(), "erasing") }

func (d Dir) beginErasing() error {
	if err := os.WriteFile(d.erasing(), nil, 0o600); err != nil {
		return err
	}
	return disk.SyncDir(d.State())
}

// traces are files beside the published ones that may hold what was erased: damaged databases that were set aside, and the
// text of rejected records, of which nobody knows whom they name.
func (d Dir) traces() ([]string, error) {
	var all []string
	for dir, prefix := range map[string]string{d.State(): "damaged-", d.RejectDir(): ""} {
		entries, err := os.ReadDir(dir) // a glob would pass over a directory that cannot be read
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), prefix) {
				all = append(all, filepath.Join(dir, e.Name()))
			}
		}
	}
	slices.Sort(all)
	return all, nil
}

// hushEnds takes the messages out of the notes of ended runs: a message may name whom it was about, and nobody knows of which it does.
func (d Dir) hushEnds() error {
	text, err := os.ReadFile(d.EndsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var kept []byte
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		var end map[string]any
		if json.Unmarshal(line, &end) != nil {
			continue
		}
		if end["error"] != nil {
			end["error"] = "(erased)"
		}
		line, err := json.Marshal(end)
		if err != nil {
			return err
		}
		kept = append(append(kept, '\n'), line...)
	}
	fresh := filepath.Join(d.State(), "new-ended.jsonl") // the next start removes it, if this is killed
	if err := errors.Join(os.WriteFile(fresh, kept, 0o600), disk.SyncFile(fresh)); err != nil {
		return err
	}
	return disk.Move(d.EndsFile(), fresh)
}

// EndErasing removes what may hold erased bytes beside the published files, which the caller has put in order, and says
// that nothing is left to do.
func (d Dir) EndErasing() error {
	traces, err := d.traces()
	if err != nil {
		return err
	}
	for _, path := range traces {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	if err := emptyDir(d.Temp()); err != nil {
		return err
	}
	if err := d.hushEnds(); err != nil {
		return fmt.Errorf("take the messages out of %s: %w", d.EndsFile(), err)
	}
	// That files are gone is durable before it is forgotten that they were to go.
	for _, dir := range []string{d.Published(), d.RejectDir(), d.Temp(), d.State()} {
		if err := disk.SyncDir(dir); err != nil {
			return err
		}
	}
	return errors.Join(os.Remove(d.erasing()), disk.SyncDir(d.State()))
}

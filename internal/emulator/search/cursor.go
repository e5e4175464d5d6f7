package search

import (
	"encoding/base64"
	"encoding/binary"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
)

// Env is what searches and cursors know of the service that they are of.
type Env struct {
	Seed  uint64 // that delays are drawn from
	Knobs func() *knobs.Knobs
	Now   func() int64
	Zone  func() *time.Location // of the workspace
	Epoch func() uint64         // cursors of another one are refused
}

// Cursor is a place in a list, as the service remembers it inside the opaque text it hands out.
type Cursor struct {
	print  uint64 // of the question it belongs to
	epoch  uint64
	At     Entry // the last record served
	Offset int64 // records served
	Page   int64 // of the page it leads to
	issued int64 // number of the request that handed it out; 0 when cursors live for ever
	empty  bool  // an empty page was served in its place
}

const cursorLen = 8*7 + 1

// encodeText makes the cursor opaque. With cursors that live for ever the same place has the same text, so that a loop is one.
func (c Cursor) encodeText() string {
	b := make([]byte, 0, cursorLen)
	for _, word := range [...]uint64{c.print, c.epoch, uint64(c.At.key), uint64(c.At.Num), uint64(c.Offset), uint64(c.Page), uint64(c.issued)} {
		b = binary.BigEndian.AppendUint64(b, word)
	}
	if c.empty {
		return base64.RawURLEncoding.EncodeToString(append(b, 1))
	}
	return base64.RawURLEncoding.EncodeToString(append(b, 0))
}

// DecodeCursor reads a cursor back. It is good for the question it was handed out for, in its epoch, for its life.
func (v *Env) DecodeCursor(text string, question string, n int) (Cursor, bool) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) != cursorLen {
		return Cursor{}, false
	}
	word := func(i int) uint64 { return binary.BigEndian.Uint64(b[8*i:]) }
	c := Cursor{print: word(0), epoch: word(1), At: Entry{int64(word(2)), int32(word(3))}, Offset: int64(word(4)), Page: int64(word(5)),
		issued: int64(word(6)), empty: b[cursorLen-1] == 1}
	if c.print != event.Fingerprint(question) && !v.Knobs().LooseCursors || c.epoch != v.Epoch() || c.Offset < 0 || c.At.Num < -1 {
		return Cursor{}, false
	}
	if life := v.Knobs().CursorLife; life > 0 && n-int(c.issued) > life {
		return Cursor{}, false
	}
	return c, true
}

// EncodeCursor makes a cursor's text for the next page of a question.
func (v *Env) EncodeCursor(c Cursor, question string, n int) string {
	c.print, c.epoch = event.Fingerprint(question), v.Epoch()
	if v.Knobs().CursorLife > 0 {
		c.issued = int64(n)
	}
	return c.encodeText()
}

// Tally is how many records a list has, counted when a log has grown.
type Tally struct{ log, n int }

// CountCached gives the number, counted anew when the log is no longer so long.
func (t *Tally) CountCached(log int, count func() int) int {
	if t.log != log {
		t.log, t.n = log, count()
	}
	return t.n
}

// Page is the place of one answer in its list.
type Page struct {
	Number, PerPage int    // Number is from 1; records on a page
	Total           int    // records of the list; -1: not told
	Token           string // of the next page
	More            bool   // there is a next page; with no token it is asked for by number
}

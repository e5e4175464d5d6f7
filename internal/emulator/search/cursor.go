package search

import (
	"encoding/base64"
	"encoding/binary"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
)

// Env is what searches and cursors need of their workspace.
type Env struct {
	Seed  uint64 // for delays
	Knobs func() *knobs.Knobs
	Now   func() int64
	Zone  func() *time.Location // of the workspace
	Epoch func() uint64         // cursors of another epoch are refused
}

// Cursor is a position in a list. Clients get it as an opaque text.
type Cursor struct {
	print  uint64 // fingerprint of its query
	epoch  uint64
	At     Entry // the last record served
	Offset int64 // number of records served
	Page   int64 // number of the page that it leads to
	issued int64 // number of the request that handed it out; 0 when cursors do not expire
	empty  bool  // an empty page was served in its place
}

const cursorLen = 8*7 + 1

// encodeText makes the cursor opaque. Without expiry the same position has the same text, so that a client can detect a loop.
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

// DecodeCursor reads a cursor back. A cursor is valid for its own query, in its epoch, until it expires.
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

// EncodeCursor returns the text of a cursor for the next page of a query.
func (v *Env) EncodeCursor(c Cursor, question string, n int) string {
	c.print, c.epoch = event.Fingerprint(question), v.Epoch()
	if v.Knobs().CursorLife > 0 {
		c.issued = int64(n)
	}
	return c.encodeText()
}

// Tally caches the number of records of a list while its log does not grow.
type Tally struct{ log, n int }

// CountCached returns the number, counted again when the log has another length.
func (t *Tally) CountCached(log int, count func() int) int {
	if t.log != log {
		t.log, t.n = log, count()
	}
	return t.n
}

// Page is the position of one answer in its list.
type Page struct {
	Number, PerPage int    // Number counts from 1; PerPage is the size
	Total           int    // number of records in the list; -1: not sent
	Token           string // cursor of the next page
	More            bool   // there is a next page; without a token it is requested by number
}

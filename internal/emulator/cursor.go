package emulator

import (
	"encoding/base64"
	"encoding/binary"

	"aqueduck/internal/emulator/event"
)

// cursor is a place in a list, as the service remembers it inside the opaque text it hands out.
type cursor struct {
	print  uint64 // of the question it belongs to
	epoch  uint64
	at     entry // the last record served
	offset int64 // records served
	page   int64 // of the page it leads to
	issued int64 // number of the request that handed it out; 0 when cursors live for ever
	empty  bool  // an empty page was served in its place
}

const cursorLen = 8*7 + 1

// text makes the cursor opaque. With cursors that live for ever the same place has the same text, so that a loop is one.
func (c cursor) text() string {
	b := make([]byte, 0, cursorLen)
	for _, v := range [...]uint64{c.print, c.epoch, uint64(c.at.key), uint64(c.at.num), uint64(c.offset), uint64(c.page), uint64(c.issued)} {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	if c.empty {
		return base64.RawURLEncoding.EncodeToString(append(b, 1))
	}
	return base64.RawURLEncoding.EncodeToString(append(b, 0))
}

// cursor reads a cursor back. It is good for the question it was handed out for, in its epoch, for its life.
func (w *Workspace) cursor(text string, question string, n int) (cursor, bool) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) != cursorLen {
		return cursor{}, false
	}
	v := func(i int) uint64 { return binary.BigEndian.Uint64(b[8*i:]) }
	c := cursor{print: v(0), epoch: v(1), at: entry{int64(v(2)), int32(v(3))}, offset: int64(v(4)), page: int64(v(5)),
		issued: int64(v(6)), empty: b[cursorLen-1] == 1}
	if c.print != event.Fingerprint(question) && !w.k().LooseCursors || c.epoch != w.epoch || c.offset < 0 || c.at.num < -1 {
		return cursor{}, false
	}
	if life := w.k().CursorLife; life > 0 && n-int(c.issued) > life {
		return cursor{}, false
	}
	return c, true
}

// hand makes a cursor's text for the next page of a question.
func (w *Workspace) hand(c cursor, question string, n int) string {
	c.print, c.epoch = event.Fingerprint(question), w.epoch
	if w.k().CursorLife > 0 {
		c.issued = int64(n)
	}
	return c.text()
}

// tally is how many records a list has, counted when a log has grown.
type tally struct{ log, n int }

func (t *tally) count(log int, count func() int) int {
	if t.log != log {
		t.log, t.n = log, count()
	}
	return t.n
}

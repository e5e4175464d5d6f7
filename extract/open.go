package extract

import (
	"context"

	"aqueduck/extract/api"
)

// readers are the values of `since: {by}`.
var readers = map[string]func(*Reader) func(context.Context) (Page, error){
	"search":   readSearch,
	"full":     readSweep,
	"bookmark": readFeed,
	"between":  readBetween,
}

// NewReader returns a Reader of a stream. It sends no request.
func NewReader(c *api.Client, r Request) *Reader {
	if r.Phase == "" {
		r.Phase = Forward
	}
	rd := &Reader{c: c, r: r, state: r.State}
	if r.ReadAhead != nil {
		rd.ahead = &readAhead{wanted: r.ReadAhead}
	}
	way := readers[r.Stream.Read.Since.By]
	if r.Stream.Read.ByIDs() {
		way = readOver
		if r.Stream.Read.Over.Size > 0 {
			way = readBatches
		}
	}
	if way != nil {
		rd.step = way(rd)
	}
	return rd
}

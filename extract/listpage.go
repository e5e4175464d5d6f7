package extract

import "time"

// listPage is one page of a walk.
type listPage struct {
	listEnvelope
	fresh        int64     // records of it that came for the first time
	missingRows  int64     // of the last page: records that the list states and has not given
	over         string    // id or value that the list is of
	date         time.Time // the server's clock, zero when not told
	position     Position  // where the page was
	nextPosition Position  // where the next one is
	end          bool
	short        []string // by record: its id where a list of it could not be read on; nil: none was
	unread       []error  // by record: why a list of it could not be read on, and is left out of it; nil: none was
}

// pageOf makes a Page of a listPage; the caller adds the state.
func pageOf(sh listPage) Page {
	p := Page{Records: make([]Record, len(sh.records)), ServerTime: sh.date, Total: sh.total, Done: -1, Left: -1}
	for i, raw := range sh.records {
		p.Records[i] = Record{Raw: raw, Over: sh.over}
		if i < len(sh.short) {
			p.Records[i].Short = sh.short[i]
		}
		if i < len(sh.unread) && sh.unread[i] != nil {
			p.Records[i].Missing, p.Records[i].Error = Unreadable, sh.unread[i].Error()
		}
	}
	return p
}

package extract

import (
	"time"

	"aqueduck/extract/internal/envelope"
)

// listPage is one page of a listWalk.
type listPage struct {
	envelope.Envelope
	fresh        int64     // records of the page that came for the first time
	missingRows  int64     // on the last page: total_count minus the distinct records read
	over         string    // the id or value that the list belongs to
	date         time.Time // the server's clock; zero when the answer has none
	position     Position  // of this page
	nextPosition Position  // of the next page
	end          bool
	short        []string // by record: its id, where the rest of a nested list of it was answered 404; nil: none
	known        []bool   // by record: the caller has it already, and the rest of its nested lists is not read; nil: none
	unread       []error  // by record: why the rest of a nested list of it cannot be read and the list is omitted; nil: none
}

// pageOf makes a Page of a listPage, without a State.
func pageOf(sh listPage) Page {
	p := Page{Records: make([]Record, len(sh.Records)), ServerTime: sh.date, Total: sh.Total, Done: -1, Left: -1}
	for i, raw := range sh.Records {
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

// dropKnown removes the records that the caller has already.
func (p *Page) dropKnown(known []bool) {
	if known == nil {
		return
	}
	kept := p.Records[:0]
	for i, r := range p.Records {
		if !known[i] {
			kept = append(kept, r)
		}
	}
	p.Records = kept
}

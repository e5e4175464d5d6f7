package emulator

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

// pen writes a JSON object field by field; commas are its business. An empty text and a zero time are null.
type pen struct {
	b    []byte
	omit bool // leave out what is null
}

// key begins a field; without a name it begins an item of a list.
func (p *pen) key(name string) {
	if n := len(p.b); n > 0 && p.b[n-1] != '{' && p.b[n-1] != '[' {
		p.b = append(p.b, ',')
	}
	if name != "" {
		p.b = append(append(append(p.b, '"'), name...), `":`...)
	}
}

func (p *pen) null(name string) {
	if p.omit {
		return
	}
	p.key(name)
	p.b = append(p.b, "null"...)
}

func (p *pen) text(name, s string) {
	if s == "" {
		p.null(name)
		return
	}
	p.key(name)
	p.b = appendString(p.b, s)
}

// string writes a text that is empty rather than null.
func (p *pen) string(name, s string) {
	p.key(name)
	p.b = appendString(p.b, s)
}

func (p *pen) time(name string, t int64) {
	if t == 0 {
		p.null(name)
		return
	}
	p.int(name, t)
}

func (p *pen) int(name string, n int64) {
	p.key(name)
	p.b = strconv.AppendInt(p.b, n, 10)
}

func (p *pen) flag(name string, v bool) {
	p.key(name)
	p.b = strconv.AppendBool(p.b, v)
}

// raw writes JSON as it is; none is null.
func (p *pen) raw(name, json string) {
	if json == "" {
		p.null(name)
		return
	}
	p.key(name)
	p.b = append(p.b, json...)
}

func (p *pen) open(name string) {
	p.key(name)
	p.b = append(p.b, '{')
}

func (p *pen) item()  { p.open("") }
func (p *pen) close() { p.b = append(p.b, '}') }

func (p *pen) list(name string) {
	p.key(name)
	p.b = append(p.b, '[')
}

func (p *pen) end() { p.b = append(p.b, ']') }

// attrs writes attributes as an object.
func (p *pen) attrs(name string, list []event.Attribute) {
	p.open(name)
	for i, a := range list {
		if i > 0 {
			p.b = append(p.b, ',')
		}
		p.b = append(append(appendString(p.b, a.Name), ':'), a.Raw...)
	}
	p.close()
}

// typed begins a list in its envelope: {"type":kind,"key":[.
func (p *pen) typed(name, kind, key string) {
	p.open(name)
	p.text("type", kind)
	p.list(key)
}

// done ends one.
func (p *pen) done() {
	p.end()
	p.close()
}

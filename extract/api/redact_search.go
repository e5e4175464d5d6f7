package api

import (
	"bytes"
	"encoding/binary"
)

// leastSearched is the length of the shortest token that is looked for in bodies: shorter ones could be words of the data.
const leastSearched = 16

// tokenSearch looks for tokens in the bodies of answers. It does not change.
type tokenSearch struct {
	tokens []Secret
	forms  [][]byte // the tokens, plain and encoded

	// Of the 15 bytes or more of any form, eight begin at a multiple of eight, wherever the form is. So one look at every eighth byte of a body
	// shows that it has none of the forms; a search for each would read the body ten times.
	pieces map[uint64][]formPlace
	maybe  [1024]uint64 // bits by pieceHash: without its bit a piece is not in pieces
}

const pieceSize = 8

// formPlace is a place in one of the forms.
type formPlace struct {
	form   []byte
	offset int
}

func newTokenSearch(tokens []Secret) *tokenSearch {
	s := &tokenSearch{pieces: map[uint64][]formPlace{}}
	for _, t := range tokens {
		if len(t) < leastSearched {
			continue
		}
		s.tokens = append(s.tokens, t)
		for _, form := range append(encodedForms(t), string(t)) {
			s.forms = append(s.forms, []byte(form))
			for i := 0; i+pieceSize <= len(form); i++ {
				piece := binary.LittleEndian.Uint64([]byte(form[i:]))
				hash := pieceHash(piece)
				s.pieces[piece] = append(s.pieces[piece], formPlace{[]byte(form), i})
				s.maybe[hash/64] |= 1 << (hash % 64)
			}
		}
	}
	return s
}

// pieceHash is a number below 65,536.
func pieceHash(piece uint64) uint64 { return piece * 0x9e3779b97f4a7c15 >> 48 }

// hasForm reports whether a body has one of the forms.
func (s *tokenSearch) hasForm(body []byte) bool {
	for i := 0; i+pieceSize <= len(body); i += pieceSize {
		piece := binary.LittleEndian.Uint64(body[i:])
		hash := pieceHash(piece)
		if s.maybe[hash/64]&(1<<(hash%64)) == 0 {
			continue
		}
		for _, at := range s.pieces[piece] {
			if from := i - at.offset; from >= 0 && bytes.HasPrefix(body[from:], at.form) {
				return true
			}
		}
	}
	return false
}

// redactBody removes the tokens from an answer's body, so that none is stored or logged. It looks for whole tokens, plain,
// escaped or encoded.
func (s *tokenSearch) redactBody(body []byte) []byte {
	if s.hasForm(body) {
		for _, form := range s.forms {
			body = bytes.ReplaceAll(body, form, []byte(redacted))
		}
	}
	for _, t := range s.tokens {
		body = redactHidden(body, t)
	}
	return body
}

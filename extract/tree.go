package extract

import (
	"errors"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/envelope"
	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

// recordTree is a list whose records have lists of their own, which the API returns when asked with a record's key
// (schemas.Below).
type recordTree struct {
	stream      *schemas.Stream
	visitedKeys map[string]bool // keys whose lists are read or queued: a cycle ends there
	flat        bool            // the list itself has the records below, too
}

func treeOf(s *schemas.Stream) *recordTree {
	if s.Read.Below == nil {
		return nil
	}
	return &recordTree{stream: s, visitedKeys: map[string]bool{}}
}

// addChildLists adds the lists of a page's records to the lists still to be read; nil when the list is flat.
func (t *recordTree) addChildLists(left []listRequest, sh listPage) []listRequest {
	below, key := t.stream.Read.Below, keyPath(t.stream)
	for _, raw := range sh.Records {
		if sh.over == "" && below.Unless != nil {
			_, inside := scan.Scalar(scan.Field(raw, below.Unless...))
			t.flat = t.flat || inside
		}
		id, ok := scan.Scalar(scan.Field(raw, key...))
		if !ok || t.visitedKeys[id] {
			continue
		}
		t.visitedKeys[id] = true
		left = append(left, listOf(t.stream, 0).forValue(below.As, id))
	}
	if t.flat {
		return nil
	}
	return left
}

// skipVanished turns the 404 for the list of a record that disappeared since it was listed into an empty list.
func (s *sweepReader) skipVanished(sh listPage, err error) (listPage, error) {
	var failure *api.Error
	if s.tree == nil || s.walk.list.over == "" || !errors.As(err, &failure) || failure.Class != api.ClassNotFound {
		return sh, err
	}
	s.walk.ended, s.current.Steady = true, false
	return listPage{Envelope: envelope.Envelope{Total: -1}, over: s.walk.list.over, date: failure.ServerTime, end: true}, nil
}

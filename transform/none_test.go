package transform

import (
	"testing"

	"aqueduck/schemas"
)

// transcriptStream is a stream whose list may come as one empty object, or as text.
func transcriptStream() *schemas.Stream {
	return &schemas.Stream{
		Name: "transcripts", Table: "transcripts", Key: []string{"call_id"},
		Columns: []schemas.Column{newColumn("call_id", schemas.Text, "id"), newColumn("transcript_text", schemas.Text, "transcript")},
		Children: []schemas.Child{{
			Table: "lines", From: []string{"transcript"}, Key: []string{"call_id", "_position"}, Complete: true,
			Columns: []schemas.Column{newColumn("call_id", schemas.Text, schemas.FromParent, "call_id"), newColumn("_position", schemas.Int, schemas.FromPosition), newColumn("text", schemas.Text, "text")},
		}},
	}
}

func TestT88ListOfOneEmptyObjectIsEmpty(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sent  string
		lines int64
		text  bool
	}{
		"none":           {`[{}]`, 0, false},
		"an empty list":  {`[]`, 0, false},
		"null":           {`null`, 0, false},
		"lines":          {`[{"text":"hello"},{"text":"good bye"}]`, 2, false},
		"one unknown":    {`[{"utterance":"hello"}]`, 1, false},
		"a hole between": {`[{"text":"hello"},{},{"text":"good bye"}]`, 2, false},
		"text":           {`"hello\ngood bye"`, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := NewDecoder(transcriptStream(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Append([]byte(`{"id":"7","transcript":`+test.sent+`}`), Meta{}); err != nil {
				t.Fatal(err)
			}
			batches := d.Take()
			defer func() {
				for _, b := range batches {
					b.Rows.Release()
				}
			}()
			if len(d.Rejects()) != 0 || batches[1].Rows.NumRows() != test.lines || batches[0].Rows.Column(2).IsNull(0) == test.text {
				t.Errorf("%d lines, rejects %v\n%v", batches[1].Rows.NumRows(), d.Rejects(), batches[0].Rows)
			}
		})
	}
}

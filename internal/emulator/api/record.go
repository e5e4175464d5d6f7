package api

import (
	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/jsontext"
)

// answerRecords answers a list that is not paged.
func (w *Handlers) answerRecords(kind, key string, list []jsontext.Record) answer.Answer {
	return w.answerWholeList(kind, key, len(list), func(b []byte, n int32) []byte {
		p := &jsontext.Writer{Bytes: b}
		jsontext.WriteRecord(p, list[n])
		return p.Bytes
	})
}

package transform

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
)

// pendingReject is a reject of the current record. It counts only if the record is kept.
type pendingReject struct {
	table          int
	column, reason string
}

// rejectCounter counts the dead letters of a decoder.
type rejectCounter struct {
	stream          string
	plans           []*tablePlan
	text            *recordText
	mask            *jsonMasker
	pending         []pendingReject // of the record at hand
	counted         map[pendingReject]*Reject
	rejectedRecords []Reject
	deadLetters     []DeadLetter
}

// addPending notes a rejected value of the current record.
func (j *rejectCounter) addPending(table int, column, reason string) {
	j.pending = append(j.pending, pendingReject{table, column, reason})
}

// countPending counts the rejected values of a record that is kept; number is its number in the batch.
func (j *rejectCounter) countPending(number int) {
	for _, c := range j.pending {
		r := j.counted[c]
		if r == nil {
			r = &Reject{Stream: j.stream, Table: j.plans[c.table].table.Name, Column: c.column, Reason: c.reason, Key: j.currentKey()}
			j.counted[c] = r
		}
		r.Count++
		j.deadLetters = append(j.deadLetters, DeadLetter{Row: int64(number), Table: r.Table, Column: c.column, Reason: c.reason, Count: 1})
	}
}

// rejectRecord keeps the text of the current record, because n rows of a table were rejected.
func (j *rejectCounter) rejectRecord(number, table int, reason string, n int64) {
	reject := Reject{Stream: j.stream, Table: j.plans[table].table.Name, Reason: reason, Count: n, Key: j.currentKey(), Raw: j.mask.maskedRecord()}
	j.rejectedRecords = append(j.rejectedRecords, reject)
	m := DeadLetter{Row: int64(number), Table: reject.Table, Reason: reason, Count: n}
	if table == 0 {
		m.Row, m.Key = -1, reject.Key
		if m.Key == "" || len(j.plans[0].keys) > 1 {
			sum := sha256.Sum256(j.text.raw)
			m.Key = "text " + hex.EncodeToString(sum[:8])
		}
	}
	j.deadLetters = append(j.deadLetters, m)
}

func (j *rejectCounter) currentKey() string { return recordKey(j.plans[0], j.text) }

// recordKey is the first key column of the current record as text, "" when it has none.
func recordKey(own *tablePlan, x *recordText) string {
	if len(own.keys) == 0 || len(own.cells) == 0 {
		return ""
	}
	c := own.cells[own.keys[0]]
	switch k := own.columns[own.keys[0]].kind; {
	case !c.set:
		return ""
	case k.isFixed():
		return strconv.FormatInt(int64(c.number), 10)
	}
	return string(x.bytesOf(c.textSpan))
}

// takeRejects returns the rejects since the last call, and clears them.
func (j *rejectCounter) takeRejects() []Reject {
	list := j.rejectedRecords
	j.rejectedRecords = nil
	for _, r := range j.counted {
		list = append(list, *r)
	}
	clear(j.counted)
	slices.SortStableFunc(list, func(a, b Reject) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Reason, b.Reason))
	})
	return list
}

// takeDeadLetters returns the rejected values of a batch, and clears them.
func (j *rejectCounter) takeDeadLetters() []DeadLetter {
	list := j.deadLetters
	j.deadLetters = nil
	return list
}

package extract

import (
	"strings"
	"testing"

	"aqueduck/extract/internal/apitest"
)

func TestT126BytesOfRecordsPassThroughUntouched(t *testing.T) {
	t.Parallel()
	records := []string{
		`{"id":"1","name":"` + "\xff\xfe" + `"}`, `{"id":"2","name":"\ud800"}`, "{ \"id\" :\t\"3\" , \"n\":1.0e2 }", `{"id":"4","name":"\u0000"}`,
		`{"id":"5","id":"6","ID":"7"}`, `{}`, `{"":""}`, `{"id":123456789012345678901234567890}`, `{"a":{"}":"{"},"id":"9"}`, `"text"`, `7`, `[]`, `{"` + "\xff" + `":1}`,
	}
	a := serveAPI(t, apitest.AnswerWith(`{"data":[`+strings.Join(records, " ,\n")+`, null]}`))
	p := firstPage(t, NewReader(a.newClient(t), Request{Stream: sweepStream()}))
	if len(p.Records) != len(records) {
		t.Fatalf("%d records, want %d", len(p.Records), len(records))
	}
	for i, want := range records {
		if got := string(p.Records[i].Raw); got != want {
			t.Errorf("record %d is %q, want %q", i, got, want)
		}
	}
}

package extract

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"aqueduck/extract/internal/envelope"
	"aqueduck/schemas"
)

// benchPage is a page of 150 contacts of about 2 KB.
func benchPage() []byte {
	var records []string
	for i := range 150 {
		var b strings.Builder
		fmt.Fprintf(&b, `{"type":"contact","id":"64f0c0ffee%014d","workspace_id":"ws_demo","external_id":"user-%d","role":"user","email":"person.%d@example.com",`, i, i, i)
		fmt.Fprintf(&b, `"phone":"+4930%07d","name":"Person \"%d\" of the tests","avatar":null,"owner_id":%d,"social_profiles":{"type":"list","data":[]},`, i, i, i)
		for _, name := range strings.Fields("created_at signed_up_at last_seen_at last_replied_at last_contacted_at last_email_opened_at last_email_clicked_at") {
			fmt.Fprintf(&b, `%q:%d,`, name, 1_700_000_000+i)
		}
		fmt.Fprintf(&b, `"updated_at":%d,"location":{"type":"location","country":"Germany","region":"Berlin","city":"Berlin"},`, 1_700_000_000+i)
		b.WriteString(`"custom_attributes":{`)
		for j := range 20 {
			fmt.Fprintf(&b, `"attribute_%02d":"value %d of attribute %d",`, j, i, j)
		}
		fmt.Fprintf(&b, `"plan":"pro"},"tags":{"type":"list","data":[{"type":"tag","id":"1","url":"/tags/1"},{"type":"tag","id":"2","url":"/tags/2"}],"url":"/contacts/%d/tags","total_count":2,"has_more":false}}`, i)
		records = append(records, b.String())
	}
	return []byte(envelopeOf(records, 1_000_000, map[string]any{"starting_after": "x"}))
}

func benchStream() *schemas.Stream {
	s := searchStream()
	s.Children = []schemas.Child{{From: []string{"tags", "data"}, Count: []string{"tags", "total_count"}, Rest: []string{"tags", "url"}}}
	return s
}

// BenchmarkScan is what extraction does to a page that is in memory.
func BenchmarkScan(b *testing.B) {
	body := benchPage()
	l := listOf(benchStream(), 0)
	g := l.peek()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		e, err := envelope.Parse(body, []string{"data"}, g)
		if err != nil || len(e.Records) != 150 {
			b.Fatal(len(e.Records), err)
		}
	}
}

// BenchmarkRead is the whole way from a socket of this machine, the server's share included.
func BenchmarkRead(b *testing.B) {
	body := benchPage()
	var zipped bytes.Buffer
	zw, _ := gzip.NewWriterLevel(&zipped, gzip.BestSpeed)
	_, _ = zw.Write(body)
	_ = zw.Close()
	for _, gz := range []bool{false, true} {
		b.Run(fmt.Sprintf("gzip=%t", gz), func(b *testing.B) {
			a := serveAPI(b, func(w http.ResponseWriter, _ *http.Request, _ string) {
				if gz {
					w.Header().Set("Content-Encoding", "gzip")
					_, _ = w.Write(zipped.Bytes())
					return
				}
				_, _ = w.Write(body)
			})
			c := a.newClient(b)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			w := newWalk(c, listOf(benchStream(), 0), nil)
			for b.Loop() {
				if _, err := w.readFirstPage(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

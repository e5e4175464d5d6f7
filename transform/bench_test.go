package transform

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"aqueduck/schemas"
)

// sampleContact makes a contact of about 2 KB, as search returns it.
func sampleContact(i int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"contact","id":"65f0c1d2e3%014x","workspace_id":"abc123de","external_id":"customer-%d","role":"user",`, i, i)
	fmt.Fprintf(&b, `"email":"person.%d@example.com","email_verified":true,"phone":"+4930%08d","name":"Person Number %d","avatar":"https://cdn.example.com/avatars/%d/square_128.png?Signature=abc%d","owner_id":%d,`, i, i, i, i, i, i%40)
	fmt.Fprintf(&b, `"social_profiles":{"type":"list","data":[{"type":"social_profile","name":"Twitter","url":"https://twitter.example.com/p%d"}]},`, i)
	b.WriteString(`"unsubscribed_from_emails":false,`)
	for n, at := range []string{"created_at", "updated_at", "signed_up_at", "last_seen_at", "last_replied_at", "last_contacted_at", "last_email_opened_at", "last_email_clicked_at"} {
		fmt.Fprintf(&b, `"%s":%d,`, at, 1700000000+i*7+n)
	}
	b.WriteString(`"language_override":null,"browser":"chrome","browser_version":"120.0.6099.129","browser_language":"en-GB","os":"OS X 10.15.7",`)
	b.WriteString(`"location":{"type":"location","country":"Germany","region":"Baden-Württemberg","city":"Ulm"},`)
	for _, system := range []string{"android", "ios"} {
		fmt.Fprintf(&b, `"%[1]s_app_name":null,"%[1]s_app_version":null,"%[1]s_device":null,"%[1]s_os_version":null,"%[1]s_sdk_version":null,"%[1]s_last_seen_at":null,`, system)
	}
	fmt.Fprintf(&b, `"custom_attributes":{"plan":"enterprise","seats":%d,"trial":false,"mrr":%d.50,"lifecycle stage":"customer","region":"emea-central-1","account_manager":"someone@example.com","nps":9},`, i%100, i%1000)
	fmt.Fprintf(&b, `"tags":{"type":"list","data":[{"type":"tag","id":"tag%d","url":"/tags/tag%d"},{"type":"tag","id":"vip","url":"/tags/vip"}],"url":"/contacts/65f0c1d2e3%014x/tags","total_count":2,"has_more":false},`, i%50, i%50, i)
	fmt.Fprintf(&b, `"notes":{"type":"list","data":[],"url":"/contacts/65f0c1d2e3%014x/notes","total_count":0,"has_more":false},`, i)
	fmt.Fprintf(&b, `"companies":{"type":"list","data":[{"type":"company","id":"65f0aa%018x","url":"/companies/65f0aa%018x"}],"url":"/contacts/65f0c1d2e3%014x/companies","total_count":1,"has_more":false}}`, i%900, i%900, i)
	return []byte(b.String())
}

// catalogue is made once: no test changes it.
var catalogue = sync.OnceValues(schemas.Builtin)

func builtinStream(t testing.TB, name string) *schemas.Stream {
	t.Helper()
	catalogue, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	s, ok := catalogue.Stream(name)
	if !ok {
		t.Fatalf("no stream %s", name)
	}
	return s
}

// BenchmarkDecodeContacts is the whole of this package: bytes to Arrow, hashes included, in batches of 64 MB.
func BenchmarkDecodeContacts(b *testing.B) {
	records := make([][]byte, 150) // a page
	size := 0
	for i := range records {
		records[i] = sampleContact(i)
		size += len(records[i])
	}
	d, err := NewDecoder(builtinStream(b, "contacts"), Options{APIVersion: "2.17"})
	if err != nil {
		b.Fatal(err)
	}
	decode := func(i int) {
		if err := d.Append(records[i%len(records)], Meta{ReadAt: readAt}); err != nil {
			b.Fatal(err)
		}
		if d.Bytes() > 64<<20 {
			for _, batch := range d.Take() {
				batch.Rows.Release()
			}
		}
	}
	for i := range 60_000 { // the first batch has no released memory to reuse
		decode(i)
	}
	b.SetBytes(int64(size / len(records)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		decode(i)
	}
	b.StopTimer()
	if rejects := d.Rejects(); len(rejects) > 0 {
		b.Fatalf("rejects %+v", rejects)
	}
}

package transform

import (
	"strings"
	"testing"

	"aqueduck/schemas"
)

func TestT181AnAddressKeepsItsQueryAndLosesItsSignature(t *testing.T) {
	t.Parallel()
	const page, file = "url", "signed_url"
	tests := []struct{ name, as, address, want string }{
		{"no query", page, "https://x.test/a", "https://x.test/a"},
		{"a page", page, "/content?content=article&id=3234924", "/content?content=article&id=3234924"},
		{"a profile", page, "https://social.test/profile.php?id=1000&lang=de", "https://social.test/profile.php?id=1000&lang=de"},
		{"a page with a campaign", page, "https://shop.test/?utm_source=x&amp;utm_term=%20y#top", "https://shop.test/?utm_source=x&amp;utm_term=%20y#top"},
		{"words of its own", page, "https://shop.test/?policy=privacy&expires=never&st=1&sp=2&token=abc", "https://shop.test/?policy=privacy&expires=never&st=1&sp=2&token=abc"},
		{"an empty query", page, "https://x.test/a?", "https://x.test/a?"},
		{"no address", page, "?", "?"},

		{"expires and signature", page, "https://files.test/i/a.png?expires=1&signature=ab%3D&req=d3", "https://files.test/i/a.png"},
		{"beside an id", page, "https://files.test/get?id=7&Expires=1&Signature=ab&Key-Pair-Id=K&v=2#p", "https://files.test/get?id=7&v=2#p"},
		{"AWS 4", page, "https://b.test/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=c&x-amz-date=d&X-Amz-Expires=900&X-Amz-SignedHeaders=host&X-Amz-Signature=s&versionId=3", "https://b.test/k?versionId=3"},
		{"AWS 2", page, "https://b.test/k?AWSAccessKeyId=A&Expires=1&Signature=s", "https://b.test/k"},
		{"CloudFront", page, "https://c.test/k?Policy=p&Signature=s&Key-Pair-Id=K", "https://c.test/k"},
		{"Google 4", page, "https://g.test/k?X-Goog-Algorithm=a&X-Goog-Credential=c&X-Goog-Date=d&X-Goog-Expires=1&X-Goog-SignedHeaders=h&X-Goog-Signature=s", "https://g.test/k"},
		{"Google 2", page, "https://g.test/k?GoogleAccessId=a&Expires=1&Signature=s&generation=5", "https://g.test/k?generation=5"},
		{"shared access", page, "https://w.test/k?sv=2020&st=a&se=b&sr=b&sp=r&spr=https&sig=s%2B&snapshot=1", "https://w.test/k?snapshot=1"},
		{"hmac", page, "https://h.test/k?hmac=s&exp=1&a=b", "https://h.test/k?exp=1&a=b"},
		{"an escaped name", page, "https://h.test/k?a=b&X%2DAmz%2DSignature=s", "https://h.test/k?a=b"},
		{"no value", page, "https://h.test/k?signature&a", "https://h.test/k?a"},

		{"a file with its name", file, "https://files.test/get?id=7&name=a.png", "https://files.test/get?id=7&name=a.png"},
		{"a file with a token", file, "https://files.test/get?id=7&token=s&exp=1", "https://files.test/get?id=7"},
		{"a file that only ends", file, "https://files.test/a.png?expires=1", "https://files.test/a.png"},
		{"a file with sig alone", file, "https://files.test/a.png?sig=s&w=100", "https://files.test/a.png?w=100"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := unsignedURL(tt.address, tt.as); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			s := thingStream()
			s.Columns = append(s.Columns, schemas.Column{Name: "address", Type: schemas.Text, From: []string{"address"}, As: tt.as})
			for _, sent := range []string{tt.address, strings.ReplaceAll(tt.address, "/", `\/`)} {
				if got := newTestDecoder(t, s, Options{}).appendAll(`{"id": "1", "address": "` + sent + `"}`).onlyRow()["address"]; got != tt.want {
					t.Errorf("%s: stored %s, want %s", sent, got, tt.want)
				}
			}
		})
	}
}

func TestT181SignatureIsNeitherHashedNorStored(t *testing.T) {
	t.Parallel()
	hash := func(signature string) any {
		b := newTestDecoder(t, thingStream(), Options{}).appendAll(`{"id": "1", "link": "https://x.test/a?id=7&Expires=` + signature + `&Signature=` + signature + `", "link": "https://x.test/b?Signature=` + signature + `"}`)
		row := b.onlyRow()
		if row["link"] != "https://x.test/a?id=7" || row["_extra"] != `{"link":"https://x.test/b"}` {
			t.Errorf("got %v, %v", row["link"], row["_extra"])
		}
		return row["_hash"]
	}
	if hash("abc") != hash("def") {
		t.Error("another signature gives another hash")
	}
}

// TestT181AHashedAddressIsThatWithoutItsSignature: the signature changes at each reading, and with it the hash would.
func TestT181AHashedAddressIsThatWithoutItsSignature(t *testing.T) {
	t.Parallel()
	read := func(address string) map[string]any {
		return newTestDecoder(t, thingStream(), Options{Hash: []string{"link"}, HashKey: []byte("k")}).appendAll(`{"id": "1", "link": "` + address + `", "link": "` + address + `"}`).onlyRow()
	}
	bare := read("https://x.test/a?id=7")
	if s, ok := bare["link"].(string); !ok || len(s) != 32 {
		t.Fatalf("got %v", bare["link"])
	}
	for _, signature := range []string{"abc", "def"} {
		if got := read("https://x.test/a?id=7&Expires=" + signature + "&Signature=" + signature); got["link"] != bare["link"] || got["_extra"] != bare["_extra"] || got["_hash"] != bare["_hash"] {
			t.Errorf("signed with %s: %v %v, want %v %v", signature, got["link"], got["_hash"], bare["link"], bare["_hash"])
		}
	}
	if got := read("https://x.test/a?id=8"); got["link"] == bare["link"] {
		t.Error("another address has the same hash")
	}
}

func FuzzUnsigned(f *testing.F) {
	for _, address := range []string{"https://x.test/a?b=c&signature=d#e", "?", "#?", "a?&&=&", "a?%zz=1&sig=%"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		for _, as := range []string{"url", "signed_url"} {
			once := unsignedURL(address, as)
			if len(once) > len(address) || unsignedURL(once, as) != once {
				t.Errorf("%q: %q, then %q", address, once, unsignedURL(once, as))
			}
		}
	})
}

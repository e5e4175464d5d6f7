package api

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// Holds: S3.
func TestSecretIsNeverPrinted(t *testing.T) {
	t.Parallel()
	const canary = "tok3n-canary-93751"
	s := Secret(canary)
	holder := struct {
		Token   Secret
		Pointer *Secret
		List    []Secret
		Map     map[string]Secret
	}{s, &s, []Secret{s}, map[string]Secret{"token": s}}

	var out bytes.Buffer
	for _, verb := range strings.Fields("%v %+v %#v %s %q %x %X %d %t %c %U %e %10s %-3v") {
		fmt.Fprintf(&out, verb+"\n", s)
		fmt.Fprintf(&out, verb+"\n", &s)
		fmt.Fprintf(&out, verb+"\n", holder)
	}
	fmt.Fprintln(&out, s.String(), s.GoString(), s, fmt.Errorf("ask: %v", s))
	for _, log := range []*slog.Logger{
		slog.New(slog.NewTextHandler(&out, nil)),
		slog.New(slog.NewJSONHandler(&out, nil)),
	} {
		log.Info("start", "token", s, "holder", holder)
	}
	text, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(text)
	if err := xml.NewEncoder(&out).Encode(s); err != nil {
		t.Fatal(err)
	}

	for _, form := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%X", canary)} {
		if strings.Contains(out.String(), form) {
			t.Errorf("the token is shown as %s in:\n%s", form, out.String())
		}
	}
}

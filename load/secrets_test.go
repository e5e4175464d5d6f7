package load

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aqueduck/load/layout"
	"aqueduck/load/tombstone"
)

// TestF10ASecretWithABitChangedIsRefused flips bits of the salt in the log of erasures and of the hash key: with a
// changed one nothing that was hashed is found again. Secrets of older versions have no checksum and are accepted.
func TestF10ASecretWithABitChangedIsRefused(t *testing.T) {
	t.Parallel()
	d := layout.Dir(t.TempDir())
	if err := Prepare(d); err != nil {
		t.Fatal(err)
	}
	log, err := tombstone.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	key, err := d.MakeHashKey()
	if err := errors.Join(err, log.Begin()); err != nil {
		t.Fatal(err)
	}
	keyFile := filepath.Join(d.State(), "hash.key")
	readKey := func() ([]byte, error) { return d.ReadHashKey() }
	readSalt := func() ([]byte, error) {
		log, err := tombstone.Read(d)
		if err != nil {
			return nil, err
		}
		return log.Salt, nil
	}
	for _, c := range []struct {
		path string
		want []byte
		read func() ([]byte, error)
		old  func(text []byte) []byte
	}{
		{keyFile, key, readKey, func(text []byte) []byte { return text[:layout.HashKeySize] }},
		{d.Erasures(), log.Salt, readSalt, func(text []byte) []byte {
			return append(text[:bytes.IndexByte(text, ',')], "}\n"...)
		}},
	} {
		text, err := os.ReadFile(c.path)
		if err != nil {
			t.Fatal(err)
		}
		read := func(text []byte) ([]byte, error) {
			if err := os.WriteFile(c.path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			return c.read()
		}
		for at := range len(text) * 8 {
			bad := slices.Clone(text)
			bad[at/8] ^= 1 << (at % 8)
			if got, err := read(bad); err == nil && got != nil && !bytes.Equal(got, c.want) {
				t.Errorf("%s with bit %d changed gives another secret: %x", c.path, at, got)
			}
		}
		for _, good := range [][]byte{text, c.old(slices.Clone(text))} {
			if got, err := read(good); err != nil || !bytes.Equal(got, c.want) {
				t.Errorf("%s with %q gives %x, %v", c.path, good, got, err)
			}
		}
	}
}

// TestF4AnErasureDoesNotEndWithUnlistedTraces: an erasure has not ended while a directory with possible traces cannot be
// listed.
func TestF4AnErasureDoesNotEndWithUnlistedTraces(t *testing.T) {
	t.Parallel()
	d := layout.Dir(t.TempDir())
	if err := errors.Join(Prepare(d), d.BeginErasing(), os.Remove(d.RejectDir()), os.WriteFile(d.RejectDir(), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := d.EndErasing(); err == nil || !d.Erasing() {
		t.Errorf("the erasure has ended: %v", err)
	}
}

// TestOnlyAChangedMaskingRemovesWholeMessages, and the logs of runs: their words cannot be compared with masked values. An erasure begun before or
// after does not change that.
func TestOnlyAChangedMaskingRemovesWholeMessages(t *testing.T) {
	t.Parallel()
	const note = `{"error":"the disk is full","missing_models":"the disk is full","run":"01K9"}`
	for name, tt := range map[string]struct {
		begin []func(layout.Dir) error
		want  string
	}{
		"an erasure":                   {[]func(layout.Dir) error{layout.Dir.BeginErasing}, "the disk is full"},
		"a masking":                    {[]func(layout.Dir) error{layout.BeginMasking}, "(removed: hash or drop was set)"},
		"a masking, then an erasure":   {[]func(layout.Dir) error{layout.BeginMasking, layout.Dir.BeginErasing}, "(removed: hash or drop was set)"},
		"an erasure, then a masking":   {[]func(layout.Dir) error{layout.Dir.BeginErasing, layout.BeginMasking}, "(removed: hash or drop was set)"},
		"an erasure that began before": {[]func(layout.Dir) error{layout.Dir.BeginErasing, layout.Dir.BeginErasing}, "the disk is full"},
	} {
		d := layout.Dir(t.TempDir())
		log := filepath.Join(d.RunDir(), "01K90000000000000000000000"+layout.LogSuffix)
		if err := errors.Join(Prepare(d), os.WriteFile(d.EndsFile(), []byte("\n"+note), 0o600), os.WriteFile(log, []byte("\n"+note), 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, begin := range tt.begin {
			if err := begin(d); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.EndErasing(); err != nil || d.Erasing() {
			t.Fatal(err)
		}
		text, err := os.ReadFile(d.EndsFile())
		if err != nil || !strings.Contains(string(text), `"error":"`+tt.want+`","missing_models":"`+tt.want+`"`) || !strings.Contains(string(text), "01K9") {
			t.Errorf("%s leaves %s, %v", name, text, err)
		}
		if _, err := os.Stat(log); errors.Is(err, fs.ErrNotExist) != (tt.want == "(removed: hash or drop was set)") {
			t.Errorf("%s: the log of a run: %v", name, err)
		}
	}
}

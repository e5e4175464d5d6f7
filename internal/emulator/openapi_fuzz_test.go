package emulator_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/control"
)

// fuzzChecks are what schemathesis holds each answer to.
const fuzzChecks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"

// TestTheOpenAPIDocumentHoldsUnderFuzzing: a validator of others accepts the document, and a fuzzer of others finds neither an answer that is not
// of its schema nor an error of the server. make openapi runs it in an environment of its own.
func TestTheOpenAPIDocumentHoldsUnderFuzzing(t *testing.T) {
	requests, err := strconv.Atoi(os.Getenv("AQUEDUCK_OPENAPI_REQUESTS"))
	if err != nil {
		t.Skip("installs a validator and a fuzzer: make openapi")
	}
	dir := t.TempDir()
	bin := os.Getenv("AQUEDUCK_OPENAPI_VENV")
	if bin == "" {
		installPackage(t, "python3", "-m", "venv", filepath.Join(dir, "env"))
		bin = filepath.Join(dir, "env", "bin")
		installPackage(t, filepath.Join(bin, "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "testdata/openapi/requirements.txt")
	}
	if out, err := exec.Command(filepath.Join(bin, "openapi-spec-validator"), openAPIFile).CombinedOutput(); err != nil {
		t.Fatalf("the document is not valid: %v: %s", err, out)
	}
	for seed, done := 1, 0; done < requests; seed++ {
		population := []string{emulator.Odd, emulator.Team}[seed%2]
		w := emulator.New(emulator.Config{Seed: uint64(seed), Population: population, Contacts: 120, Conversations: 60, NoLog: true, Knobs: emulator.Knobs{NoLag: true}})
		document, known := emulator.OpenAPI(), seed%4 < 2 // half of the rounds know ids of records
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path != control.OpenAPIPath {
				w.ServeHTTP(rw, r)
				return
			}
			rw.Header().Set("Content-Type", "application/json")
			_, _ = rw.Write(document) // the client may have disconnected
		}))
		if known {
			document = knownIDs(t, &apiClient{t: t, w: w, url: server.URL, version: "2.17", header: "Service-Version"})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		run := exec.CommandContext(ctx, filepath.Join(bin, "schemathesis"), "run", server.URL+"/openapi.json", "--header", "Authorization: Bearer "+w.AccessToken(),
			"--checks", fuzzChecks, "--max-examples", "30", "--phases", "examples,coverage,fuzzing", "--seed", strconv.Itoa(seed), "--continue-on-failure", "--no-color", "--suppress-health-check", "all")
		run.Dir = dir
		var out bytes.Buffer
		run.Stdout, run.Stderr = &out, &out
		err := run.Run()
		cancel()
		server.Close()
		asked := w.CurrentState().Requests
		done += asked
		t.Logf("seed %d, population %s, known ids %t: %d requests, %d so far", seed, population, known, asked, done)
		if err != nil || asked == 0 {
			_, failures, _ := strings.Cut(out.String(), "= FAILURES =")
			failures, _, _ = strings.Cut(failures, "= WARNINGS =")
			t.Errorf("%v\n%s", err, cmp.Or(failures, out.String()))
			if asked == 0 {
				return
			}
		}
	}
}

// knownIDs is the document in which parameters of paths, and ids in bodies, are those of records: so that a fuzzer gets beyond not found.
func knownIDs(t *testing.T, c *apiClient) []byte {
	t.Helper()
	var doc m
	failOn(t, json.Unmarshal(emulator.OpenAPI(), &doc))
	s := &routeSampler{apiClient: c, jobs: map[string][]string{}}
	for _, r := range api.Routes {
		operation := doc["paths"].(m)[r.Path].(m)[strings.ToLower(r.Method)].(m)
		if words := wordInBraces.FindAllStringSubmatch(r.Path, -1); len(words) > 0 {
			ids := slices.Compact(slices.Sorted(slices.Values(s.idsOf(r.Path))))
			for _, p := range operation["parameters"].([]any) {
				if p := p.(m); p["name"] == words[0][1] && len(ids) > 0 {
					p["schema"] = m{"enum": ids[:min(len(ids), 30)]}
				}
			}
		}
		if body, ok := operation["requestBody"].(m); ok {
			fields, _ := body["content"].(m)["application/json"].(m)["schema"].(m)["properties"].(m)
			for _, name := range []string{"id", "from", "into"} {
				if fields[name] != nil {
					fields[name] = m{"anyOf": []any{m{"enum": c.w.ContactIDs("active")[:30]}, fields[name]}}
				}
			}
		}
	}
	text, err := json.Marshal(doc)
	failOn(t, err)
	return text
}

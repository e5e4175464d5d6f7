package cli

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// defaultToken is the token that emulate accepts without --token.
const defaultToken = "emulated-workspace-token"

// inDirectory returns a directory with a configuration.
func inDirectory(t *testing.T, config string) string {
	t.Helper()
	home := warehouseRoom(t)
	if err := os.WriteFile(filepath.Join(home, "pipelines.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// startEmulator starts emulate on a free port and returns its address when it answers.
func startEmulator(t *testing.T, args ...string) (p *testProcess, url string) {
	t.Helper()
	p = startProcess(t, "aqueduck", nil, append([]string{"emulate", "--port", "0", "--contacts", "60"}, args...)...)
	p.waitForText(" sync --dir emulated\n")
	_, url, _ = strings.Cut(p.outputText(), "serving an emulated workspace on ")
	url, _, _ = strings.Cut(url, "\n")
	return p, url
}

// suggestedCommands returns the command lines that emulate suggests: for curl and for sync.
func suggestedCommands(p *testProcess) (curl, sync string) {
	_, lines, _ := strings.Cut(p.outputText(), "needs a pipelines.yaml):\n")
	curl, lines, _ = strings.Cut(lines, "\n")
	sync, _, _ = strings.Cut(lines, "\n")
	return strings.TrimSpace(curl), strings.TrimSpace(sync)
}

func TestEmulatePrintsCommandsThatWork(t *testing.T) {
	t.Parallel()
	p, url := startEmulator(t, "--token", "it's-a-token")
	if !strings.Contains(p.outputText(), "\ntoken: it's-a-token\n") || !strings.Contains(p.outputText(), url+"/_oracle/contacts") {
		t.Errorf("it does not say the token and the oracle:\n%s", p.outputText())
	}
	curl, try := suggestedCommands(p)
	var stdout, stderr bytes.Buffer
	sync := exec.Command("sh", "-c", try)
	sync.Dir, sync.Stdout, sync.Stderr = inDirectory(t, scripted), &stdout, &stderr
	if err := sync.Run(); err != nil || !strings.Contains(stdout.String(), "\nOK nightly ok=4 ") {
		t.Errorf("%s\nended with %v:\n%s%s", try, err, &stdout, &stderr)
	}
	// The curl line as a shell reads it, sent by net/http because curl may be missing.
	asked, err := exec.Command("sh", "-c", strings.Replace(curl, "curl", `printf '%s\n'`, 1)).Output()
	words := strings.Split(strings.TrimSpace(string(asked)), "\n")
	if err != nil || len(words) != 4 || words[0] != "-sS" || words[1] != "-H" {
		t.Fatalf("%s is %q: %v", curl, words, err)
	}
	name, value, _ := strings.Cut(words[2], ": ")
	if body := requestBody(t, "GET", words[3], "", name, value); !strings.Contains(body, `"total_count":60`) {
		t.Errorf("%s answers %s", curl, body)
	}
	if _, err := exec.LookPath("curl"); err == nil {
		if out, err := exec.Command("sh", "-c", curl).CombinedOutput(); err != nil || !strings.Contains(string(out), `"total_count":60`) {
			t.Errorf("%s ended with %v: %s", curl, err, out)
		}
	}
	p.sendSignal(syscall.SIGTERM)
	if code := p.exitCode(); code != 0 {
		t.Errorf("it ended with %d:\n%s", code, p.outputText())
	}
}

// requestBody sends one request and returns the body of the answer; "" after a fault.
func requestBody(t *testing.T, method, url, body string, header ...string) string {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if len(header) == 2 {
		req.Header.Set(header[0], header[1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Holds: S2.
func TestEmulateLogsRequestsAndFaultsWithoutTokens(t *testing.T) {
	t.Parallel()
	p, url := startEmulator(t, "--token", "hidden-token", "--log-level", "debug")
	requestBody(t, "GET", url+"/contacts?access_token=hidden-token", "", "Authorization", "Bearer hidden-token")
	p.waitForText("level=DEBUG msg=request n=1 method=GET path=/contacts status=200 ")
	requestBody(t, "POST", url+"/_emulator/do/rotate", `{"token": "other-token"}`)
	p.waitForText("level=INFO msg=control do=rotate\n")
	requestBody(t, "POST", url+"/_emulator/chaos?set=error=1:502", "")
	requestBody(t, "GET", url+"/contacts", "", "Authorization", "Bearer other-token")
	p.waitForText(`level=INFO msg=fault n=2 method=GET path=/contacts status=502 version="" fault=error:502`)
	_, logged, _ := strings.Cut(p.outputText(), " sync --dir emulated\n")
	if strings.Contains(logged, "hidden-token") || strings.Contains(logged, "other-token") {
		t.Errorf("a token is logged:\n%s", logged)
	}
}

func TestEmulateFollowsItsFlags(t *testing.T) {
	t.Parallel()
	_, url := startEmulator(t, "--conversations", "7", "--hours", "2", "--api-version", "2.16", "--rate", "60", "--zone", "Asia/Tokyo")
	var state struct{ Hours, Conversations int }
	if err := json.Unmarshal([]byte(requestBody(t, "GET", url+"/_emulator/state", "")), &state); err != nil || state.Hours != 2 || state.Conversations < 7 || state.Conversations > 15 {
		t.Errorf("%+v, %v", state, err)
	}
	header := []string{"Authorization", "Bearer " + defaultToken}
	if body := requestBody(t, "GET", url+"/data_attributes", "", header...); strings.Contains(body, `"datetime"`) || !strings.Contains(body, `"date"`) {
		t.Errorf("2.16 answers %.200s", body)
	}
	for n := range 100 { // ten in each ten seconds of the clock, which may change in between
		if body := requestBody(t, "GET", url+"/teams", "", header...); strings.Contains(body, "rate_limit_exceeded") {
			if n < 5 {
				t.Errorf("the limit is reached at request %d", n)
			}
			return
		}
	}
	t.Error("--rate 60 is no limit")
}

func TestEmulateServesTheTokensAndThePlanOfItsFlags(t *testing.T) {
	t.Parallel()
	_, url := startEmulator(t, "--scoped-token", "reader=read_conversations,read_dynamic_content", "--scoped-token", "bare", "--knobs", `{"Unavailable": ["calls"]}`)
	for _, test := range []struct{ token, path, says string }{
		{"reader", "/dynamic_contents", `"type":"list"`}, {"bare", "/dynamic_contents", "lacks the scope read_dynamic_content"}, {defaultToken, "/dynamic_contents", `"type":"list"`},
		{"bare", "/contacts", `"type":"list"`}, {defaultToken, "/calls", "api_plan_restricted"}, {"reader", "/calls/1/recording", "api_plan_restricted"},
	} {
		if body := requestBody(t, "GET", url+test.path, "", "Authorization", "Bearer "+test.token); !strings.Contains(body, test.says) {
			t.Errorf("%s answers %s: %s", test.path, test.token, body)
		}
	}
}

func TestEmulateRefusesFlagsThatMakeNoWorkspace(t *testing.T) {
	t.Parallel()
	for line, wanted := range map[string]string{"--zone Europe/Berln": "--zone Europe/Berln: expected a name like Europe/Berlin", "--hours=-1": "--hours -1: expected 0 or more",
		"--rate=-1": "--rate -1: expected 0 or more", "--api-version latest": "--api-version latest: expected a number up to 2.17, such as 2.16", "--api-version 9.9": "--api-version 9.9: expected a number up to 2.17", "--port 99999": "--port 99999: expected a number up to 65535; 0 takes a free port", "--chaos eror=1": "no such fault",
		"--scoped-token =read_conversations": "expected a token and its scopes", "--scoped-token x=banana": `there is no scope "banana"; there are read_conversations, `, `--knobs {"Sorted":1}`: "error[usage] --knobs: there is no knob Sorted", `--knobs {"Unavailable":["call"]}`: "a list of routes",
		"--knobs {x": `--knobs: expected a JSON object, e.g. '{"Unavailable": ["calls"]}': invalid character`, "--knobs 7": "--knobs: expected a JSON object"} {
		a, _, stderr := inProcess(append([]string{"emulate"}, strings.Fields(line)...)...)
		if code := runCommand(t.Context(), a); code != 2 || !strings.Contains(stderr.String(), "error[usage] ") || !strings.Contains(stderr.String(), wanted) {
			t.Errorf("%s ended with %d:\n%s", line, code, stderr)
		}
	}
}

func TestEmulateReportsAPortInUse(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "aqueduck", nil, "emulate", "--port", "0", "--contacts", "60")
	p.waitForText("serving an emulated workspace on http://127.0.0.1:")
	_, port, _ := strings.Cut(p.outputText(), "http://127.0.0.1:")
	port, _, _ = strings.Cut(port, "\n")
	other := startProcess(t, "aqueduck", nil, "emulate", "--port", port, "--contacts", "60")
	if code := other.exitCode(); code != 3 || !strings.Contains(other.outputText(), "error[config] the emulator cannot open port "+port+": ") ||
		!strings.Contains(other.outputText(), "next: choose another port; --port 0 takes a free one") {
		t.Errorf("it ended with %d:\n%s", code, other.outputText())
	}
}

func TestEmulateNotifiesWebhooksAndReportsLostNotifications(t *testing.T) {
	t.Parallel()
	came := make(chan string, 10)
	hooks := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mac := hmac.New(sha1.New, []byte("between us"))
		_, _ = mac.Write(body)
		if r.URL.Path == "/broken" || r.Header.Get("X-Hub-Signature") != "sha1="+hex.EncodeToString(mac.Sum(nil)) {
			rw.WriteHeader(http.StatusInternalServerError)
		}
		came <- r.URL.Path + " " + string(body)
	}))
	t.Cleanup(hooks.Close)
	p, url := startEmulator(t, "--webhook", hooks.URL+"/taken", "--webhook", hooks.URL+"/broken", "--webhook-secret", "between us")
	p.waitForText("webhooks are signed with the secret between us\n")
	requestBody(t, "POST", url+"/_emulator/do/content.create", `{"kind": "dynamic_contents"}`)
	for range 2 {
		if one := <-came; !strings.Contains(one, `"topic":"dynamic_content.created"`) {
			t.Errorf("%s comes", one)
		}
	}
	p.waitForText("notification not delivered yet")
	p.sendSignal(syscall.SIGTERM)
	if code := p.exitCode(); code != 0 || !strings.Contains(p.outputText(), "notifications that were not delivered: 1\n") {
		t.Errorf("it ended with %d:\n%s", code, p.outputText())
	}
	for _, args := range [][]string{{"--webhook", "127.0.0.1:99"}, {"--webhook", "http://127.0.0.1/", "--webhook-secret", ""}} {
		if p := startProcess(t, "aqueduck", nil, append([]string{"emulate"}, args...)...); p.exitCode() != 2 {
			t.Errorf("%v is taken:\n%s", args, p.outputText())
		}
	}
}

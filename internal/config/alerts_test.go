package config

import (
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/alert"
)

// alertConfigOf loads a configuration with one alert.
func alertConfigOf(t *testing.T, text string) (*Config, error) {
	t.Helper()
	return configOf(t, map[string]string{"pipelines.yaml": `
version: 1
workspaces: {main: {base_url: emulator}}
pipelines: {nightly: {streams: [contacts]}, weekly: {streams: [calls]}}
alerts: {ops: ` + text + `}
`})
}

func TestAlertTargetsAndTheirEvents(t *testing.T) {
	t.Parallel()
	c, err := alertConfigOf(t, `{ping: "${PING}", webhook: "https://hooks.example.com/s3cret"}`)
	if err != nil {
		t.Fatal(err)
	}
	targets, missing := c.Alerts(variablesOf("PING", "https://ping.example.com/x\n"))
	if len(targets) != 1 || len(missing) > 0 {
		t.Fatal(targets, missing)
	}
	got := targets[0]
	if got.Name != "ops" || got.Ping != "https://ping.example.com/x" || got.Webhook != "https://hooks.example.com/s3cret" || got.Cooldown != 4*time.Hour ||
		!slices.Equal(got.On, []alert.Kind{alert.Failure, alert.Late, alert.Recovery}) {
		t.Errorf("%+v", got)
	}
	if c, err = alertConfigOf(t, `{webhook: "${HOOK}", on: [schema_change], cooldown: 1h, pipelines: weekly}`); err != nil {
		t.Fatal(err)
	}
	targets, _ = c.Alerts(variablesOf("HOOK", "https://hooks.example.com"))
	if got := targets[0]; !slices.Equal(got.On, []alert.Kind{alert.Changed}) || got.Cooldown != time.Hour || !slices.Equal(got.Pipelines, []string{"weekly"}) {
		t.Errorf("%+v", got)
	}
}

// TestAlertWithoutItsVariableFailsNoRun checks that the other targets still get their alerts.
func TestAlertWithoutItsVariableFailsNoRun(t *testing.T) {
	t.Parallel()
	c, err := alertConfigOf(t, `{ping: "${PING}", webhook: "${HOOK}"}`)
	if err != nil {
		t.Fatal(err)
	}
	targets, missing := c.Alerts(variablesOf("HOOK", "https://hooks.example.com"))
	if len(targets) != 1 || targets[0].Ping != "" || len(missing) != 1 || missing[0].Error() != "alerts.ops.ping: the variable PING is not set" {
		t.Errorf("%+v, %v", targets, missing)
	}
	if targets, missing := c.Alerts(variablesOf("HOOK", "http://s3cret.example.com", "PING", "s3cret")); len(targets) > 0 || len(missing) != 2 ||
		strings.Contains(missing[0].Error()+missing[1].Error(), "s3cret") {
		t.Errorf("%+v, %v; want two mistakes that do not show what may be secret", targets, missing)
	}
}

func TestWrongAlertsAreReported(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`:                                     "alerts.ops has neither ping nor webhook",
		`{on: [failure]}`:                        "alerts.ops has neither ping nor webhook",
		`{ping: "http://ping.example.com/s3t"}`:  "alerts.ops.ping: http:// would send the message unencrypted\n      = give an https:// address",
		`{webhook: "s3t"}`:                       "alerts.ops.webhook: this is not a URL\n      = e.g. ${WEBHOOK_URL}",
		`{ping: "${P}", on: [failures]}`:         `did you mean "failure"?`,
		`{ping: "${P}", pipelines: [nigthly]}`:   `no pipeline "nigthly"`,
		`{ping: "${P}", cooldown: soon}`:         "cooldown",
		`{pnig: "https://ping.example.com/s3t"}`: `did you mean "ping"?`,
	} {
		_, err := alertConfigOf(t, text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3t") {
			t.Errorf("%s: %v; want %q, and no address", text, err, want)
		}
	}
}

func TestAlertAddresses(t *testing.T) {
	t.Parallel()
	for text, fine := range map[string]bool{
		"https://ping.example.com/abc": true, "http://127.0.0.1:8000/x": true, "http://localhost/x": true, "http://[::1]:1/x": true,
		"http://ping.example.com/abc": false, "http://127.evil.example/": false, "ftp://ping.example.com": false, "ping.example.com": false, "": false, "https://": false, "%": false,
	} {
		err := alertAddress(text)
		if (err == nil) != fine {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil && strings.Contains(err.Error(), "abc") {
			t.Errorf("%v shows what may be secret", err)
		}
	}
}

//go:build worker

package worker

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
)

// authority signs the certificates of a test.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // its certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, file: filepath.Join(t.TempDir(), "authority.pem")}
	a.key = must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	form := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der := must(x509.CreateCertificate(rand.Reader, form, form, &a.key.PublicKey, a.key))(t)
	a.cert = must(x509.ParseCertificate(der))(t)
	must(0, os.WriteFile(a.file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))(t)
	return a
}

// sign returns the files of a certificate for this machine, and of its key.
func (a *authority) sign(name string) (certFile, keyFile string) {
	a.t.Helper()
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(a.t)
	form := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der := must(x509.CreateCertificate(rand.Reader, form, a.cert, &key.PublicKey, a.key))(a.t)
	pkcs8 := must(x509.MarshalPKCS8PrivateKey(key))(a.t)
	dir := a.t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	must(0, errors.Join(os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600),
		os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}), 0o600)))(a.t)
	return certFile, keyFile
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// guard is what stands before Temporal: it takes TLS from who has a certificate of the authority, and can be away.
type guard struct {
	t       *testing.T
	address string // of the guard
	server  string // address of Temporal
	tls     *tls.Config

	mu       sync.Mutex // guards what follows
	listener net.Listener
	open     []net.Conn
}

func newGuard(t *testing.T, server string, a *authority) *guard {
	t.Helper()
	certFile, keyFile := a.sign("temporal")
	known := x509.NewCertPool()
	known.AddCert(a.cert)
	g := &guard{t: t, address: "127.0.0.1:0", server: server, tls: &tls.Config{Certificates: []tls.Certificate{must(tls.LoadX509KeyPair(certFile, keyFile))(t)},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: known, NextProtos: []string{"h2"}}}
	g.begin()
	t.Cleanup(g.end)
	return g
}

// begin takes connections, at the same address as before.
func (g *guard) begin() {
	g.t.Helper()
	l := must(net.Listen("tcp", g.address))(g.t)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.address, g.listener = l.Addr().String(), l
	go func() {
		for {
			plain, err := l.Accept()
			if err != nil {
				return
			}
			go g.pass(tls.Server(plain, g.tls))
		}
	}()
}

// pass hands a connection on.
func (g *guard) pass(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", g.server)
	if err != nil {
		return
	}
	defer to.Close()
	g.mu.Lock()
	g.open = append(g.open, from, to)
	g.mu.Unlock()
	go func() { _, _ = io.Copy(from, to); from.Close() }()
	_, _ = io.Copy(to, from)
}

// end closes all connections and takes no more.
func (g *guard) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.listener.Close()
	for _, c := range g.open {
		c.Close()
	}
	g.open = nil
}

// words is a log that several goroutines write.
type words struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *words) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(b)
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// startTemporal starts a real server, and returns its address and namespace.
func startTemporal(t *testing.T) (address, namespace string) {
	t.Helper()
	program := os.Getenv("AQUEDUCK_TEMPORAL")
	if program == "" {
		t.Skip("it needs a Temporal server: make fleet runs it")
	}
	server := exec.Command(program)
	input, output := must(server.StdinPipe())(t), must(server.StdoutPipe())(t)
	must(0, server.Start())(t)
	t.Cleanup(func() {
		input.Close()
		_ = server.Wait() // it is no matter of this test how the server ends
	})
	said := strings.Fields(must(bufio.NewReader(output).ReadString('\n'))(t))
	if len(said) != 2 {
		t.Fatalf("Temporal said %q", said)
	}
	return said[0], said[1]
}

// TestAWorkerOfARealServer: it speaks TLS with a certificate of its own, and is told apart from one without; it goes on when a Temporal that was gone is back;
// and it pauses the schedules of workspaces that its configuration lacks.
func TestAWorkerOfARealServer(t *testing.T) {
	address, namespace := startTemporal(t)
	plain := must(client.Dial(client.Options{HostPort: address, Namespace: namespace}))(t)
	t.Cleanup(plain.Close)
	ours, others := newAuthority(t), newAuthority(t)
	g := newGuard(t, address, ours)
	t.Setenv("TEMPORAL_NAMESPACE", namespace)
	all := loadText(t, several)
	var log words
	ran := make(chan string, 10)
	s := Setup{Address: g.address, Parallel: 1, Log: slog.New(slog.NewTextHandler(&log, nil)), Config: func() (*config.Config, error) { return all, nil },
		Run: func(_ context.Context, workspace, pipeline string, _ func()) Outcome {
			ran <- workspace + " " + pipeline
			return Outcome{}
		}}
	refused := func(what string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		var p *problem.Problem
		if err := WorkFor(ctx, s); !errors.As(err, &p) || p.Class != "transient" || !strings.Contains(p.Error(), "connect to Temporal at "+g.address) || !strings.Contains(p.Next, "TEMPORAL_TLS_") {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("without TLS")
	certFile, keyFile := ours.sign("worker")
	t.Setenv("TEMPORAL_TLS", "true")
	t.Setenv("TEMPORAL_TLS_SERVER_CA_CERT_PATH", ours.file)
	refused("without a certificate")
	t.Setenv("TEMPORAL_TLS_CLIENT_CERT_PATH", certFile)
	t.Setenv("TEMPORAL_TLS_CLIENT_KEY_PATH", keyFile)
	t.Setenv("TEMPORAL_TLS_SERVER_CA_CERT_PATH", others.file)
	refused("a server of another authority")
	t.Setenv("TEMPORAL_TLS_SERVER_CA_CERT_PATH", ours.file)

	start := func() (stop func()) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- WorkFor(ctx, s) }()
		return func() {
			t.Helper()
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	}
	trigger := func(workspace string) {
		t.Helper()
		look := time.NewTicker(100 * time.Millisecond)
		defer look.Stop()
		for n := 0; ; n++ {
			err := plain.ScheduleClient().GetHandle(t.Context(), "aqueduck/"+workspace).Trigger(t.Context(), client.ScheduleTriggerOptions{})
			if err == nil {
				return
			}
			if n == 300 {
				t.Fatal(err)
			}
			<-look.C
		}
	}
	expectRun := func(want string) {
		t.Helper()
		select {
		case got := <-ran:
			if got != want {
				t.Errorf("it ran %s, not %s", got, want)
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("%s was not run:\n%s", want, log.String())
		}
	}
	stop := start()
	trigger("eu")
	expectRun("eu nightly")
	expectRun("eu sometimes")
	g.end()
	trigger("us") // while the worker has no Temporal
	g.begin()
	expectRun("us nightly")
	expectRun("us weekly")
	expectRun("us sometimes")
	stop()

	is := func(workspace string, paused bool, note string) {
		t.Helper()
		d := must(plain.ScheduleClient().GetHandle(t.Context(), "aqueduck/"+workspace).Describe(t.Context()))(t)
		if d.Schedule.State.Paused != paused || d.Schedule.State.Note != note {
			t.Errorf("%s: paused %t, %q", workspace, d.Schedule.State.Paused, d.Schedule.State.Note)
		}
	}
	must(0, plain.ScheduleClient().GetHandle(t.Context(), "aqueduck/eu").Pause(t.Context(), client.SchedulePauseOptions{Note: "a person"}))(t)
	few := loadText(t, strings.Replace(strings.Replace(several, "workspaces: [eu, us]", "workspaces: [eu]", 1), "workspaces: [us]", "workspaces: [eu]", 1))
	for _, step := range []struct {
		has    *config.Config
		paused bool
		note   string
	}{{few, true, pausedNote}, {few, true, pausedNote}, {all, false, ""}} {
		must(0, Setup{Log: s.Log, Config: func() (*config.Config, error) { return step.has, nil }}.placeSchedules(t.Context(), plain))(t)
		is("us", step.paused, step.note)
		is("eu", true, "a person")
	}
	if said := log.String(); !strings.Contains(said, "is paused") || !strings.Contains(said, "its schedule goes on") {
		t.Errorf("the log has\n%s", said)
	}
}

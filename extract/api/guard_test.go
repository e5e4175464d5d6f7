package api

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"aqueduck/extract/internal/apitest"
)

// testCertificate is one for a name, of an authority of its own.
func testCertificate(t testing.TB, name string, until time.Time) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: until.Add(-48 * time.Hour), NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	if ip := net.ParseIP(name); ip != nil {
		of.IPAddresses = []net.IP{ip}
	} else {
		of.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(whole)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

// TestS8OnlyAServerThatProvesItsNameIsAsked has servers with a valid certificate, an expired one, one of another name or of an
// unknown root, and with an old protocol version. Only the first receives the token.
func TestS8OnlyAServerThatProvesItsNameIsAsked(t *testing.T) {
	t.Parallel()
	tomorrow := time.Now().Add(24 * time.Hour)
	for _, test := range []struct {
		name, host string
		until      time.Time
		newest     uint16 // newest TLS version of the server; 0: any
		trusted    bool
		want       string // text of the error; empty: the request is sent
	}{
		{name: "good", host: "127.0.0.1", until: tomorrow, trusted: true},
		{name: "TLS 1.2", host: "127.0.0.1", until: tomorrow, newest: tls.VersionTLS12, trusted: true},
		{name: "TLS 1.1", host: "127.0.0.1", until: tomorrow, newest: tls.VersionTLS11, trusted: true, want: "protocol version"},
		{name: "expired", host: "127.0.0.1", until: tomorrow.Add(-48 * time.Hour), trusted: true, want: "expired"},
		{name: "another name", host: "api.example.org", until: tomorrow, trusted: true, want: "certificate"},
		{name: "nobody's root", host: "127.0.0.1", until: tomorrow, want: "certificate"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			own, roots := testCertificate(t, test.host, test.until)
			asked := 0
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				apitest.Reply(w, `{"data":[]}`)
			}))
			server.Config.ErrorLog = quietLogger()
			server.TLS = &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS10, MaxVersion: test.newest}
			server.StartTLS()
			defer server.Close()
			clk := apitest.NewClock()
			c, err := New(Options{BaseURL: server.URL, Token: "x", Version: "2.17", Now: clk.Now, Wait: clk.Wait})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if test.trusted {
				c.http.Transport.(onlyReads).TLSClientConfig.RootCAs = roots
			}
			_, err = askFirst(c)
			if (err == nil) != (test.want == "") || (asked > 0) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v after %d requests that came through, want %q", err, asked, test.want)
			}
		})
	}
}

// Holds: S8.
func TestCertificatesAreVerified(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request came through") }))
	server.Config.ErrorLog = quietLogger()
	server.StartTLS()
	defer server.Close()
	clk := apitest.NewClock()
	c, err := New(Options{BaseURL: server.URL, Token: "x", Version: "2.17", Now: clk.Now, Wait: clk.Wait})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := askFirst(c); ClassOf(err) != ClassContract || c.Requests() != 1 || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v after %d requests", err, c.Requests())
	}
}

// Holds: S8.
func TestPlainHTTPLeavesThisMachineNever(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"127.0.0.1:80": true, "[::1]:80": true, "127.8.9.1:1": true, "[::ffff:127.0.0.1]:80": true,
		"10.0.0.1:80": false, "169.254.169.254:80": false, "[fe80::1]:80": false, "8.8.8.8:80": false, "0.0.0.0:80": false, "nonsense": false,
	} {
		if err := onlyLoopback("tcp", address, nil); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestS6TheTransportItselfSendsNothingThatWrites calls the transport directly, without the checks before it.
func TestS6TheTransportItselfSendsNothingThatWrites(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith(`{"data":[]}`))
	c := a.newClient(t, func(o *Options) { o.BaseURL = a.URL + "/v1" })
	for _, test := range []struct {
		method, path string
		sent         bool
	}{
		{"GET", "/v1/contacts/1", true}, {"POST", "/v1/contacts/search", true}, {"POST", "/v1/export/reporting_data/enqueue", true},
		{"POST", "/v1/contacts", false}, {"PUT", "/v1/contacts/1", false}, {"DELETE", "/v1/contacts/1", false}, {"PATCH", "/v1/contacts/1", false},
		{"POST", "/v1/contacts/merge", false}, {"POST", "/v1/export/reporting_data/enqueue/", false}, {"POST", "/v1/x%2Fsearch", false},
	} {
		before := len(a.Requests())
		req, err := http.NewRequestWithContext(t.Context(), test.method, a.URL+test.path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.http.Do(req)
		if err == nil {
			err = res.Body.Close()
		}
		if sent := len(a.Requests()) > before; sent != test.sent || errors.Is(err, errOnlyReads) == test.sent {
			t.Errorf("%s %s: sent %t, %v", test.method, test.path, sent, err)
		}
	}
}

// TestS11OnlyPublicAddressesAreDialled checks addresses after names were resolved and spellings parsed.
func TestS11OnlyPublicAddressesAreDialled(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"127.0.0.1", "127.9.9.9", "0.0.0.0", "0.1.2.3", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
		"100.100.100.200", "192.0.0.192", "198.18.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0",
		"fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::a9fe:a9fe",
		"64:ff9b:1::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::", "2001:db8::1", "100::1",
	} {
		if err := onlyPublic("tcp", net.JoinHostPort(address, "443"), nil); err == nil {
			t.Errorf("%s is dialled", address)
		}
	}
	for _, address := range []string{"8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "2a00:1450::1"} {
		if err := onlyPublic("tcp", net.JoinHostPort(address, "443"), nil); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := onlyPublic("tcp", "nonsense", nil); err == nil {
		t.Error("nonsense is dialled")
	}
}

// TestS11NamesThatLeadInsideAreNotDialled has a name server that answers with this machine's address, and writes that address in
// every spelling that a resolver accepts. The server that listens there must receive nothing.
func TestS11NamesThatLeadInsideAreNotDialled(t *testing.T) {
	t.Parallel()
	inside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	_, port, _ := net.SplitHostPort(inside.Addr().String())
	names := nameServer(t, [4]byte{127, 0, 0, 1})
	base, err := parseBase("https://api.example.org")
	if err != nil {
		t.Fatal(err)
	}
	for _, own := range []bool{true, false} {
		for _, host := range []string{"files.example.org", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "::ffff:127.0.0.1", "::1"} {
			d := guardedDialer(base, defaultLimits)
			d.Resolver = &net.Resolver{PreferGo: own, Dial: names}
			if !own && host == "files.example.org" {
				continue // the system's resolver would use the network
			}
			conn, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort(host, port))
			if err == nil {
				_ = conn.Close()
				t.Errorf("%s was dialled", host)
			}
			if own && host == "files.example.org" && (err == nil || !strings.Contains(err.Error(), "127.0.0.1:"+port+" is not a public address")) {
				t.Errorf("%s: %v", host, err)
			}
		}
	}
}

// nameServer answers every question for an address with one.
func nameServer(t *testing.T, answer [4]byte) func(context.Context, string, string) (net.Conn, error) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		question := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(question)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(question[:n]) != nil || len(m.Questions) == 0 {
				continue
			}
			m.Response, m.Additionals = true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: &dnsmessage.AResource{A: answer}}}
			}
			if packed, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(packed, from)
			}
		}
	}()
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}
}

func TestS14HeadersWithoutEndAreGivenUp(t *testing.T) {
	t.Parallel()
	for size, ok := range map[int]bool{60 << 10: true, 80 << 10: false} {
		a := serveAPI(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("X-Long", strings.Repeat("x", size))
			apitest.Reply(w, `{"data":[]}`)
		})
		if _, err := askFirst(a.newClient(t)); (err == nil) != ok {
			t.Errorf("headers of %d bytes: %v", size, err)
		}
	}
}

// TestS10HopsEndAndEachIsLookedAt follows a file's URL through redirects: at most three, and only to https, or to loopback if the
// API is on loopback.
func TestS10HopsEndAndEachIsLookedAt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		hops int
		last string // where the last hop leads; empty: to the file
		ok   bool
	}{
		{"no hop", 0, "", true}, {"three hops", 3, "", true}, {"four hops", 4, "", false},
		{"to another scheme", 1, "file:///etc/passwd", false}, {"with a password", 1, "https://me:secret@files.example.org/x", false},
		{"inside", 1, "http://169.254.169.254/latest", false}, {"to a host that nobody has named", 1, "https://files.example.org/x", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			n := 0
			a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
				if n++; n > test.hops {
					apitest.Reply(w, "the file")
					return
				}
				to := "/next?signature=abcdef"
				if n == test.hops && test.last != "" {
					to = test.last + "?signature=abcdef"
				}
				http.Redirect(w, r, to, http.StatusFound)
			})
			elsewhere := strings.Replace(a.URL, "127.0.0.1", "localhost", 1) // another host than the API's: no token
			var got bytes.Buffer
			_, err := a.newClient(t).Download(t.Context(), File{Stream: sweepStream(), URL: elsewhere + "/first?signature=abcdef", Most: 100}, &got)
			if (err == nil) != test.ok || test.ok && got.String() != "the file" || err != nil && strings.Contains(err.Error(), "abcdef") {
				t.Errorf("%q, %v", got.String(), err)
			}
			var foreign *ForeignHost
			if errors.As(err, &foreign) != strings.HasPrefix(test.last, "https://files.") {
				t.Errorf("%v", err)
			}
			for _, asked := range a.Requests() {
				if asked.Auth != "" || asked.Version != "" {
					t.Errorf("a host that is not the API's was sent %v", asked.Header)
				}
			}
		})
	}
}

// TestS10FilesComeFromTheSiteOfTheAPIAndFromHostsThatAreNamed reads addresses that an answer may name, beside several APIs.
func TestS10FilesComeFromTheSiteOfTheAPIAndFromHostsThatAreNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		base    string
		hosts   []string
		fetched []string
		refused []string
	}{
		{base: "https://api.eu.example.co.uk", fetched: []string{"api.eu.example.co.uk", "API.eu.example.co.uk.", "files.example.co.uk", "example.co.uk", "api.eu.example.co.uk:8443"},
			refused: []string{"example.org", "evilexample.co.uk", "example.co.uk.evil.org", "other.co.uk", "co.uk", "93.184.216.34", "[2606:2800::1]", "files.xn--exmple-cua.co.uk"}},
		{base: "https://api.example.org", hosts: []string{"bucket.storage.example.net", "*.files.example.com"},
			fetched: []string{"bucket.storage.example.net", "a.files.example.com", "a.b.files.example.com"},
			refused: []string{"storage.example.net", "other.storage.example.net", "x.bucket.storage.example.net", "files.example.com", "evilfiles.example.com", "files.example.com.evil.org"}},
		{base: "https://mine.github.io", refused: []string{"another.github.io", "github.io"}},
		{base: "https://93.184.216.34", fetched: []string{"93.184.216.34"}, refused: []string{"94.184.216.34", "9.93.184.216.34", "localhost"}},
		{base: "http://127.0.0.1:8080", fetched: []string{"localhost", "127.0.0.1:81", "[::1]"}, refused: []string{"example.org"}},
	} {
		c, err := New(Options{BaseURL: test.base, Token: "secret", Version: "2.17", FileHosts: test.hosts})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for want, hosts := range map[bool][]string{true: test.fetched, false: test.refused} {
			for _, host := range hosts {
				_, err := c.allowedURL(c.base, "https://"+host+"/x?signature=abcdef")
				var foreign *ForeignHost
				if (err == nil) != want || !want && !errors.As(err, &foreign) {
					t.Errorf("a file at %s beside %s: %v", host, test.base, err)
				}
			}
		}
	}
}

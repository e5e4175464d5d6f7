package api

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// newFileTransport is for addresses that answers name: it carries no credentials, and reaches no machine of the inside.
func newFileTransport(base *url.URL, l requestLimits) *http.Transport {
	t := newTransport(base, l)
	t.DialContext = guardedDialer(base, l).DialContext
	return t
}

// guardedDialer dials public addresses only; beside an API on this machine, only this machine. What counts is the address that a
// connection is made to: a name may resolve to another one a moment later, and a number may be written in many ways.
func guardedDialer(base *url.URL, l requestLimits) *net.Dialer {
	dialer := &net.Dialer{Timeout: l.dial, KeepAlive: 30 * time.Second, Control: onlyPublic}
	if base.Scheme == "http" {
		dialer.Control = onlyLoopback
	}
	return dialer
}

// onlyLoopback refuses a name that the system resolves to another machine.
func onlyLoopback(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil || !a.Addr().Unmap().IsLoopback() {
		return fmt.Errorf("%s is not this machine: http:// is allowed for loopback only", address)
	}
	return nil
}

// isLoopback reports whether host names this machine.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// onlyPublic refuses what a name must not lead to: this machine, its network, and what lies in between.
func onlyPublic(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil || !isPublic(a.Addr()) {
		return fmt.Errorf("%s is not a public address: files are downloaded only from public addresses", address)
	}
	return nil
}

// isPublic says whether an address is one of the open network. Of IPv6 only what is given out to networks is: all else is local,
// or carries an IPv4 address in it, which a gateway may lead inside.
func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap()
	if ip.Is6() && !netip.MustParsePrefix("2000::/3").Contains(ip) {
		return false
	}
	for _, inside := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
		"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		if netip.MustParsePrefix(inside).Contains(ip) {
			return false
		}
	}
	return true
}

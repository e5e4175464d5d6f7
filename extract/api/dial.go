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

// newFileTransport is for URLs that answers name. It cannot reach addresses of the internal network, so that an answer cannot
// make aqueduck read one.
func newFileTransport(base *url.URL, l requestLimits) *http.Transport {
	t := newTransport(base, l)
	t.DialContext = guardedDialer(base, l).DialContext
	return t
}

// guardedDialer dials public addresses only; loopback only if the API is on loopback. It checks the address of the connection
// itself: a name may resolve to another address a moment later, and an IP address has several spellings.
func guardedDialer(base *url.URL, l requestLimits) *net.Dialer {
	dialer := &net.Dialer{Timeout: l.dial, KeepAlive: 30 * time.Second, Control: onlyPublic}
	if base.Scheme == "http" {
		dialer.Control = onlyLoopback
	}
	return dialer
}

// onlyLoopback refuses addresses that are not loopback.
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

// onlyPublic refuses loopback, private and reserved addresses.
func onlyPublic(_, address string, _ syscall.RawConn) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil || !isPublic(a.Addr()) {
		return fmt.Errorf("%s is not a public address: files are downloaded only from public addresses", address)
	}
	return nil
}

// isPublic reports whether an address is a public one. Of IPv6 only the range given out to networks counts: the others are local,
// or embed an IPv4 address that a gateway may route inside.
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

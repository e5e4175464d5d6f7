package api

import (
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// ForeignHost is the error of a file's address at a host that files are not fetched from: it was not asked. The document names none
// for signed addresses (workspace-api 4.11): those outside the API's own site are the configuration's to name.
type ForeignHost struct{ Host string }

// Error names the host, and nothing else of the address: the rest may be a signature.
func (e *ForeignHost) Error() string { return "downloads are not allowed from " + e.Host }

// trustsHost says whether files are fetched from a host: the API's own, those of its site, those that FileHosts names. An API on this
// machine has this machine for its site.
func (c *Client) trustsHost(u *url.URL) bool {
	host, own := hostOf(u), hostOf(c.base)
	if host == own || c.base.Scheme == "http" && isLoopback(host) {
		return true
	}
	for _, name := range c.o.FileHosts {
		below, wild := strings.CutPrefix(name, "*")
		if host == name || wild && strings.HasSuffix(host, below) {
			return true
		}
	}
	if _, err := netip.ParseAddr(own); err == nil {
		return false // a number has no site
	}
	site, err := publicsuffix.EffectiveTLDPlusOne(own)
	return err == nil && (host == site || strings.HasSuffix(host, "."+site))
}

// hostOf is a host's name as it is compared: a port is no part of it, nor are capitals and the dot of the root.
func hostOf(u *url.URL) string { return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") }

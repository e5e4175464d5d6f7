package api

import (
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// ForeignHost is the error of a file's URL at a host that is not trusted; no request was sent. The document names no host for
// signed URLs (workspace-api 4.11): hosts outside the API's own site must be configured.
type ForeignHost struct{ Host string }

// Error names only the host: the rest of the URL may be a signature.
func (e *ForeignHost) Error() string { return "downloads are not allowed from " + e.Host }

// trustsHost reports whether files may be fetched from a URL's host: the API's own, another host of its registrable domain, or
// one of FileHosts. For an API on loopback, every loopback address.
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
		return false // an IP address has no registrable domain
	}
	site, err := publicsuffix.EffectiveTLDPlusOne(own)
	return err == nil && (host == site || strings.HasSuffix(host, "."+site))
}

// hostOf is a host's name for comparison: lower case, without a port and the final dot.
func hostOf(u *url.URL) string { return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") }

package console

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"sync"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
)

// mostZoned limits the pages that are kept for zones; those of further zones are made for each request.
const mostZoned = 200

// zoneSwitch has the pages of a console in the time zones that browsers choose.
type zoneSwitch struct {
	o     Options
	guard *accessGuard
	pages map[string]*template.Template // as they were read, by name; they are never executed: a page that was cannot be cloned

	mu    sync.Mutex                    // guards what follows
	zoned map[string]*template.Template // by zone and name
}

// zoneOf returns the time zone that a browser has chosen; without one it is that of the warehouse.
func (z *zoneSwitch) zoneOf(r *http.Request) *time.Location {
	if cookie, err := r.Cookie(z.zoneCookie()); err == nil {
		if zone, err := loadZone(cookie.Value); err == nil {
			return zone
		}
	}
	if zone, err := loadZone(z.warehouseZone()); err == nil {
		return zone
	}
	return time.UTC
}

func (z *zoneSwitch) zoneCookie() string { return z.guard.cookieName() + "_zone" }

func (z *zoneSwitch) warehouseZone() string {
	config, _ := z.o.Config()
	return cmp.Or(config.Warehouse.Timezone, "UTC")
}

// loadZone returns a zone by its name in the IANA database. The zone of this machine has no name there.
func loadZone(name string) (*time.Location, error) {
	if name == "" || name == "Local" {
		return nil, fmt.Errorf("no time zone %q", name)
	}
	return time.LoadLocation(name)
}

// serveZone keeps the time zone that a person chose in a cookie.
func (c *Console) serveZone(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		c.renderError(w, r, errForm)
		return
	}
	zone, err := loadZone(r.PostForm.Get("zone"))
	if err != nil {
		c.renderError(w, r, &problem.Problem{Class: "usage", What: fmt.Sprintf("there is no time zone %q", r.PostForm.Get("zone")), Next: "name it as in Europe/Berlin, or UTC"})
		return
	}
	const year = 365 * 24 * 60 * 60
	http.SetCookie(w, &http.Cookie{Name: c.zones.zoneCookie(), Value: zone.String(), Path: "/", MaxAge: year, HttpOnly: true, Secure: c.o.TLS, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, safeRedirectPath(r.PostForm.Get("back")), http.StatusSeeOther)
}

// pageIn returns a page whose times are in a zone.
func (z *zoneSwitch) pageIn(name string, zone *time.Location) (*template.Template, error) {
	key := zone.String() + " " + name
	z.mu.Lock()
	defer z.mu.Unlock()
	if page := z.zoned[key]; page != nil {
		return page, nil
	}
	page, err := z.pages[name].Clone()
	if err != nil {
		return nil, err
	}
	page.Funcs(template.FuncMap{
		"zone":   zone.String,
		"exact":  func(t time.Time) string { return formatExact(t, zone) },
		"clock":  func(t time.Time) string { return t.In(zone).Format("15:04") },
		"date":   func(t time.Time) string { return t.In(zone).Format("2 Jan 2006") },
		"day":    func(t time.Time) string { return t.In(zone).Format("Mon 2 Jan") },
		"strip":  func(runs []runlog.PastRun) template.HTML { return drawRunStrip(runs, zone) },
		"second": func(t time.Time) string { return t.In(zone).Format(time.TimeOnly) },
	})
	if len(z.zoned) < mostZoned {
		z.zoned[key] = page
	}
	return page, nil
}

// formatExact formats a time to the second, with its zone; "" for none.
func formatExact(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return t.In(zone).Format("2006-01-02 15:04:05 MST")
}

// formatRelative formats how long ago a time was by the clock of the warehouse, as the overview that was read last has it.
func (c *Console) formatRelative(t time.Time) string {
	c.mu.Lock()
	seen := c.seen
	c.mu.Unlock()
	if seen != nil {
		return formatAgo(seen.Now, t)
	}
	now, _ := runlog.WarehouseTime(c.o.Dir, c.o.Now())
	return formatAgo(now, t)
}

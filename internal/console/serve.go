package console

import (
	"context"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"aqueduck/internal/console/web"
	"aqueduck/internal/runlog"
	"aqueduck/internal/term"
	"aqueduck/load/layout"
)

//go:embed pages/*.html
var pages embed.FS

//go:embed assets
var assets embed.FS

// New returns a console. It opens no file and does not listen yet.
func New(o Options) (*Console, error) {
	if len(o.Secret) < shortest {
		return nil, fmt.Errorf("the token or password of the console has fewer than %d characters", shortest)
	}
	c := &Console{o: o, guard: newGuard(o), live: make(chan struct{}, mostLive), ending: make(chan struct{})}
	c.zones = &zoneSwitch{o: o, guard: c.guard, pages: map[string]*template.Template{}, zoned: map[string]*template.Template{}}
	var err error
	if c.assets, err = fs.Sub(assets, "assets"); err != nil {
		return nil, err
	}
	names, err := fs.Glob(pages, "pages/*.html")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "pages/"), ".html")
		if name == "layout" || name == "parts" {
			continue
		}
		page, err := template.New("layout.html").Funcs(templateFuncs).Funcs(template.FuncMap{"ours": o.hasPipeline, "relative": c.formatRelative,
			"mayRetry": func(pipeline string) bool { return name == "overview" && !o.ReadOnly && o.hasPipeline(pipeline) }}).ParseFS(pages, "pages/layout.html", "pages/parts.html", "pages/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("read the page %s: %w", name, err)
		}
		c.zones.pages[name] = page
	}
	c.handler = c.guard.protectPages(c.registerRoutes())
	return c, nil
}

// hasPipeline reports whether the configuration has a pipeline: runs of others have no page to link to.
func (o Options) hasPipeline(name string) bool {
	config, _ := o.Config()
	_, ok := config.Pipeline(name)
	return ok
}

// ServeHTTP answers a request if it is allowed.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.ServeHTTP(w, r) }

func (c *Console) registerRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", c.servePage(c.overviewPage))
	mux.HandleFunc("GET /p/{name}", c.servePage(c.pipelinePage))
	mux.HandleFunc("GET /s/{workspace}/{stream}", c.servePage(c.streamPage))
	mux.HandleFunc("GET /runs", c.servePage(c.runsPage))
	mux.HandleFunc("GET /runs/{id}", c.servePage(c.runPage))
	mux.HandleFunc("GET /freshness", c.servePage(c.freshnessPage))
	mux.HandleFunc("GET /workspaces", c.servePage(c.o.workspacesPage))
	mux.HandleFunc("GET /search", c.servePage(c.searchPage))
	mux.HandleFunc("GET /login", c.loginPage)
	mux.HandleFunc("POST /login", c.serveLogin)
	mux.HandleFunc("POST /zone", c.serveZone)
	mux.HandleFunc("POST /logout", c.serveLogout)
	mux.HandleFunc("GET /assets/{name}", c.serveAsset)
	c.registerActions(mux)
	c.registerAPI(mux)
	c.dataRoutes(mux)
	web.RegisterHealth(mux, c.o.Dir)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { c.renderError(w, r, errNotThere) })
	return mux
}

// serveAsset serves an embedded file by its name.
func (c *Console) serveAsset(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "public, max-age=3600")
	http.ServeFileFS(w, r, c.assets, r.PathValue("name"))
}

// Serve answers requests until the context ends; active requests then have a few seconds to finish. With TLS it needs the files of a
// certificate and its key.
func (c *Console) Serve(ctx context.Context, l net.Listener, cert, key string) error {
	return web.ServeUntilDone(ctx, l, c, cert, key, c.o.Log, func() { close(c.ending) })
}

// templateFuncs are the functions that pages use to format numbers, times and states.
var templateFuncs = template.FuncMap{
	"num": formatAnyNumber, "ago": formatAgo, "until": formatUntil, "iso": formatISO, "took": formatDuration, "percent": formatPercent, "seg": url.PathEscape, "shape": badgeOf, "short": shortRunID,
	"strip": func(runs []runlog.PastRun) template.HTML { return drawRunStrip(runs, time.UTC) }, "spark": drawSparkline, "maxRows": maxRows, "left": term.SpanLeft, "state": healthBadge, "streamState": streamState, "plural": pluralForm[int], "level": levelBadge, "zone": time.UTC.String, "exact": formatISO, "clock": formatISO, "day": formatISO, "date": formatISO, "second": formatISO, // each page has them in its zone: pageIn

	"stream": streamLink, "bytes": layout.Bytes, "used": formatUsed, "bare": func(text string) string { return strings.ReplaceAll(text, "`", "") }, "isRun": func(r runlog.PastRun) bool { return r.Run != "" && r.Pipeline != "" }, "tries": runlog.Tries, "comingRun": newComingRun, "saysEmulated": func() string { return runlog.SaysEmulated }, "nulls": formatNullShare,
	"broken": breakName, "masked": maskKey,
}

// Package console serves the web console: what the program knows of its pipelines, as pages for people and as JSON.
package console

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"aqueduck/internal/pipeline"
	"aqueduck/load/layout"
	"aqueduck/load/read"
	"aqueduck/schemas"
)

// Serving is what the process that serves the console can tell, and do. The console itself runs nothing.
type Serving struct {
	Dir     layout.Dir
	Log     *slog.Logger // of what the server meets; nil: the process's own
	Config  func() (*pipeline.Config, *schemas.Catalogue)
	Trouble func() string // why pipelines.yaml as it is now is not what is served; "" when it is
	Run     func(pipeline string, failed bool) error
	Cancel  func(pipeline string) error
	Reload  func() error

	Isolation read.Isolation // how what users have defined is asked
}

// Options are what a console needs. All but ReadOnly, TLS and Version are needed.
type Options struct {
	Serving
	Address  string   // where it listens, as people write it
	Hosts    []string // every Host that a request may name, with its port
	Secret   string   // the bearer token, and the password of the login page
	TLS      bool
	ReadOnly bool
	Version  string
	Now      func() time.Time // the clock of sessions and limits
}

// Console is the handler of all pages. It is safe for concurrent use.
type Console struct {
	o        Options
	pages    map[string]*template.Template
	assets   fs.FS
	sessions *sessions
	tries    *tries
	handler  http.Handler
	live     chan struct{} // holds one of each connection that events go to, as many as there may be
	ending   chan struct{} // closed when the server shuts down: what is live ends then

	mu    sync.Mutex // guards what follows
	seen  *pipeline.Overview
	until time.Time // that it may be shown
	facts *data     // of the published file that was last asked
}

//go:embed pages/*.html
var pages embed.FS

//go:embed assets
var assets embed.FS

// New makes a console. It opens nothing and listens nowhere.
func New(o Options) (*Console, error) {
	if len(o.Secret) < shortest {
		return nil, fmt.Errorf("the secret of the console has fewer than %d characters", shortest)
	}
	c := &Console{o: o, pages: map[string]*template.Template{}, sessions: newSessions(o.Now), tries: &tries{now: o.Now}, live: make(chan struct{}, mostLive), ending: make(chan struct{})}
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
		page, err := template.New("layout.html").Funcs(words).ParseFS(pages, "pages/layout.html", "pages/parts.html", "pages/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("read the page %s: %w", name, err)
		}
		c.pages[name] = page
	}
	c.handler = c.guarded(c.routes())
	return c, nil
}

// ServeHTTP answers a request, if it may be asked.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.ServeHTTP(w, r) }

func (c *Console) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", c.page(c.overviewPage))
	mux.HandleFunc("GET /p/{name}", c.page(c.pipelinePage))
	mux.HandleFunc("GET /runs", c.page(c.runsPage))
	mux.HandleFunc("GET /runs/{id}", c.page(c.runPage))
	mux.HandleFunc("GET /freshness", c.page(c.freshnessPage))
	mux.HandleFunc("GET /search", c.page(c.searchPage))
	mux.HandleFunc("GET /login", c.loginPage)
	mux.HandleFunc("POST /login", c.login)
	mux.HandleFunc("POST /logout", c.logout)
	mux.HandleFunc("GET /assets/{name}", c.asset)
	c.actions(mux)
	c.api(mux)
	c.dataRoutes(mux)
	health(mux, c.o.Dir)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { c.wrong(w, r, errNotThere) })
	return mux
}

// asset serves a file of ours by its own name.
func (c *Console) asset(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "public, max-age=3600")
	http.ServeFileFS(w, r, c.assets, r.PathValue("name"))
}

// answerIn is how long an answer that is not live may take to be written.
const answerIn = 2 * time.Minute

// Serve answers at a listener until the context ends; requests under way have a few seconds more. With TLS it needs the files of
// a certificate and its key.
func (c *Console) Serve(ctx context.Context, l net.Listener, cert, key string) error {
	return serve(ctx, l, c, cert, key, c.o.Log, func() { close(c.ending) })
}

func serve(ctx context.Context, l net.Listener, h http.Handler, cert, key string, log *slog.Logger, ending func()) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	if log != nil {
		server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	}
	server.RegisterOnShutdown(ending)
	ended := make(chan error, 1)
	go func() {
		if cert != "" {
			ended <- server.ServeTLS(l, cert, key)
			return
		}
		ended <- server.Serve(l)
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("serve at %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err := server.Shutdown(last)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close() // whoever still reads an answer is not waited for
	}
	if end := <-ended; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	return err
}

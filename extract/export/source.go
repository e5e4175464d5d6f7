package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/schemas"
)

// Source is the exports of one workspace, as a stream file names them.
type Source struct {
	client *api.Client
	prefix string // of the paths: /export/…
}

// New gives the exports of a family. It asks nothing.
func New(c *api.Client, family *schemas.Stream) Source {
	return Source{client: c, prefix: strings.TrimSuffix(family.Read.Path, "/get_datasets")}
}

// Datasets asks which datasets there are. Odd are the ids, fit to print, of those that nothing can be asked of: they have no id that
// makes a name, or no attributes. Where all of them are, the answer is no list of datasets.
func (s Source) Datasets(ctx context.Context, family *schemas.Stream) (sets []Dataset, odd []string, err error) {
	reply, err := s.client.Ask(ctx, api.Question{Stream: family, Method: http.MethodGet, Path: family.Read.Path})
	if err != nil {
		return nil, nil, err
	}
	list := json.RawMessage(reply.Body)
	var object map[string]json.RawMessage
	if json.Unmarshal(reply.Body, &object) == nil {
		list = nil
		for _, name := range family.Read.Records {
			if object[name] != nil {
				list = object[name]
			}
		}
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(list, &entries); err != nil || entries == nil {
		return nil, nil, s.contractError(family, family.Read.Path, errors.New("it lists no datasets"))
	}
	sets = []Dataset{}
	for _, entry := range entries {
		var d Dataset
		if err := json.Unmarshal(entry, &d); err != nil || SnakeCase(d.ID) == "" || len(d.Attributes) == 0 {
			odd = append(odd, printableName(d.ID))
			continue
		}
		// Rows are asked by the time attribute under its plain id or its qualified one; columns go by the one that is sent.
		if at := slices.IndexFunc(d.Attributes, func(a Attribute) bool { return a.ID == d.Time || a.Qualified == d.Time }); at >= 0 {
			d.Time = d.Attributes[at].columnID()
		}
		sets = append(sets, d)
	}
	if len(sets) == 0 && len(odd) > 0 {
		return nil, nil, s.contractError(family, family.Read.Path, fmt.Errorf("dataset %q has no attributes, or its id is not a valid name", odd[0]))
	}
	return sets, odd, nil
}

func (s Source) contractError(stream *schemas.Stream, path string, err error) error {
	return &api.Error{Class: api.ClassContract, Op: "read " + stream.Name, Method: http.MethodGet, Path: path, Status: http.StatusOK, Err: err}
}

// Status is where a job stands.
type Status struct {
	ID   string `json:"job_identifier"`
	Word string `json:"status"`
	URL  string `json:"download_url"`
}

// isReady says that there is a file to fetch: the source says so in a word that is known, or names an address for it.
func (s Status) isReady() bool {
	switch s.Word {
	case "complete", "completed", "success":
		return true
	case "pending", "in_progress", "failed":
		return false
	}
	return s.URL != ""
}

// idForm is what a job's id may look like: it becomes a part of a path.
var idForm = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

func parseStatus(body []byte) (Status, error) {
	var st Status
	var loose map[string]json.RawMessage
	if err := json.Unmarshal(body, &loose); err != nil {
		return st, errors.New("it is not a job")
	}
	for name, into := range map[string]*string{"job_identifier": &st.ID, "status": &st.Word, "download_url": &st.URL} {
		if raw := loose[name]; raw != nil && string(raw) != "null" && json.Unmarshal(raw, into) != nil {
			return st, fmt.Errorf("its %s is not a text", name)
		}
	}
	if !idForm.MatchString(st.ID) || strings.Trim(st.ID, ".") == "" {
		return st, fmt.Errorf("job_identifier %q is not valid", printableName(st.ID))
	}
	return st, nil
}

// Enqueue asks for one export, of rows from one second to another. It is sent once and never again by itself: whoever does
// not hear the answer may have a job all the same.
func (s Source) Enqueue(ctx context.Context, stream *schemas.Stream, d Dataset, from, to int64) (Status, error) {
	ids := make([]string, len(d.Attributes))
	for i, a := range d.Attributes {
		ids[i] = a.columnID()
	}
	body, err := json.Marshal(map[string]any{"dataset_id": d.ID, "attribute_ids": ids, "start_time": from, "end_time": to})
	if err != nil {
		return Status{}, fmt.Errorf("ask for an export of %s: %w", d.ID, err)
	}
	path := s.prefix + "/enqueue"
	reply, err := s.client.Ask(ctx, api.Question{Stream: stream, Method: http.MethodPost, Path: path, Body: body})
	if err != nil {
		return Status{}, err
	}
	st, err := parseStatus(reply.Body)
	if err != nil {
		return st, s.contractError(stream, path, err)
	}
	return st, nil
}

// ErrLost says that a job will give no file any more: another one may.
var ErrLost = errors.New("the source no longer has the export, or failed to create it")

// How long a job may take. A source may not know a new one at once; one that is not done within a day never will be.
const (
	hiddenFor = time.Minute
	oldest    = 24 * time.Hour
	firstLook = 250 * time.Millisecond
	lastLook  = 30 * time.Second
)

// Await asks about a job until there is a file to fetch. Between two questions pause is called: its error ends the waiting. A
// job that was asked for a moment ago the source may not know yet; one of an earlier run it knows, or has lost.
func (s Source) Await(ctx context.Context, stream *schemas.Stream, job extract.ExportJob, earlier bool, pause func() error) (Status, error) {
	for wait := firstLook; ; wait = min(wait*3/2, lastLook) {
		if err := pause(); err != nil {
			return Status{}, err
		}
		if err := s.client.Pause(ctx, wait); err != nil {
			return Status{}, err
		}
		age := s.client.Now().Sub(time.Unix(job.Asked, 0))
		st, err := s.fetchStatus(ctx, stream, job.ID)
		switch {
		case api.ClassOf(err) == api.ClassNotFound && age < hiddenFor && !earlier:
			continue
		case api.ClassOf(err) == api.ClassNotFound:
			return st, fmt.Errorf("%w: it does not know job %s", ErrLost, job.ID)
		case err != nil:
			return st, err
		case st.isReady():
			return st, nil
		case st.Word == "failed":
			return st, fmt.Errorf("%w: job %s says failed", ErrLost, job.ID)
		case age > oldest:
			return st, fmt.Errorf("%w: job %s says %q since %s", ErrLost, job.ID, printableName(st.Word), age.Round(time.Minute))
		}
	}
}

func (s Source) fetchStatus(ctx context.Context, stream *schemas.Stream, id string) (Status, error) {
	path := s.prefix + "/" + url.PathEscape(id)
	reply, err := s.client.Ask(ctx, api.Question{Stream: stream, Method: http.MethodGet, Path: path})
	if err != nil {
		return Status{}, err
	}
	st, err := parseStatus(reply.Body)
	if err == nil && st.ID != id {
		err = fmt.Errorf("it describes job %s", printableName(st.ID))
	}
	if err != nil {
		return st, s.contractError(stream, path, err)
	}
	return st, nil
}

// fetches is how often a file is fetched before the job is given up.
const fetches = 4

// Fetch brings the file of a job that is done into a spool file and reads it to its end. An address that is out of date is
// asked for anew; a file that is not whole is fetched again. One at a host that nobody has named is asked of the API itself.
func (s Source) Fetch(ctx context.Context, stream *schemas.Stream, st Status, spool *os.File, l Limits) (*Archive, error) {
	var last error
	for n := range fetches {
		if n > 0 {
			if err := s.client.Pause(ctx, time.Second<<n); err != nil {
				return nil, err
			}
			fresh, err := s.fetchStatus(ctx, stream, st.ID)
			if err != nil {
				return nil, err
			}
			st = fresh
		}
		f := api.File{Stream: stream, URL: st.URL, Most: l.File}
		if st.URL == "" || n == fetches-1 {
			// The API gives the file itself where it names no address, or names one that leads nowhere.
			f.URL, f.Path = "", s.downloadPath(st)
		}
		archive, err := s.downloadFile(ctx, f, spool, l)
		var foreign *api.ForeignHost
		if errors.As(err, &foreign) {
			return s.fetchHere(ctx, stream, st, spool, l, err)
		}
		if err == nil {
			return archive, nil
		}
		if ctx.Err() != nil || api.ClassOf(err) == api.ClassAuth || errors.Is(err, api.ErrBudget) {
			return nil, err
		}
		last = err
	}
	return nil, fmt.Errorf("%w: job %s: %w", ErrLost, st.ID, last)
}

// downloadPath is the path by which the API gives the file itself.
func (s Source) downloadPath(st Status) string {
	return strings.Replace(s.prefix, "/export", "/download", 1) + "/" + url.PathEscape(st.ID)
}

// fetchHere brings the file of the API itself. Where that fails too, what is said is that the address was refused: another job would
// get one like it, and the host can be named.
func (s Source) fetchHere(ctx context.Context, stream *schemas.Stream, st Status, spool *os.File, l Limits, refused error) (*Archive, error) {
	archive, err := s.downloadFile(ctx, api.File{Stream: stream, Path: s.downloadPath(st), Most: l.File}, spool, l)
	if err == nil || ctx.Err() != nil || api.ClassOf(err) == api.ClassAuth || errors.Is(err, api.ErrBudget) {
		return archive, err
	}
	return nil, fmt.Errorf("%w; the API does not return the file either: %w", refused, err)
}

func (s Source) downloadFile(ctx context.Context, f api.File, spool *os.File, l Limits) (*Archive, error) {
	if err := spool.Truncate(0); err != nil {
		return nil, err
	}
	if _, err := spool.Seek(0, 0); err != nil {
		return nil, err
	}
	sized, err := s.client.Download(ctx, f, spool)
	if err != nil {
		return nil, err
	}
	return openArchive(spool, sized, l)
}

// CreateSpool makes a file that nobody finds: its name is gone before it holds anything, and with the process it goes too.
func CreateSpool(dir string) (*os.File, error) {
	file, err := os.CreateTemp(dir, "export-")
	if err != nil {
		return nil, fmt.Errorf("create a file for an export: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("hide the file for an export: %w", err), file.Close())
	}
	return file, nil
}

// Now is the source's clock.
func (s Source) Now() time.Time { return s.client.Now() }

// Pause waits by the client's clock.
func (s Source) Pause(ctx context.Context, d time.Duration) error { return s.client.Pause(ctx, d) }

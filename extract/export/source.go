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

// Source reads the exports of one workspace, for one stream file of exports.
type Source struct {
	client *api.Client
	prefix string // of the paths, such as /export/…
}

// New returns the Source of an export family. It sends no request.
func New(c *api.Client, family *schemas.Stream) Source {
	return Source{client: c, prefix: strings.TrimSuffix(family.Read.Path, "/get_datasets")}
}

// Datasets asks for the list of datasets. odd are the ids, printable, of datasets that cannot be exported: without an id that
// makes a name, or without attributes. If all are odd, the answer is no list of datasets and an error.
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

// Status is the source's answer about a job.
type Status struct {
	ID   string `json:"job_identifier"`
	Word string `json:"status"`
	URL  string `json:"download_url"`

	asked time.Time // when the job was asked for
}

// isReady reports whether there is a file to fetch: the status says so, or is unknown and comes with a URL.
func (s Status) isReady() bool {
	switch s.Word {
	case "complete", "completed", "success":
		return true
	case "pending", "in_progress", "failed":
		return false
	}
	return s.URL != ""
}

// idForm is the form of a job's id: it becomes a part of a path.
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

// Enqueue asks for one export of the rows from one second to another, in Unix seconds. It is sent once and never retried: if the
// answer is lost, the job may exist (T118).
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

// ErrLost says that a job will give no file; a new job may.
var ErrLost = errors.New("the source no longer has the export, or failed to create it")

// Limits of waiting for a job. The source may not know a new job at once. A job that is not done within a day never will be.
const (
	hiddenFor = time.Minute
	oldest    = 24 * time.Hour
	firstLook = 250 * time.Millisecond
	lastLook  = 30 * time.Second
)

// Await asks for a job's status until there is a file to fetch. It calls pause between two requests; an error of pause ends the
// waiting. earlier says that an earlier run asked for the job: if the source does not know such a job, it is lost, while a new
// one may only be unknown yet.
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
			st.asked = time.Unix(job.Asked, 0)
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

// Fetch downloads the file of a finished job into spool and reads it to its end. For an expired URL or an incomplete file it asks
// for the status and fetches again. It fetches from the API itself if the URL is at a host that is not trusted. A server that is
// busy has not lost the job: its error is not ErrLost on the job's first day.
func (s Source) Fetch(ctx context.Context, stream *schemas.Stream, st Status, spool *os.File, l Limits) (*Archive, error) {
	var last error
	asked := st.asked
	for n := range fetches {
		if n > 0 {
			_, wait := api.Busy(last)
			if err := s.client.Pause(ctx, max(time.Second<<n, wait)); err != nil {
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
			// Without a URL, and as the last attempt, fetch the file from the API itself.
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
	if busy, _ := api.Busy(last); busy && s.client.Now().Sub(asked) < oldest {
		return nil, last
	}
	return nil, fmt.Errorf("%w: job %s: %w", ErrLost, st.ID, last)
}

// downloadPath is the API's own path of the file.
func (s Source) downloadPath(st Status) string {
	return strings.Replace(s.prefix, "/export", "/download", 1) + "/" + url.PathEscape(st.ID)
}

// fetchHere fetches the file from the API itself. If that fails, too, the error is not ErrLost but names the refused host:
// another job would get the same host, and the host can be configured.
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

// CreateSpool creates a file without a name in a directory: its space is freed when it is closed, also by a crash.
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

// Now is the server's time (api.Client.Now).
func (s Source) Now() time.Time { return s.client.Now() }

// Pause waits by the client's clock.
func (s Source) Pause(ctx context.Context, d time.Duration) error { return s.client.Pause(ctx, d) }

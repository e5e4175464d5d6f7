//go:build mirror

package mirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	iceio "github.com/apache/iceberg-go/io"
	"github.com/minio/minio-go/v7"

	"aqueduck/internal/remote"
)

// The key of the configuration that errors of the object store name.
const locationKey = "warehouse.mirror.location"

// objects reads and writes the objects of one bucket for the library of the tables. Its errors are those of remote.Explain.
type objects struct {
	ctx    context.Context // of the mirror: the library's interface has none
	bucket remote.Bucket
	place  string // as configured
}

type objectsKey struct{}

// register makes the library find the objects of the mirror that a context belongs to.
var register = sync.OnceFunc(func() {
	iceio.Register("s3", func(ctx context.Context, _ *url.URL, _ map[string]string) (iceio.IO, error) {
		if o, ok := ctx.Value(objectsKey{}).(*objects); ok {
			return o, nil
		}
		return nil, errors.New("no mirror is open")
	})
})

// openObjects returns a context in which tables are read from and written to the bucket of a location.
func openObjects(ctx context.Context, location string) (context.Context, *objects, error) {
	bucket, err := remote.Dial(locationKey, location)
	if err != nil {
		return nil, nil, err
	}
	register()
	o := &objects{bucket: bucket, place: location}
	ctx = context.WithValue(ctx, objectsKey{}, o)
	o.ctx = ctx
	return ctx, o, nil
}

// key is the name of an object in the bucket.
func (o *objects) key(address string) (string, error) {
	name, ok := strings.CutPrefix(address, "s3://"+o.bucket.Name+"/")
	if !ok {
		return "", fmt.Errorf("%s is not in %s", address, o.place)
	}
	return name, nil
}

func (o *objects) explain(what, name string, err error) error {
	err = remote.Explain(locationKey, o.place, what, name, err)
	if errors.Is(err, remote.ErrNoObject) {
		return &fs.PathError{Op: what, Path: name, Err: fs.ErrNotExist}
	}
	return err
}

// wholeSize is the size in bytes up to which an object is read by one request.
const wholeSize = 4 << 20

// Open reads the beginning of an object, and all of a small one.
func (o *objects) Open(address string) (iceio.File, error) {
	key, err := o.key(address)
	if err != nil {
		return nil, err
	}
	f := &object{objects: o, key: key}
	content, size, err := o.read(key, 0, wholeSize)
	if err != nil {
		return nil, err
	}
	f.start, f.size = content, size
	f.SectionReader = io.NewSectionReader(f, 0, size)
	return f, nil
}

// read gives the bytes of an object from a position on, and its size.
func (o *objects) read(key string, from, n int64) (content []byte, size int64, err error) {
	var options minio.GetObjectOptions
	if err := options.SetRange(from, from+n-1); err != nil {
		return nil, 0, err
	}
	body, info, header, err := minio.Core{Client: o.bucket.Client}.GetObject(o.ctx, o.bucket.Name, key, options)
	if err != nil {
		return nil, 0, o.explain("read", key, err)
	}
	defer body.Close()
	if content, err = io.ReadAll(body); err != nil {
		return nil, 0, o.explain("read", key, err)
	}
	size = info.Size
	if _, whole, ok := strings.Cut(header.Get("Content-Range"), "/"); ok {
		if size, err = strconv.ParseInt(whole, 10, 64); err != nil {
			return nil, 0, o.explain("read", key, err)
		}
	}
	return content, size, nil
}

// object is an open object.
type object struct {
	*io.SectionReader
	objects *objects
	key     string
	start   []byte
	size    int64
}

// ReadAt reads what is beyond the beginning by a request of its own.
func (f *object) ReadAt(p []byte, at int64) (int, error) {
	if at >= f.size {
		return 0, io.EOF
	}
	n := min(int64(len(p)), f.size-at)
	if at+n <= int64(len(f.start)) {
		copy(p, f.start[at:at+n])
	} else {
		content, _, err := f.objects.read(f.key, at, n)
		if err != nil {
			return 0, err
		}
		if int64(len(content)) != n {
			return 0, f.objects.explain("read", f.key, io.ErrUnexpectedEOF)
		}
		copy(p, content)
	}
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

func (f *object) Close() error               { return nil }
func (f *object) Stat() (fs.FileInfo, error) { return info{path.Base(f.key), f.size, time.Time{}}, nil }

// info describes an object.
type info struct {
	name    string
	size    int64
	changed time.Time
}

func (i info) Name() string               { return i.name }
func (i info) Size() int64                { return i.size }
func (i info) Mode() fs.FileMode          { return 0o600 }
func (i info) ModTime() time.Time         { return i.changed }
func (i info) IsDir() bool                { return false }
func (i info) Sys() any                   { return nil }
func (i info) Type() fs.FileMode          { return 0 }
func (i info) Info() (fs.FileInfo, error) { return i, nil }

// ReadFile reads a whole object.
func (o *objects) ReadFile(address string) ([]byte, error) {
	f, err := o.Open(address)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}

// WriteFile writes an object.
func (o *objects) WriteFile(address string, content []byte) error {
	key, err := o.key(address)
	if err != nil {
		return err
	}
	_, err = o.bucket.Client.PutObject(o.ctx, o.bucket.Name, key, bytes.NewReader(content), int64(len(content)), minio.PutObjectOptions{DisableMultipart: true})
	return o.explain("write", key, err)
}

// partSize is the size in bytes of the parts in which a large object is sent.
const partSize = 16 << 20

// Create begins a new object. It is there once it is closed.
func (o *objects) Create(address string) (iceio.FileWriter, error) {
	key, err := o.key(address)
	if err != nil {
		return nil, err
	}
	from, to := io.Pipe()
	w := &newObject{PipeWriter: to, objects: o, key: key, sent: make(chan error, 1)}
	go func() {
		err := o.send(address, key, from)
		_ = from.CloseWithError(err) // what is written later fails with this error
		w.sent <- err
	}()
	return w, nil
}

// newObject is an object that is sent while it is written.
type newObject struct {
	*io.PipeWriter
	objects *objects
	key     string
	sent    chan error
}

// send sends a small object by one request, and a large one in parts.
func (o *objects) send(address, key string, from io.Reader) error {
	start, err := io.ReadAll(io.LimitReader(from, partSize))
	if err != nil {
		return err
	}
	if len(start) < partSize {
		return o.WriteFile(address, start)
	}
	_, err = o.bucket.Client.PutObject(o.ctx, o.bucket.Name, key, io.MultiReader(bytes.NewReader(start), from), -1, minio.PutObjectOptions{PartSize: partSize})
	return o.explain("write", key, err)
}

func (w *newObject) ReadFrom(r io.Reader) (int64, error) { return io.Copy(w.PipeWriter, r) }

func (w *newObject) Close() error {
	_ = w.PipeWriter.Close() // the error is that of the requests
	return <-w.sent
}

// Remove deletes an object. It is no error if there is none.
func (o *objects) Remove(address string) error {
	key, err := o.key(address)
	if err != nil {
		return err
	}
	return o.explain("delete", key, o.bucket.Client.RemoveObject(o.ctx, o.bucket.Name, key, minio.RemoveObjectOptions{}))
}

// list gives the addresses of all objects below an address, those from before a time; the zero time is none.
func (o *objects) list(below string, before time.Time) (addresses []string, err error) {
	key, err := o.key(strings.TrimSuffix(below, "/") + "/")
	if err != nil {
		return nil, err
	}
	for found := range o.bucket.Client.ListObjects(o.ctx, o.bucket.Name, minio.ListObjectsOptions{Prefix: key, Recursive: true}) {
		if found.Err != nil {
			return nil, o.explain("list", key, found.Err)
		}
		if before.IsZero() || found.LastModified.Before(before) {
			addresses = append(addresses, "s3://"+o.bucket.Name+"/"+found.Key)
		}
	}
	return addresses, nil
}

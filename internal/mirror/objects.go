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
	"strings"
	"sync"
	"time"

	iceio "github.com/apache/iceberg-go/io"
)

// The key of the configuration that errors of the object store name.
const locationKey = "warehouse.mirror.location"

// objects reads and writes the objects of one bucket for the library of the tables. Its errors say what to do.
type objects struct {
	ctx   context.Context // of the mirror: the library's interface has none
	store store
	root  string // of all addresses, such as s3://bucket/
	place string // as configured
}

// store is a bucket in an object store. Its errors are those of the store's library, and explainError explains them.
type store interface {
	readPart(ctx context.Context, key string, from, n int64) (content []byte, size int64, err error) // size is that of the whole object
	writeObject(ctx context.Context, key string, content []byte) error
	writeParts(ctx context.Context, key string, content io.Reader) error // of a large object
	deleteObject(ctx context.Context, key string) error                  // no error if there is none
	listObjects(ctx context.Context, prefix string, visit func(key string, changed time.Time)) error
	explainError(what, name string, err error) error // io/fs.ErrNotExist, or a Problem
}

type objectsKey struct{}

// schemes are those of addresses in all object stores.
var schemes = []string{"s3", "gs", "abfss"}

// register makes the library find the objects of the mirror that a context belongs to.
var register = sync.OnceFunc(func() {
	for _, scheme := range schemes {
		iceio.Register(scheme, func(ctx context.Context, _ *url.URL, _ map[string]string) (iceio.IO, error) {
			if o, ok := ctx.Value(objectsKey{}).(*objects); ok {
				return o, nil
			}
			return nil, errors.New("no mirror is open")
		})
	}
})

// openObjects returns a context in which tables are read from and written to the bucket of a location.
func openObjects(ctx context.Context, of Target) (context.Context, *objects, error) {
	location := strings.TrimSuffix(of.Location, "/")
	if err := Missing(location); err != nil {
		return nil, nil, err
	}
	o := &objects{place: location}
	var err error
	if strings.HasPrefix(location, "s3://") {
		o.store, o.root, err = openS3(location, of.Patience)
	} else {
		o.store, o.root, err = openOther(ctx, location, of.Patience)
	}
	if err != nil {
		return nil, nil, err
	}
	register()
	ctx = context.WithValue(ctx, objectsKey{}, o)
	o.ctx = ctx
	return ctx, o, nil
}

// key is the name of an object in the bucket.
func (o *objects) key(address string) (string, error) {
	name, ok := strings.CutPrefix(address, o.root)
	if !ok {
		return "", fmt.Errorf("%s is not in %s", address, o.place)
	}
	return name, nil
}

func (o *objects) explain(what, name string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return o.store.explainError(what, name, err)
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
	content, size, err = o.store.readPart(o.ctx, key, from, n)
	return content, size, o.explain("read", key, err)
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
	return o.explain("write", key, o.store.writeObject(o.ctx, key, content))
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
	return o.explain("write", key, o.store.writeParts(o.ctx, key, io.MultiReader(bytes.NewReader(start), from)))
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
	return o.explain("delete", key, o.store.deleteObject(o.ctx, key))
}

// list gives the addresses of all objects below an address, those from before a time; the zero time is none.
func (o *objects) list(below string, before time.Time) (addresses []string, err error) {
	key, err := o.key(strings.TrimSuffix(below, "/") + "/")
	if err != nil {
		return nil, err
	}
	err = o.store.listObjects(o.ctx, key, func(found string, changed time.Time) {
		if before.IsZero() || changed.Before(before) {
			addresses = append(addresses, o.root+found)
		}
	})
	return addresses, o.explain("list", key, err)
}

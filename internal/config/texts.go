package config

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Texts are the files of a configuration with their contents when they were read. LoadTexts reads the same configuration from them, whatever
// happened to the files since. Files of tokens and addresses are not among them: a run resolves those when it connects.
type Texts struct {
	Names     []string            `json:"names"`     // of the configuration's own files
	Files     map[string][]byte   `json:"files"`     // contents, by the path that was opened
	Found     map[string][]string `json:"found"`     // the files that each pattern matched
	Variables map[string]string   `json:"variables"` // of .env; the reader of the Texts adds them to the environment
}

// fileCache reads each file once and keeps its contents, or serves only contents that were kept before. A nil fileCache reads and keeps nothing.
type fileCache struct {
	from *Texts
	read Texts
}

func newDisk(names []string) *fileCache {
	return &fileCache{read: Texts{Names: names, Files: map[string][]byte{}, Found: map[string][]string{}}}
}

// readFile returns the contents of a file.
func (d *fileCache) readFile(name string) ([]byte, error) {
	if d == nil {
		return os.ReadFile(name)
	}
	if d.from != nil {
		if text, ok := d.from.Files[name]; ok {
			return text, nil
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if text, ok := d.read.Files[name]; ok {
		return text, nil
	}
	text, err := os.ReadFile(name)
	if err == nil {
		d.read.Files[name] = text
	}
	return text, err
}

// globFiles returns the files that a pattern matches.
func (d *fileCache) globFiles(pattern string) ([]string, error) {
	if d.from != nil {
		return d.from.Found[pattern], nil
	}
	names, err := filepath.Glob(pattern)
	d.read.Found[pattern] = names
	return names, err
}

// cachedDirectory is a directory whose files are read through the cache.
type cachedDirectory struct {
	cache *fileCache
	name  string
}

// Open opens a file without the cache.
func (d cachedDirectory) Open(name string) (fs.File, error) { return os.DirFS(d.name).Open(name) }

// ReadFile reads a file through the cache.
func (d cachedDirectory) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return d.cache.readFile(filepath.Join(d.name, name))
}

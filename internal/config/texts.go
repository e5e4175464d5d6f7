package config

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Texts are the files that a configuration was read from, as they were then. LoadTexts reads the same configuration from them, whatever has
// become of the files since. Files that tokens and addresses are in are not among them: those are looked up when a run connects.
type Texts struct {
	Names     []string            `json:"names"`     // of the files of the configuration itself
	Files     map[string][]byte   `json:"files"`     // by the paths that they were opened by
	Found     map[string][]string `json:"found"`     // what each pattern found
	Variables map[string]string   `json:"variables"` // of .env; whoever read that puts them in
}

// fileCache reads files and keeps what it has read, each once; or it reads what was kept before, and nothing else. A nil one keeps nothing.
type fileCache struct {
	from *Texts
	read Texts
}

func newDisk(names []string) *fileCache {
	return &fileCache{read: Texts{Names: names, Files: map[string][]byte{}, Found: map[string][]string{}}}
}

// readFile gives what is in a file.
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

// globFiles gives the files that a pattern means.
func (d *fileCache) globFiles(pattern string) ([]string, error) {
	if d.from != nil {
		return d.from.Found[pattern], nil
	}
	names, err := filepath.Glob(pattern)
	d.read.Found[pattern] = names
	return names, err
}

// cachedDirectory is a directory of a disk.
type cachedDirectory struct {
	cache *fileCache
	name  string
}

// Open opens a file that is not kept.
func (d cachedDirectory) Open(name string) (fs.File, error) { return os.DirFS(d.name).Open(name) }

// ReadFile reads one that is.
func (d cachedDirectory) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return d.cache.readFile(filepath.Join(d.name, name))
}

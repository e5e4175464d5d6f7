package diskfault

import (
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// sector is the unit that a disk writes completely or not at all.
const sector = 4096

// Loss says which changes without an fsync are lost in a power failure.
type Loss int

// The kinds of loss.
const (
	LoseNothing Loss = iota // nothing, as when a process is killed
	LoseAll                 // names and data
	LoseData                // names survive, data does not: files are empty, or have their old content
	LoseNames               // data survives, under the old names
	LoseTail                // the last names and the end of each file's data are lost, and the last write is torn
	LoseSome                // any sector of any write, and any last names of each directory
	losses
)

// State is the content of a disk.
type State struct {
	nodes map[int]*fileNode
	root  map[string]int // by path
	base  time.Time
}

// fileNode is the content of one file, under any number of names.
type fileNode struct {
	fileEntry
	touched int  // last change that wrote it; -1: none
	own     bool // its bytes are not shared with another state
}

// State returns what the disk may contain after a power failure behind n changes. Equal seeds of r give equal states.
func (j *Journal) State(n int, loss Loss, r *rand.Rand) State {
	p := j.planDurability(n)
	keep := p.chooseKept(loss, r)
	s := State{nodes: map[int]*fileNode{}, root: map[string]int{}, base: time.Now()}
	for i, path := range slices.Sorted(maps.Keys(j.start)) {
		f := j.start[path]
		f.data = f.data[:len(f.data):len(f.data)] // without spare capacity, as all states share the bytes
		s.root[path], s.nodes[-1-i] = -1-i, &fileNode{fileEntry: f, touched: -1}
	}
	for i, o := range j.ops[:n] {
		s.replayChange(i, o, p.of[i], keep[i])
	}
	return s
}

// keptPart says how much of a change survives: its name, and which sectors of its data.
type keptPart struct {
	name    bool
	data    bool
	sectors func(at int64) bool // nil: all
}

// durabilityPlan has, for each of the first changes, its file and whether it was durable at their end.
type durabilityPlan struct {
	ops     []fileChange
	of      []int   // the file: the number of the change that created it, or negative
	in      [][]int // directories that a change of names is about
	durable []bool
}

// planDurability follows names to files. A change of content is durable when the same file is synced later, under any name. A change of a name
// is durable when one of its directories is synced later: POSIX promises no more.
func (j *Journal) planDurability(n int) durabilityPlan {
	p := durabilityPlan{ops: j.ops[:n], of: make([]int, n), in: make([][]int, n), durable: make([]bool, n)}
	names := map[string]int{}
	for i, path := range slices.Sorted(maps.Keys(j.start)) {
		names[path] = -1 - i
	}
	for i, o := range p.ops {
		if o.makesFile() {
			names[o.path] = i
		}
		p.of[i] = names[o.path]
		for _, dir := range o.changedDirs() {
			p.in[i] = append(p.in[i], names[dir])
		}
		switch o.Name {
		case "rename":
			moveNames(names, o.path, o.to)
		case "link":
			names[o.to] = names[o.path]
		case "unlink":
			delete(names, o.path)
		case "fsync":
			for before, earlier := range p.ops[:i] {
				if earlier.changesNames() {
					p.durable[before] = p.durable[before] || slices.Contains(p.in[before], p.of[i])
				} else if p.of[before] == p.of[i] {
					p.durable[before] = true
				}
			}
		}
	}
	return p
}

// changesNames reports whether a change adds, moves or removes names in directories.
func (o fileChange) changesNames() bool {
	return o.makesFile() || o.Name == "rename" || o.Name == "link" || o.Name == "unlink"
}

// makesFile reports whether a change creates a file.
func (o fileChange) makesFile() bool {
	return o.Name == "open" && o.Made || o.Name == "mkdir" || o.Name == "symlink"
}

// changedDirs returns the directories with changed names. A file that comes from outside, or gets a further name, has only the new one.
func (o fileChange) changedDirs() []string {
	var list []string
	if o.path != "" && o.Name != "link" {
		list = append(list, filepath.Dir(o.path))
	}
	if o.to != "" {
		list = append(list, filepath.Dir(o.to))
	}
	return list
}

// moveNames renames a file, or a directory with everything in it.
func moveNames[T any](names map[string]T, from, to string) {
	moved := map[string]T{}
	for path, f := range names {
		if rest, below := strings.CutPrefix(path, from); below && (rest == "" || rest[0] == '/') {
			moved[to+rest] = f
			delete(names, path)
		}
	}
	maps.Copy(names, moved)
}

// chooseKept decides how much of each change that is not durable survives.
func (p durabilityPlan) chooseKept(loss Loss, r *rand.Rand) []keptPart {
	n := len(p.ops)
	cuts := map[int]int{} // by directory: later changes of its names are lost
	cut := func(dir int) int {
		if _, ok := cuts[dir]; !ok {
			cuts[dir] = r.IntN(n + 1)
		}
		return cuts[dir]
	}
	all := r.IntN(n + 1)
	list := make([]keptPart, n)
	for i := range p.ops {
		k := &list[i]
		inName, inData := true, true
		for _, dir := range p.in[i] {
			inName = inName && i < cut(dir)
		}
		switch {
		case p.durable[i] || loss == LoseNothing:
		case loss == LoseAll:
			inName, inData = false, false
		case loss == LoseData:
			inName, inData = true, false
		case loss == LoseNames:
			inName, inData = false, true
		case loss == LoseTail:
			inName, inData = i < all, i < all
			if i == all || i == n-1 {
				inData, k.sectors = true, tornSectors(r)
			}
		case loss == LoseSome:
			inData, k.sectors = r.IntN(4) > 0, tornSectors(r)
		}
		if p.durable[i] || loss == LoseNothing {
			inName = true
		}
		k.name, k.data = inName, inData
	}
	return list
}

// tornSectors keeps a random set of sectors.
func tornSectors(r *rand.Rand) func(int64) bool {
	a, b := r.Uint64(), r.Uint64()
	return func(at int64) bool { return rand.New(rand.NewPCG(a, b^uint64(at))).IntN(2) == 0 }
}

// replayChange applies one change as far as it survives. When the file or directory that it needs is lost, it has no effect.
func (s State) replayChange(i int, o fileChange, of int, k keptPart) {
	f := s.nodes[of]
	switch o.Name {
	case "open", "mkdir", "symlink":
		if o.changesNames() {
			s.makeFile(i, o, k)
		} else if f != nil && k.data {
			f.data, f.touched = nil, i // truncated by the open
		}
	case "rename":
		if k.name {
			s.renamePath(o.path, o.to)
		}
	case "link":
		if id, there := s.root[o.path]; k.name && there && s.isDir(filepath.Dir(o.to)) {
			s.root[o.to] = id
		}
	case "unlink":
		if k.name {
			s.unlinkPath(o.path)
		}
	case "write":
		if f != nil && k.data {
			f.writeSectors(o.Offset, o.Data, k.sectors)
			f.touched = i
		}
	case "truncate":
		if f != nil && k.data {
			f.resize(o.Size)
			f.touched = i
		}
	case "chmod":
		if f != nil && k.data {
			f.mode = f.mode&^fs.ModePerm | fs.FileMode(o.Mode)&fs.ModePerm
		}
	}
}

func (s State) makeFile(i int, o fileChange, k keptPart) {
	mode := fs.FileMode(o.Mode) & fs.ModePerm &^ 0o022
	f := &fileNode{fileEntry: fileEntry{mode: mode, link: o.To}, touched: i}
	switch o.Name {
	case "mkdir":
		f.mode |= fs.ModeDir
	case "symlink":
		f.mode |= fs.ModeSymlink
	}
	s.nodes[i] = f
	if k.name && (o.path == "." || s.isDir(filepath.Dir(o.path))) {
		s.root[o.path] = i
	}
}

func (s State) isDir(path string) bool {
	id, ok := s.root[path]
	return ok && s.nodes[id].mode.IsDir()
}

func (s State) renamePath(from, to string) {
	if _, there := s.root[from]; !there || to == "" || !s.isDir(filepath.Dir(to)) {
		return
	}
	if s.hasEntries(to) {
		return
	}
	moveNames(s.root, from, to)
}

func (s State) unlinkPath(path string) {
	if !s.hasEntries(path) {
		delete(s.root, path)
	}
}

// hasEntries reports whether a directory is not empty.
func (s State) hasEntries(path string) bool {
	for other := range s.root {
		if strings.HasPrefix(other, path+"/") {
			return true
		}
	}
	return false
}

// writeSectors writes the surviving sectors. Lost bytes before them become zeros, as in a sparse file.
func (f *fileNode) writeSectors(at int64, data []byte, keep func(int64) bool) {
	if keep == nil {
		f.putBytes(at, data)
		return
	}
	for len(data) > 0 {
		size := min(int64(len(data)), sector-at%sector)
		if keep(at / sector) {
			f.putBytes(at, data[:size])
		}
		at, data = at+size, data[size:]
	}
}

func (f *fileNode) putBytes(at int64, data []byte) {
	if !f.own {
		f.data, f.own = slices.Clone(f.data), true
	}
	f.resize(max(int64(len(f.data)), at+int64(len(data))))
	copy(f.data[at:], data)
}

func (f *fileNode) resize(size int64) {
	if more := size - int64(len(f.data)); more > 0 {
		f.data = append(f.data, make([]byte, more)...) // copies shared bytes, because they have no spare capacity
		return
	}
	f.data = f.data[:size:size]
}

// Write creates the files of the state in a new directory.
func (s State) Write(dir string) error {
	for _, path := range slices.Sorted(maps.Keys(s.root)) {
		f, to := s.nodes[s.root[path]], filepath.Join(dir, path)
		var err error
		switch {
		case f.mode.IsDir():
			err = os.Mkdir(to, 0o700)
		case f.mode&fs.ModeSymlink != 0:
			err = os.Symlink(f.link, to)
		default:
			err = os.WriteFile(to, f.data, 0o600)
		}
		if err == nil && f.mode&fs.ModeSymlink == 0 {
			err = os.Chmod(to, f.mode.Perm())
		}
		if err == nil && f.mode.IsRegular() {
			at := f.at
			if f.touched >= 0 {
				at = s.base.Add(time.Duration(f.touched) * time.Second)
			}
			err = os.Chtimes(to, at, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Losses returns all kinds of loss.
func Losses() (list []Loss) {
	for l := range losses {
		list = append(list, l)
	}
	return list
}

// String names a loss.
func (l Loss) String() string {
	return [...]string{"nothing", "all", "data", "names", "tail", "some"}[l]
}

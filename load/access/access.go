// Package access decides who may read the published files and the lake: whoever may read the warehouse's directory.
package access

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"aqueduck/load/internal/disk"
)

// Access is what the mode and the group of a warehouse's directory let others read. All shared files follow it.
type Access struct {
	mode  fs.FileMode // permission bits of the directory
	group int         // the group's number; -1 where files have no group
	give  bool        // shared files get the group
}

// Of returns what a directory lets others read. It fails where only a group may read and this user cannot give it files.
func Of(dir string) (Access, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return Access{}, err
	}
	a := Access{mode: info.Mode().Perm(), group: disk.GroupOf(info)}
	a.give = a.group >= 0 && canGive(a.group)
	if a.mode&0o050 != 0 && a.mode&0o005 == 0 && !a.give {
		return Access{}, fmt.Errorf("%s is for the group %s, which new files could not be given to: %w", dir, groupName(a.group), ErrNotMember)
	}
	return a, nil
}

// Share gives a file or directory this mode, less what the warehouse's directory does not allow, and the directory's group.
// The group comes first: no moment lets the wrong one read.
func (a Access) Share(path string, mode fs.FileMode) error {
	if a.give {
		info, err := os.Lstat(path)
		if err == nil && disk.GroupOf(info) != a.group {
			err = os.Chown(path, -1, a.group)
		}
		if err != nil {
			return err
		}
	}
	return os.Chmod(path, a.limitMode(mode))
}

func (a Access) limitMode(mode fs.FileMode) fs.FileMode { return mode & (0o700 | a.mode&0o055) }

// Share gives a file or directory in a warehouse's directory this mode, as Access.Share.
func Share(dir, path string, mode fs.FileMode) error {
	a, err := Of(dir)
	if err != nil {
		return err
	}
	return a.Share(path, mode)
}

// Fits reports whether a file or directory has what Share would give it.
func (a Access) Fits(info fs.FileInfo, mode fs.FileMode) bool {
	return info.Mode().Perm() == a.limitMode(mode) && (!a.give || disk.GroupOf(info) == a.group)
}

// MakeDir makes a directory with what is missing above it, and shares it.
func (a Access) MakeDir(path string, mode fs.FileMode) error {
	if err := os.MkdirAll(path, mode); err != nil {
		return err
	}
	return a.Share(path, mode)
}

// ReplaceFile writes a file for readers in one step, durably.
func (a Access) ReplaceFile(path string, text []byte) (err error) {
	fresh, err := renameio.NewPendingFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fresh.Cleanup()) }()
	if _, err := fresh.Write(text); err != nil {
		return err
	}
	if err := a.Share(fresh.Name(), 0o644); err != nil {
		return err
	}
	if err := fresh.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(path))
}

// ShareTree shares what is in a directory, but not the directory. What is removed meanwhile is left out.
func (a Access) ShareTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && path != dir && e.Type()&fs.ModeSymlink == 0 {
			err = a.shareEntry(path, e)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// shareEntry shares a directory, or a file that its owner may write to or not, as before.
func (a Access) shareEntry(path string, e fs.DirEntry) error {
	if e.IsDir() {
		return a.Share(path, 0o755)
	}
	info, err := e.Info()
	if err != nil {
		return err
	}
	return a.Share(path, 0o444|info.Mode()&0o200)
}

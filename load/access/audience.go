package access

import (
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"aqueduck/load/internal/disk"
)

// Audience is who can read the published files and the lake after the next run.
type Audience struct {
	Mode  fs.FileMode // permission bits of the warehouse's directory
	Owner string      // the user, who can always read
	Group string      // the group that can read too; "": none
	All   bool        // every user of the machine can
	Path  string      // the directory above that closes the way for others; "": none does
}

// Audience returns who can read the files, by the configuration, the directory, and the directories above it. It changes
// nothing. A directory that does not exist yet is taken as the next run makes it.
func (r Readers) Audience(dir string) (Audience, error) {
	mode, owner, group := fs.FileMode(0o777)&^disk.Umask(), os.Geteuid(), os.Getegid()
	info, err := os.Stat(dir)
	switch {
	case err == nil:
		mode, owner, group = info.Mode().Perm(), disk.OwnerOf(info), disk.GroupOf(info)
	case !errors.Is(err, fs.ErrNotExist):
		return Audience{}, err
	}
	if r.Mode != 0 {
		mode = r.directoryMode()
	}
	if r.Group != "" {
		if group, err = lookupGroup(r.Group); err != nil {
			return Audience{}, err
		}
	}
	a := Audience{Mode: mode, Owner: userName(owner), All: mode&0o005 == 0o005}
	inGroup := mode&0o050 == 0o050
	above, err := filepath.Abs(dir)
	if err != nil {
		return Audience{}, err
	}
	for a.Path == "" && above != filepath.Dir(above) {
		above = filepath.Dir(above)
		info, err := os.Stat(above)
		if errors.Is(err, fs.ErrNotExist) {
			continue // made by the next run
		}
		if err != nil {
			return Audience{}, err
		}
		passAll := info.Mode()&0o001 != 0
		passGroup := passAll || disk.GroupOf(info) == group && info.Mode()&0o010 != 0
		if a.All && !passAll || inGroup && !passGroup {
			a.Path = above
		}
		a.All, inGroup = a.All && passAll, inGroup && passGroup
	}
	if inGroup {
		a.Group = groupName(group)
	}
	return a, nil
}

// OwnerName returns the name of the user who owns a file, or the number of a user without a name.
func OwnerName(info fs.FileInfo) string { return userName(disk.OwnerOf(info)) }

func userName(id int) string {
	if u, err := user.LookupId(strconv.Itoa(id)); err == nil {
		return u.Username
	}
	return strconv.Itoa(id)
}

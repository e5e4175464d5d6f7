package access

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"slices"
	"strconv"

	"aqueduck/load/internal/disk"
)

// Readers is who may read the published files and the lake besides their owner, as the configuration says. The zero value
// leaves that to the directory: a new one follows the umask, an existing one keeps its mode and group.
type Readers struct {
	Group string      // name or number; "": the directory keeps its group
	Mode  fs.FileMode // of files, e.g. 0o640; 0: the directory keeps its mode
}

// ErrNotMember says that this user cannot give files to the group that is to read them.
var ErrNotMember = errors.New("this user is not a member of that group")

// ErrNoGroup says that this machine does not have a group.
var ErrNoGroup = errors.New("this machine has no such group")

// Set gives a directory the configured group and mode. What is in it follows with Access.ShareTree.
func (r Readers) Set(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if r.Group != "" {
		group, err := lookupGroup(r.Group)
		if err == nil && disk.GroupOf(info) != group {
			err = os.Chown(dir, -1, group)
		}
		if errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("%s cannot be given to the group %s: %w", dir, r.Group, ErrNotMember)
		}
		if err != nil {
			return err
		}
	}
	if mode := r.directoryMode(); mode != 0 && info.Mode().Perm() != mode {
		return os.Chmod(dir, mode|info.Mode()&fs.ModeSetgid)
	}
	return nil
}

// Refused is why this user cannot give a directory to the group; nil without a group, and where that is allowed. It changes nothing.
func (r Readers) Refused(dir string) error {
	if r.Group == "" {
		return nil
	}
	group, err := lookupGroup(r.Group)
	if err != nil {
		return nil // IsUnknown reports it
	}
	if info, err := os.Stat(dir); err == nil && disk.GroupOf(info) == group || canGive(group) {
		return nil
	}
	return fmt.Errorf("%s cannot be given to the group %s: %w", dir, r.Group, ErrNotMember)
}

// directoryMode is the mode of the directory: whoever may read a file may also list the directory. 0: the directory keeps its own.
func (r Readers) directoryMode() fs.FileMode { return r.Mode | r.Mode&0o444>>2 }

// canGive reports whether this process may give its files to a group.
func canGive(group int) bool {
	if os.Geteuid() == 0 || os.Getegid() == group {
		return true
	}
	groups, err := os.Getgroups()
	return err == nil && slices.Contains(groups, group)
}

// lookupGroup returns the number of a group that is given by name or number.
func lookupGroup(name string) (int, error) {
	if n, err := strconv.ParseUint(name, 10, 31); err == nil {
		return int(n), nil
	}
	g, err := user.LookupGroup(name)
	if err != nil {
		return 0, fmt.Errorf("%w: %s", ErrNoGroup, name)
	}
	return strconv.Atoi(g.Gid)
}

// IsUnknown reports whether this machine does not have the group, and returns the names of the groups of this user, who has to be a member of it.
func (r Readers) IsUnknown() (own []string, unknown bool) {
	if r.Group == "" {
		return nil, false
	}
	if _, err := lookupGroup(r.Group); !errors.Is(err, ErrNoGroup) {
		return nil, false
	}
	groups, _ := os.Getgroups() // without them the hint is shorter
	for _, id := range append(groups, os.Getegid()) {
		if name := groupName(id); !slices.Contains(own, name) {
			own = append(own, name)
		}
	}
	return own, true
}

// groupName returns a group's name, or its number where it has none.
func groupName(id int) string {
	if g, err := user.LookupGroupId(strconv.Itoa(id)); err == nil {
		return g.Name
	}
	return strconv.Itoa(id)
}

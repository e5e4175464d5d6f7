package diskfault

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// callForm says which arguments of a system call are what. Positions count from one; 0: the call has no such argument.
type callForm struct {
	name           string
	fd             int // descriptor of the file itself
	dir, path      int // descriptor of a directory, and a name in it
	dirTo, to      int // the second directory and name
	flags, mode    int
	size, position int
}

// forms has the calls that change files; reading has those that only read them.
var forms = map[uint64]callForm{
	unix.SYS_OPEN:            {name: "open", path: 1, flags: 2, mode: 3},
	unix.SYS_OPENAT:          {name: "open", dir: 1, path: 2, flags: 3, mode: 4},
	unix.SYS_WRITE:           {name: "write", fd: 1, size: 3},
	unix.SYS_PWRITE64:        {name: "write", fd: 1, size: 3, position: 4},
	unix.SYS_WRITEV:          {name: "write", fd: 1},
	unix.SYS_PWRITEV:         {name: "write", fd: 1, position: 4},
	unix.SYS_COPY_FILE_RANGE: {name: "write", fd: 3, size: 5},
	unix.SYS_SENDFILE:        {name: "write", fd: 1, size: 4},
	unix.SYS_FSYNC:           {name: "fsync", fd: 1},
	unix.SYS_FDATASYNC:       {name: "fsync", fd: 1},
	unix.SYS_FTRUNCATE:       {name: "truncate", fd: 1, size: 2},
	unix.SYS_TRUNCATE:        {name: "truncate", path: 1, size: 2},
	unix.SYS_FALLOCATE:       {name: "fallocate", fd: 1},
	unix.SYS_RENAME:          {name: "rename", path: 1, to: 2},
	unix.SYS_RENAMEAT:        {name: "rename", dir: 1, path: 2, dirTo: 3, to: 4},
	unix.SYS_RENAMEAT2:       {name: "rename", dir: 1, path: 2, dirTo: 3, to: 4},
	unix.SYS_LINK:            {name: "link", path: 1, to: 2},
	unix.SYS_LINKAT:          {name: "link", dir: 1, path: 2, dirTo: 3, to: 4},
	unix.SYS_SYMLINK:         {name: "symlink", path: 2},
	unix.SYS_SYMLINKAT:       {name: "symlink", dir: 2, path: 3},
	unix.SYS_UNLINK:          {name: "unlink", path: 1},
	unix.SYS_UNLINKAT:        {name: "unlink", dir: 1, path: 2},
	unix.SYS_RMDIR:           {name: "unlink", path: 1},
	unix.SYS_MKDIR:           {name: "mkdir", path: 1, mode: 2},
	unix.SYS_MKDIRAT:         {name: "mkdir", dir: 1, path: 2, mode: 3},
	unix.SYS_CHMOD:           {name: "chmod", path: 1, mode: 2},
	unix.SYS_FCHMOD:          {name: "chmod", fd: 1, mode: 2},
	unix.SYS_FCHMODAT:        {name: "chmod", dir: 1, path: 2, mode: 3},
	unix.SYS_IOCTL:           {name: "ioctl", fd: 1},
}

var reading = map[uint64]callForm{
	unix.SYS_READ:    {name: "read", fd: 1, size: 3},
	unix.SYS_PREAD64: {name: "read", fd: 1, size: 3, position: 4},
}

// watchedCalls returns the numbers of the calls to stop at.
func watchedCalls(reads bool) (list []uint64) {
	for nr := range forms {
		list = append(list, nr)
	}
	if reads {
		for nr := range reading {
			list = append(list, nr)
		}
	}
	return list
}

// decodeCall decodes a call before it is made; ok is false when it is about no file below the directory.
func (t *processTracer) decodeCall(tid int, regs *syscall.PtraceRegs) (Call, bool) {
	f, ok := forms[regs.Orig_rax]
	if !ok {
		f = reading[regs.Orig_rax]
	}
	args := []uint64{0, regs.Rdi, regs.Rsi, regs.Rdx, regs.R10, regs.R8, regs.R9}
	c := Call{Name: f.name, Flags: int(args[f.flags]), Mode: uint32(args[f.mode]), Size: int64(args[f.size])}
	c.Copies = regs.Orig_rax == unix.SYS_COPY_FILE_RANGE || regs.Orig_rax == unix.SYS_SENDFILE
	if f.fd > 0 {
		c.Path = descriptorPath(tid, int32(args[f.fd]))
	} else {
		c.Path = t.resolvePath(tid, args, f.dir, f.path)
	}
	if f.to > 0 {
		c.To = t.resolvePath(tid, args, f.dirTo, f.to)
	}
	if f.name == "symlink" {
		c.To, _ = readString(tid, args[1])
	}
	return c, t.isWatched(c.Path) || t.isWatched(c.To) && f.to > 0
}

// descriptorPath returns the current path of an open file.
func descriptorPath(tid int, fd int32) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, fd))
	if err != nil || strings.HasSuffix(path, " (deleted)") {
		return ""
	}
	return path
}

// resolvePath returns the absolute path of a name in a directory.
func (t *processTracer) resolvePath(tid int, args []uint64, dir, path int) string {
	name, err := readString(tid, args[path])
	if err != nil || name == "" {
		return ""
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	base := ""
	if dir > 0 && int32(args[dir]) != unix.AT_FDCWD {
		base = descriptorPath(tid, int32(args[dir]))
	} else if base, err = os.Readlink(fmt.Sprintf("/proc/%d/cwd", tid)); err != nil {
		return ""
	}
	return filepath.Join(base, name)
}

// readString reads a string from the memory of the process.
func readString(tid int, at uint64) (string, error) {
	const page = 4096
	var all []byte
	for {
		part := make([]byte, page-at%page)
		local := []unix.Iovec{{Base: &part[0]}}
		local[0].SetLen(len(part))
		n, err := unix.ProcessVMReadv(tid, local, []unix.RemoteIovec{{Base: uintptr(at), Len: len(part)}}, 0)
		if err != nil {
			return "", err
		}
		if end := bytes.IndexByte(part[:n], 0); end >= 0 {
			return string(append(all, part[:end]...)), nil
		}
		all, at = append(all, part[:n]...), at+uint64(n)
	}
}

// readWritten reads the written bytes back from the file. While the thread is stopped, no other call changes the file.
func (t *processTracer) readWritten(tid int, c *Call, regs *syscall.PtraceRegs, size int64) error {
	f := forms[regs.Orig_rax]
	args := []uint64{0, regs.Rdi, regs.Rsi, regs.Rdx, regs.R10, regs.R8, regs.R9}
	fd := int32(args[f.fd])
	c.Size, c.Offset = size, int64(args[f.position])
	if f.position == 0 {
		info, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", tid, fd))
		if err != nil {
			return err
		}
		fields := strings.Fields(string(info)) // the line "pos:" has the offset
		if len(fields) < 2 {
			return fmt.Errorf("fdinfo says %q", info)
		}
		end, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return err
		}
		c.Offset = end - size
	}
	file, err := os.Open(fmt.Sprintf("/proc/%d/fd/%d", tid, fd))
	if err != nil {
		return err
	}
	c.Data = make([]byte, size)
	_, err = file.ReadAt(c.Data, c.Offset)
	if errors.Is(err, io.EOF) && size == 0 {
		err = nil
	}
	return errors.Join(err, file.Close())
}

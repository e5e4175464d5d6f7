package layout

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"aqueduck/internal/crash"
	"aqueduck/load/access"
	"aqueduck/load/internal/disk"
)

// BeginRewrite makes a warehouse of its own inside of this one, whose work database is a copy of an older published file.
// What is published there can take the place of that file. The caller ends it with EndRewrite or RemoveAll; after a kill,
// the next start removes it.
func BeginRewrite(d Dir, file string) (Dir, error) {
	apart := Dir(filepath.Join(d.State(), "new-older"))
	if err := os.RemoveAll(string(apart)); err != nil {
		return apart, err
	}
	if err := os.Mkdir(string(apart), 0o700); err != nil {
		return apart, err
	}
	if _, err := apart.Make(); err != nil {
		return apart, err
	}
	log, err := os.ReadFile(d.Erasures())
	if err == nil {
		err = os.WriteFile(apart.Erasures(), log, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return apart, err
	}
	return apart, CopyPublished(apart, apart.Work(), file)
}

// EndRewrite puts what was published apart in the place of the older file, with the time of that file. After a kill in the middle
// the file and its checksum do not fit: the next publish removes the file, as one that cannot be rewritten.
func EndRewrite(d, apart Dir, file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	fresh := apart.Current()
	sum := SumFile(fresh) // the file has the same name there
	if err := errors.Join(access.Share(string(d), fresh, 0o444), access.Share(string(d), sum, 0o444)); err != nil {
		return err
	}
	if err := os.Chtimes(fresh, info.ModTime(), info.ModTime()); err != nil {
		return err
	}
	if err := errors.Join(disk.SyncFile(fresh), disk.Move(file, fresh)); err != nil {
		return err
	}
	crash.At(crash.EraseRewritten)
	if err := disk.Move(SumFile(file), sum); err != nil {
		return err
	}
	return os.RemoveAll(string(apart))
}

// isMasking reports whether files may have values that are masked from now on.
func isMasking(d Dir) bool {
	mark, err := os.ReadFile(d.erasingFile())
	return err == nil && string(mark) == maskedMark
}

func removedFile(d Dir) string { return filepath.Join(d.State(), "older-removed") }

// noteRemoved records why older files were removed that were to be kept, for a rollback that finds none. Files that are kept remove the record.
func noteRemoved(d Dir, why error, kept bool) error {
	switch {
	case errors.Is(why, errMasked):
		return os.WriteFile(removedFile(d), []byte(errMasked.Error()), 0o600)
	case why != nil:
		return os.WriteFile(removedFile(d), []byte("they could not be rewritten without what was erased"), 0o600)
	case kept:
		if err := os.Remove(removedFile(d)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// WhyRemoved says why the last publish removed the older files that it was to keep; "" where it did not.
func WhyRemoved(d Dir) string {
	why, err := os.ReadFile(removedFile(d))
	if err != nil {
		return "" // most often there is none; a rollback is refused all the same
	}
	return string(why)
}

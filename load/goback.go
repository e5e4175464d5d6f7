package load

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"aqueduck/load/internal/disk"
)

// GoBack makes an older published file the one that readers have. What was committed since goes, with the marks that were moved: the
// next run begins with that file. A file that is not as it was published is refused, and nothing changes. The caller holds the lock.
func (d Dir) GoBack(file string) error {
	if filepath.Dir(file) != filepath.Clean(d.Published()) || !strings.HasSuffix(file, ".duckdb") {
		return fmt.Errorf("%s is no published file of %s", file, d)
	}
	if err := CheckSum(file, SumFile(file)); err != nil {
		return err
	}
	// The link comes last: whatever ends this before, readers have what they had, and the next run begins with that.
	if err := errors.Join(os.RemoveAll(d.folded()), d.TrashWork(), d.EmptyTrash()); err != nil {
		return d.Explain(fmt.Errorf("put the work database away: %w", err))
	}
	if err := disk.SyncDir(d.State()); err != nil {
		return d.Explain(err)
	}
	return d.Explain(d.SwapLink(file))
}

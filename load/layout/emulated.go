package layout

import "aqueduck/load/internal/disk"

// IsEmulated reports whether an emulated workspace fills a warehouse.
func IsEmulated(d Dir) bool { return disk.Exists(d.EmulatorFile()) }

// TakesKind reports whether an emulated workspace, or a real one, may fill a warehouse as far as its files tell: before the first publish a run
// still has to ask the work database.
func TakesKind(d Dir, emulated bool) bool {
	if IsEmulated(d) {
		return emulated
	}
	return !emulated || d.Current() == ""
}

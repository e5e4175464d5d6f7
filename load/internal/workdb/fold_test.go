package workdb

import "testing"

// TestTheLimitOfALogFollowsTheSizeOfTheFile folds a small file early, and a large one seldom: each fold copies it.
func TestTheLimitOfALogFollowsTheSizeOfTheFile(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for _, c := range []struct{ file, limit int64 }{
		{0, 32 * mib}, {100 * mib, 32 * mib}, {400 * mib, 100 * mib}, {4000 * mib, 512 * mib},
	} {
		if got := foldLimit(c.file); got != c.limit {
			t.Errorf("a file of %d MiB: a log of up to %d MiB, want %d", c.file/mib, got/mib, c.limit/mib)
		}
	}
	// A first run adds to the file what its log had. All copies of these folds together:
	var copied, file int64
	for file < 4000*mib {
		file += foldLimit(file)
		copied += file
	}
	if copied > 6*file {
		t.Errorf("the folds of a file of %d MiB copy %d MiB", file/mib, copied/mib)
	}
}

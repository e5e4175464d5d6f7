// Package crash names the places where a test may kill the process, to see that the next start is whole.
package crash

// Points gives the names of all places, in the order a run passes them.
func Points() []string {
	return []string{
		OpenCreated, OpenRestored, TablesMade,
		FoldCopied, FoldCheckpointed, FoldReady, FoldSwapping, FoldSwapped,
		CommitStaged, CommitWritten, CommitDone,
		PublishClosed, PublishCopied, LakeWritten, PublishVerified, PublishSealed, PublishSummed, PublishMoved,
		LakePart, LakeManifest, LinkSwapped, WorkTrashed, PublishRetained,
	}
}

// ErasePoints gives those that only an erasure passes.
func ErasePoints() []string { return []string{EraseBegun, EraseNoted, EraseCommitted, ErasePublished} }

// RebuildPoints gives those that are passed where a file is written anew: when somebody was erased, or it is worn.
func RebuildPoints() []string { return []string{RebuildPacked, RebuildCleared} }

// RestorePoints gives those that are passed only where something was damaged, or a backup is put back.
func RestorePoints() []string { return []string{OpenAside, BackupSummed, BackupMoved} }

// ExportPoints gives those that only the reading of an export passes.
func ExportPoints() []string { return []string{ExportMeant, ExportAsked, ExportNamed, ExportFetched} }

// The places.
const (
	OpenCreated      = "open-created"      // an empty database is made, not yet the work database
	OpenRestored     = "open-restored"     // the published file is copied, not yet the work database
	TablesMade       = "tables-made"       // new tables and columns are in the log, which is not folded
	FoldCopied       = "fold-copied"       // the work database is copied with its log
	FoldCheckpointed = "fold-checkpointed" // the copy has taken in its log
	FoldReady        = "fold-ready"        // the copy has its final name, the work database is still there
	FoldSwapping     = "fold-swapping"     // there is no work database, only the copy
	FoldSwapped      = "fold-swapped"      // the copy is the work database, the old one is still in the trash
	CommitStaged     = "commit-staged"     // a transaction is open, nothing is merged
	CommitWritten    = "commit-written"    // all is written, the transaction is open
	CommitDone       = "commit-done"       // the transaction is durable, nobody knows yet
	PublishClosed    = "publish-closed"    // the work database is closed
	PublishCopied    = "publish-copied"    // copied with its log
	LakeWritten      = "lake-written"      // the changed parts are written and audited under temporary names
	PublishVerified  = "publish-verified"  // checkpointed and verified
	PublishSealed    = "publish-sealed"    // read-only, durable, still under a temporary name
	PublishSummed    = "publish-summed"    // its checksum has its final name, the file has not
	PublishMoved     = "publish-moved"     // under its final name, no link leads to it
	LakePart         = "lake-part"         // one part has its final name
	LakeManifest     = "lake-manifest"     // a manifest names the new parts
	LinkSwapped      = "link-swapped"      // readers find the new file
	WorkTrashed      = "work-trashed"      // the work database is out of the way
	PublishRetained  = "publish-retained"  // the checksum of an old published file is removed, the file is not
	EraseBegun       = "erase-begun"       // files are known to hold what is to go, nothing else is done
	EraseNoted       = "erase-noted"       // and the tombstones are durable, nothing is erased
	EraseCommitted   = "erase-committed"   // the work database is without it, its file and the published ones are not
	RebuildPacked    = "rebuild-packed"    // the file is written anew, the worn one still has its name
	RebuildCleared   = "rebuild-cleared"   // the worn one is gone, the new one has not its name
	OpenAside        = "open-aside"        // a damaged work database is set aside, none is in its place
	BackupSummed     = "backup-summed"     // a backup that was put back has its checksum, not its place
	BackupMoved      = "backup-moved"      // it has its place, no link leads to it
	ExportMeant      = "export-meant"      // it is stored that a job is about to be asked for
	ExportAsked      = "export-asked"      // the source has the job, nobody has stored what it is called
	ExportNamed      = "export-named"      // its name is stored, nobody has asked what became of it
	ExportFetched    = "export-fetched"    // its file is there and read, its rows are not stored
	ErasePublished   = "erase-published"   // a file without it is published, the older ones are gone, other files are not
)

// Package crash names the points at which a test kills the process, to check that the next start recovers.
package crash

// Points are the names of the points of every run, in the order in which a run reaches them.
func Points() []string {
	return []string{
		OpenCreated, OpenRestored, TablesMade,
		FoldCopied, FoldCheckpointed, FoldReady, FoldSwapping, FoldSwapped,
		CommitStaged, CommitWritten, CommitDone,
		PublishClosed, PublishCopied, LakeWritten, PublishVerified, PublishSealed, PublishSummed, PublishMoved,
		LakeGathered, LakePart, LakeManifest, LinkSwapped, WorkTrashed, PublishRetained,
	}
}

// ErasePoints are the points of an erasure.
func ErasePoints() []string {
	return []string{EraseBegun, EraseNoted, EraseCommitted, EraseRewritten, ErasePublished}
}

// RebuildPoints are the points of a rebuild of a database file, after an erasure or because the file is worn.
func RebuildPoints() []string { return []string{RebuildPacked, RebuildCleared} }

// RestorePoints are the points of a start with a damaged database, or with a backup to restore.
func RestorePoints() []string { return []string{OpenAside, BackupSummed, BackupMoved} }

// ExportPoints are the points of reading an export.
func ExportPoints() []string { return []string{ExportMeant, ExportAsked, ExportNamed, ExportFetched} }

// RemotePoints are the points at which a machine takes from an object store, or sends to it.
func RemotePoints() []string { return []string{RemoteTaken, RemoteUploaded, RemoteMoved} }

// MirrorPoints are the points at which tables of another catalog are made equal to the published file.
func MirrorPoints() []string { return []string{MirrorClaimed, MirrorWritten, MirrorTable} }

// The points. Each comment says what is on disk, or at the source, when the point is reached.
const (
	OpenCreated      = "open-created"      // an empty database exists, not yet under the work database's name
	OpenRestored     = "open-restored"     // the published file is copied, not yet under the work database's name
	TablesMade       = "tables-made"       // new tables and columns are in the write-ahead log, which is not checkpointed
	FoldCopied       = "fold-copied"       // the work database is copied with its log
	FoldCheckpointed = "fold-checkpointed" // the copy is checkpointed
	FoldReady        = "fold-ready"        // the copy has its final name, the work database still exists
	FoldSwapping     = "fold-swapping"     // there is no work database, only the copy
	FoldSwapped      = "fold-swapped"      // the copy is the work database, the old one is still in the trash
	CommitStaged     = "commit-staged"     // a transaction is open, nothing is merged
	CommitWritten    = "commit-written"    // everything is written, the transaction is open
	CommitDone       = "commit-done"       // the transaction is durable, the run has not noted it
	PublishClosed    = "publish-closed"    // the work database is closed
	PublishCopied    = "publish-copied"    // it is copied with its log
	LakeWritten      = "lake-written"      // the changed parts are written and verified under temporary names
	PublishVerified  = "publish-verified"  // the copy is checkpointed and verified
	PublishSealed    = "publish-sealed"    // it is read-only and durable, still under a temporary name
	PublishSummed    = "publish-summed"    // its checksum has the final name, the file does not
	PublishMoved     = "publish-moved"     // it has its final name, no link leads to it
	LakeGathered     = "lake-gathered"     // the new parts have their final names, in directories that no table leads to yet
	LakePart         = "lake-part"         // one table leads to its new parts
	LakeManifest     = "lake-manifest"     // a manifest names the new parts
	LinkSwapped      = "link-swapped"      // readers find the new file
	WorkTrashed      = "work-trashed"      // the work database is moved to the trash
	PublishRetained  = "publish-retained"  // the checksum of an old published file is removed, the file is not
	EraseBegun       = "erase-begun"       // it is recorded that files contain data to erase, nothing else is done
	EraseNoted       = "erase-noted"       // the tombstones are durable, too, nothing is erased
	EraseCommitted   = "erase-committed"   // the work database is without the data, its file and the published ones are not
	RebuildPacked    = "rebuild-packed"    // the file is written anew, the old one still has its name
	RebuildCleared   = "rebuild-cleared"   // the old file is removed, the new one does not have its name yet
	OpenAside        = "open-aside"        // a damaged work database is moved aside, none replaces it yet
	BackupSummed     = "backup-summed"     // the checksum of a restored backup is in place, the file is not
	BackupMoved      = "backup-moved"      // the file is in place, no link leads to it
	ExportMeant      = "export-meant"      // the checkpoint says that a job will be asked for
	ExportAsked      = "export-asked"      // the source has the job, its id is not stored
	ExportNamed      = "export-named"      // its id is stored, its status was not asked for
	RemoteTaken      = "remote-taken"      // the file of the object store is the published one, and this is not noted yet
	RemoteUploaded   = "remote-uploaded"   // the published file is in the object store, head.json does not name it yet
	RemoteMoved      = "remote-moved"      // head.json names it, and this is not noted yet
	MirrorClaimed    = "mirror-claimed"    // the table _mirror says that a mirror has begun, no table is changed yet
	MirrorWritten    = "mirror-written"    // the files of a table's change are written, no snapshot refers to them yet
	MirrorTable      = "mirror-table"      // one table is equal to the published file, others are not
	ExportFetched    = "export-fetched"    // its file is fetched and read, its rows are not stored
	EraseRewritten   = "erase-rewritten"   // an older published file is rewritten without the data, its checksum is not
	ErasePublished   = "erase-published"   // a file without the data is published, the older ones are rewritten, other files are not
)

package main

// transformMutants break what turns records into rows.
var transformMutants = []mutant{
	{
		bug: "the hash covers volatile columns", file: "transform/emitter.go", killer: "transform.TestT47VolatileColumnsAreNoChange",
		old: "if !c.set || i < len(p.columns) && !p.columns[i].hashed {", new: "if !c.set {",
	},
	{
		bug: "the hash leaves out what lies inside a record", file: "transform/decoder.go", killer: "transform.TestHashIsOfContent",
		old: "				sum += h // a sum", new: "				sum += h - h // a sum",
	},
	{
		bug: "integers go through floats", file: "transform/internal/scalar/number.go", killer: "scalar.TestT124T125IntegersAreExact",
		old: "		v = v*10 + int64(c-'0')\n	}\n	return v, true", new: "		v = int64(float64(v)*10 + float64(c-'0'))\n	}\n	return v, true",
	},
	{
		bug: "milliseconds are taken for seconds", file: "transform/internal/scalar/time.go", killer: "scalar.TestT53Timestamps",
		old: "if seconds < earliest || seconds >= latest {", new: "if seconds < earliest {",
	},
	{
		bug: "children are filtered by their own time", file: "transform/complete.go", killer: "pipeline.TestT54To61ConversationsEqualTheOracleHourByHour/as documented",
		old: "		for _, i := range p.keys {\n",
		new: "		for i := range p.columns {\n			if p.number > 0 && !p.table.Complete && p.columns[i].kind == kindTimestamp && cells[i].set &&\n" +
			"				int64(cells[i].number) < m.meta.ReadAt.UnixMicro()-48*3600*1e6 {\n				p.rows[r].bad = itemRejected\n			}\n		}\n" +
			"		for _, i := range p.keys {\n",
	},
	{
		bug: "what is to be dropped stays inside objects", file: "transform/masker.go", killer: "transform.TestS38HashAndDropLeaveTheValueNowhere",
		old: "if err != nil || below.actionHere() == actDrop {", new: "if err != nil {",
	},
	{
		bug: "half a character is kept as it came", file: "transform/internal/jsontext/json.go", killer: "transform.TestT126InvalidTextIsMendedOnceAndCounted",
		old: "			if _, ok := readSurrogate(raw[i:]); ok {\n				whole = false\n", new: "			if _, ok := readSurrogate(raw[i:]); ok {\n				whole = true\n",
	},
}

// loadMutants break what commits rows, keeps the work database and publishes it.
var loadMutants = []mutant{
	{
		bug: "the watermark is committed before the rows", file: "load/checkpoint.go", killer: "load.TestCommitKeepsItsContract/FailedCommitChangesNothing",
		old: "		if written, err = steps(stamp); err != nil {\n			return err\n		}\n",
		new: "		for _, statement := range []string{\"COMMIT\", \"BEGIN TRANSACTION\"} {\n			if _, err := w.db.DB.Exec(ctx, statement); err != nil {\n				return err\n			}\n		}\n" +
			"		if written, err = steps(stamp); err != nil {\n			return err\n		}\n",
	},
	{
		bug: "a commit that failed stays as far as it came", file: "load/internal/duck/duck.go", killer: "load.TestCommitKeepsItsContract/FailedCommitChangesNothing",
		old: `context.WithoutCancel(ctx), "ROLLBACK")`, new: `context.WithoutCancel(ctx), "COMMIT")`,
	},
	{
		bug: "the same commit again writes again", file: "load/checkpoint.go", killer: "load.TestCommitKeepsItsContract/CommitIsIdempotent",
		old: "if err != nil || next.equalsStored(stored) {", new: "if err != nil || next.Seq < 0 && next.equalsStored(stored) {",
	},
	{
		bug: "a commit on an old checkpoint is taken", file: "load/checkpoint.go", killer: "load.TestCommitKeepsItsContract/CommitRefusesStaleCheckpoint",
		old: "AND seq = $9`", new: "AND seq >= $9`",
	},
	{
		bug: "two commits have the same _synced_at", file: "load/internal/workdb/clock.go", killer: "load.TestCommitKeepsItsContract/SyncedAtAlwaysGrows",
		old: "return w.Last.Add(time.Microsecond)", new: "return w.Last",
	},
	{
		bug: "an older copy replaces a newer one", file: "load/refresh.go", killer: "load.TestCommitKeepsItsContract/T8LaterCopyOfTheSameSecondWins",
		old: "	if t.Newest != \"\" {\n		older := ", new: "	if t.Newest != \"\" && t.Newest == t.Name {\n		older := ",
	},
	{
		bug: "of two copies in a batch the first counts", file: "load/internal/clause/row.go", killer: "load.TestCommitKeepsItsContract/T8LaterCopyOfTheSameSecondWins",
		old: "ORDER BY %[3]s DESC NULLS LAST, _row DESC)", new: "ORDER BY %[3]s DESC NULLS LAST, _row)",
	},
	{
		bug: "children of a record that is the same are not looked at", file: "load/children.go", killer: "load.TestCommitKeepsItsContract/MergeIsTheModel",
		old: "		child.Name, decided, isOlder)\n	from, err := m.lastCopies", new: "		child.Name, decided, isUnchanged)\n	from, err := m.lastCopies",
	},
	{
		bug: "children that left a whole list stay", file: "load/children.go", killer: "load.TestCommitKeepsItsContract/MergeIsTheModel",
		old: "	if c.changed > 0 && stored > 0 {\n", new: "	if c.changed > 0 && stored < 0 {\n",
	},
	{
		bug: "a window is added to, not replaced", file: "load/window.go", killer: "load.TestAWindowIsReplacedAsAWhole",
		old: "	case g.mode == transform.ReplaceWindow:\n", new: "	case g.mode == transform.ReplaceWindow && g.own.Rows == 0:\n",
	},
	{
		bug: "a window takes the first second of the next with it", file: "load/window.go", killer: "load.TestAWindowIsReplacedAsAWhole",
		old: `"%[1]s >= %[2]s AND %[1]s < %[3]s"`, new: `"%[1]s >= %[2]s AND %[1]s <= %[3]s"`,
	},
	{
		bug: "what came since a walk began counts as absent from it", file: "load/sweep.go", killer: "load.TestT152AbsentRowsAreSoftDeletedAfterTwoSweeps",
		old: "return fmt.Sprintf(`t.%s < $3 AND %s NOT IN", new: "return fmt.Sprintf(`(t.%s < $3 OR true) AND %s NOT IN",
	},
	{
		bug: "tombstones are not held against what comes", file: "load/erase/arriving.go", killer: "load.TestT35TombstonesOverrideIncomingRecords",
		old: "	if len(tombs.Hashes) == 0 {\n", new: "	if len(tombs.Hashes) >= 0 {\n",
	},
	{
		bug: "an older file keeps what only later records say about an erased person", file: "load/erase/older.go", killer: "pipeline.TestT35ReportReadBeforeItsConversationIsErased",
		old: "	if len(personal) == 0 {\n", new: "	if len(personal) >= 0 {\n",
	},
	{
		bug: "an erasure removes older files that could be rewritten", file: "load/layout/prune.go", killer: "pipeline.TestT34ErasedPersonIsInNoFile",
		old: "	case clean == nil:\n", new: "	case clean != nil:\n",
	},
	{
		bug: "what came before its record stays when the record names who was erased", file: "load/erase/arriving.go", killer: "load.TestT35ARowStoredBeforeItsErasedRecordIsErased",
		old: "	if len(m.erased) == 0 {\n", new: "	if len(m.erased) >= 0 {\n",
	},
	{
		bug: "a published file that was changed is gone on from", file: "load/layout/sum.go", killer: "load.TestS26AChangedPublishedFileIsNotUsed",
		old: "	if got != want {\n", new: "	if len(got) != len(want) {\n",
	},
	{
		bug: "a damaged log stops every run", file: "load/work.go", killer: "load.TestF10DamagedWorkDatabaseIsRestored",
		old: "	if errors.Is(err, failure.ErrFormat) || errors.Is(disk.Explain(err, \"\"), failure.ErrDiskFull) {\n		return false\n", new: "	if errors.Is(err, failure.ErrFormat) || err != nil || errors.Is(disk.Explain(err, \"\"), failure.ErrDiskFull) {\n		return false\n",
	},
	{
		bug: "keys are not checked before a publish", file: "load/publish/keycheck/keycheck.go", killer: "publish.TestDuplicateKeyIsNotPublished",
		old: "	return fmt.Errorf(\"%s.%s has a key %d times\", schema, t.Name, n)\n", new: "	return nil\n",
	},
	{
		bug: "a second publish of a run takes the name of the first", file: "load/publish/publish.go", killer: "publish.TestSeveralPublishesOfOneRun",
		old: "for n := 2; disk.Exists(", new: "for n := 2; n < 0 && disk.Exists(",
	},
	{
		bug: "a lake of another run is not noticed", file: "load/lakecheck/consistent.go", killer: "publish.TestF11LakeOfAnotherRunIsNoticed",
		old: "m.File != filepath.Base(file) || ", new: "m.File != filepath.Base(file) && false || ",
	},
	{
		bug: "a damaged Parquet file is kept for unchanged", file: "load/publish/lake.go", killer: "publish.TestF10AChangedLakeIsWrittenAgain",
		old: "append(damaged, !part.IsIntact(path))", new: "append(damaged, false)",
	},
	{
		bug: "a part of which a row has changed is kept", file: "load/publish/partwriter.go", killer: "publish.TestOnlyPartsWithChangedRowsAreWritten",
		old: " || found[i].digest != u.Content}", new: "}",
	},
	{
		bug: "replaced Parquet files stay on disk", file: "load/publish/generation.go", killer: "publish.TestNoPartKeepsReplacedValues",
		old: "if !used[e.Name()] {", new: "if e.Name() == \"\" && !used[e.Name()] {",
	},
	{
		bug: "values that a Parquet file lacks are not counted", file: "load/publish/audit.go", killer: "publish.TestAuditFindsMissingValuesOfAPart",
		old: "if !want.copied && values[i] != want.values[i] {", new: "if !want.copied && values[i] > want.values[i] {",
	},
	{
		bug: "a published file can be written", file: "load/publish/publish.go", killer: "publish.TestPublishKeepsOlderFilesForRollback",
		old: "p.copyPath(), 0o444)", new: "p.copyPath(), 0o644)",
	},
	{
		bug: "files are for more readers than their directory", file: "load/access/access.go", killer: "access.TestSharedFilesAllowNoMoreThanTheirDirectory",
		old: "return mode & (0o700 | a.mode&0o055)", new: "return mode",
	},
	{
		bug: "an erasure empties the messages of all runs", file: "load/layout/erasing.go", killer: "load.TestOnlyAChangedMaskingRemovesWholeMessages",
		old: "err != nil || string(mark) == maskedMark", new: "err != nil || string(mark) != \"none\"",
	},
	{
		bug: "the hash of a field that two names mean is hashed again", file: "transform/maskrule/rules.go", killer: "maskrule.TestSimplifiedRulesMaskEachValueOnce",
		old: "slices.IndexFunc(list, p.equalsRule); i >= 0", new: "slices.IndexFunc(list, p.equalsRule); i >= len(list)",
	},
	{
		bug: "a new record beside a key that is stored twice counts as unchanged", file: "load/merge.go", killer: "load.TestFewRecordsAreComparedWithTheStoredRowsOfTheirTimes",
		old: "SELECT DISTINCT s._row, %s, '%s' AS __state FROM %s s JOIN", new: "SELECT s._row, %s, '%s' AS __state FROM %s s JOIN",
	},
	{
		bug: "few records count as unchanged when one of them is", file: "load/merge.go", killer: "load.TestFewRecordsAreComparedWithTheStoredRowsOfTheirTimes",
		old: "return found == g.own.Rows, nil", new: "return found > 0, nil",
	},
	{
		bug: "dead letters are compared with the stored rows only once", file: "load/deadletters.go", killer: "load.TestDeadLettersAreComparedAgainAfterAChange",
		old: "state == compared {", new: "compared != \"\" {",
	},
	{
		bug: "an erasure leaves the hash of a dead letter", file: "load/erase/traces.go", killer: "load.TestAnErasureRemovesTheHashOfComparedDeadLetters",
		old: "starts_with(key, $1)", new: "key = $1",
	},
	{
		bug: "contacts of companies take the times of their contacts", file: "schemas/contact_lifecycle.sql", killer: "pipeline.TestContactsOfCompaniesKeepTheirTime",
		old: "greatest(t._synced_at, l._synced_at) AS _synced_at\nFROM {schema}.contact_companies t ",
		new: "greatest(t._synced_at, l._synced_at, c._synced_at) AS _synced_at\nFROM {schema}.contact_companies t JOIN {schema}.contacts c ON c.id = t.contact_id ",
	},
	{
		bug: "after a first run a model is made in many chunks", file: "load/publish/keyed/keyed.go", killer: "publish.TestAKeyedModelIsMadeWholeWhenMostKeysHaveChanged",
		old: "chunks > k.chunksOfAll(m)", new: "chunks > 1<<60",
	},
	{
		bug: "groups of Parquet rows that stay are collected too", file: "load/publish/stage.go", killer: "publish.TestScatteredRowsAreCollectedOnceForManyGroups",
		old: "i < len(w.staged) && r.to.Equal(w.staged[i].write.from); i++", new: "i < len(w.staged); i++",
	},
	{
		bug: "a read by id is older than an entry that left the list before it", file: "schemas/contact_lifecycle.sql", killer: "pipeline.TestAReadByIDIsNewerThanTheEntryThatLeftTheListBefore",
		old: "greatest(coalesce(b._gone_at, b.read_at), d.updated_at)", new: "coalesce(b._gone_at, b.read_at)",
	},
	{
		bug: "a relation is computed to compare it, and again to write it", file: "load/publish/partwriter.go", killer: "publish.TestARelationIsComputedOnceForComparingAndWriting",
		old: "!isTable(*r) && len(r.RowsOf) == 0 &&", new: "isTable(*r) && len(r.RowsOf) == 0 &&",
	},
	{
		bug: "copies of a record are merged at once", file: "load/doubled.go", killer: "load.TestT162CopiesOfARecordInOneCommitAreAsCommittedOneByOne",
		old: "	if last == 0 {\n", new: "	if last >= 0 {\n",
	},
	{
		bug: "a publish of another workspace ends an erasure", file: "load/publish/publish.go", killer: "pipeline.TestAnErasureOutlivesAPublishOfAnotherWorkspace",
		old: " || !d.Erasing() || p.spec.Elsewhere {", new: " || !d.Erasing() {",
	},
	{
		bug: "only the machine that erased cleans the object store", file: "internal/remote/send.go", killer: "remote.TestAnotherMachineEndsAnErasureInTheStore",
		old: "unclean = unclean || former.Unclean //", new: "unclean = unclean && former.Unclean //",
	},
}

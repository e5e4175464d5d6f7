package main

// fileMutants break what a changed stream file, or a wrong clock, does to stored rows.
var fileMutants = []mutant{
	{
		bug: "a column of the record is taken for that of the commit", file: "load/internal/clause/row.go", killer: "pipeline.TestT200ColumnsMayHaveAnyName",
		old: "AS __unknown FROM %[1]s)\n\t\tWHERE __unknown IS NULL OR _row >= __unknown", new: "AS unknown FROM %[1]s)\n\t\tWHERE unknown IS NULL OR _row >= unknown",
	},
	{
		bug: "the hash of a row has the places of its columns, not their names", file: "transform/compile.go", killer: "pipeline.TestT201AColumnWithAnotherNameIsFilled",
		old: "	return append([]byte(name), 0)\n", new: "	return []byte{byte(i), 0}\n",
	},
	{
		bug: "an erasure leaves columns that no file declares", file: "load/erase/subjects.go", killer: "pipeline.TestT202ErasureReachesColumnsThatNoFileDeclares",
		old: "slices.Concat(t.Columns, t.Left)", new: "slices.Clone(t.Columns)",
	},
	{
		bug: "a column that returns to its file is not filled", file: "load/reshape.go", killer: "pipeline.TestT203AColumnThatReturnsIsFilled",
		old: "	if err != nil || lost == (i < 0) {\n", new: "	if err != nil || lost == (i < 0) || i >= 0 {\n",
	},
	{
		bug: "another key is taken for the one of the stored rows", file: "load/facts/fitting.go", killer: "pipeline.TestT204AFileThatMakesAnotherTableIsRefused",
		old: "	if err == nil && rows > 0 {\n", new: "	if err == nil && rows < 0 {\n",
	},
	{
		bug: "rows under the name of another absent are not looked for", file: "load/facts/fitting.go", killer: "pipeline.TestT204AFileThatMakesAnotherTableIsRefused",
		old: "gone != (t.View == \"\")", new: "gone == (t.View == \"\")",
	},
	{
		bug: "the copy of a past day is replaced", file: "load/copies.go", killer: "pipeline.TestT205APastDayKeepsItsCopy",
		old: "newest.Time.After(sw.Day)", new: "newest.Time.Equal(sw.Day)",
	},
	{
		bug: "Parquet files of a later time are not due", file: "load/publish/unchanged.go", killer: "pipeline.TestT206AClockThatWasAheadDoesNotStopTheLake",
		old: " || age < 0 || ", new: " || ",
	},
	{
		bug: "a key that records of an answer share is not noticed", file: "extract/keys.go", killer: "pipeline.TestT207AKeyThatRecordsShareIsReported",
		old: "came && !bytes.Equal(text, r.Raw)", new: "came && bytes.Equal(text, r.Raw)",
	},
	{
		bug: "an erasure changes each table before it looks at the next", file: "load/erase/erase.go", killer: "pipeline.TestT208AnErasureFindsAllRowsBeforeItChangesOne",
		old: "	found, err := s.findRows(ctx, s.tables)\n	if err != nil {\n		return err\n	}\n	moved := map[string]bool{}\n	err = s.changeRows(ctx, found,", new: "	moved := map[string]bool{}\n	var err error\n	for _, one := range s.tables {\n		found, failed := s.findRows(ctx, []transform.Table{one})\n		if failed != nil {\n			return failed\n		}\n		if err == nil {\n			err = s.changeRows(ctx, found, func(transform.Table, int64, int64) error { return nil })\n		}\n	}\n	err = s.changeRows(ctx, nil,",
	},
	{
		bug: "an erasure leaves daily copies of deleted rows", file: "load/erase/subjects.go", killer: "pipeline.TestT209AnErasureReachesDailyCopiesAndHistories",
		old: "	of, _ := e.findTable(t.HistoryOf + t.CopyOf)\n", new: "	of, _ := e.findTable(t.HistoryOf)\n",
	},
	{
		bug: "an answer that omits a list brings erased data back", file: "load/erase/omitted.go", killer: "pipeline.TestT210AnAnswerThatOmitsThePersonIsErased",
		old: "		m.omitted[t.Name] = \"(\" + stored + \")\"\n", new: "",
	},
	{
		bug: "an answer that omits an object brings erased data back", file: "load/erase/omitted.go", killer: "pipeline.TestT210AnAnswerThatOmitsThePersonIsErased",
		old: "			case s.Table.Parent == \"\":", new: "			case s.Table.Parent != \"\":",
	},
	{
		bug: "a redaction leaves daily copies", file: "load/erase/traces.go", killer: "pipeline.TestT209ARedactionReachesDailyCopies",
		old: "inner.HistoryOf == t.Name || inner.CopyOf == t.Name", new: "inner.HistoryOf == t.Name",
	},
	{
		bug: "a part of the table decides which columns nearly every row has", file: "load/facts/facts.go", killer: "facts.TestT33ColumnsThatNearlyEveryRowHas",
		old: "[]int64{most / 16, most}", new: "[]int64{most / 16}",
	},
	{
		bug: "the first retry after an answer that broke waits as long as after others", file: "extract/api/send.go", killer: "api.TestAnAnswerThatBrokeIsAskedForAgainSoon",
		old: "n == 1 && e.answerBroke()", new: "n == 0 && e.answerBroke()",
	},
	{
		bug: "a soft-deleted record that returns as it was counts as unchanged", file: "load/keep.go", killer: "pipeline.TestT211ASoftDeletedRecordReturnsUnchanged",
		old: `		same = append(same, "t."+transform.GoneColumn+" IS NULL")` + "\n", new: "",
	},
	{
		bug: "an empty list has the hash of an omitted one", file: "load/keep.go", killer: "load.TestT162AnEmptyFieldClearsWhatAnOmittedOneKept",
		old: "xor(s.%[2]s, -1)", new: "s.%[2]s",
	},
	{
		bug: "a list that omits fields is the same as one that says they are empty", file: "transform/listcontent.go", killer: "pipeline.TestT199AnEmptyListIsNotAnOmittedOne",
		old: "HashColumn, AbsentColumn)", new: "HashColumn)",
	},
	{
		bug: "parts keep the API version that they were first read under", file: "load/children.go", killer: "pipeline.TestT67PartsThatAreReadAgainHaveTheNewAPIVersion",
		old: " OR s.%[2]s IS DISTINCT FROM t.%[2]s\", transform.HashColumn, transform.VersionColumn)", new: "\", transform.HashColumn)",
	},
	{
		bug: "a filled column loses the rest of _extra", file: "load/fill.go", killer: "load.TestAFilledColumnHasWhatANewRecordWouldBring",
		old: `strings.Contains(texts[0], fmt.Sprintf(";%d;", i))`, new: `strings.Contains(texts[0], "") || i < 0`,
	},
	{
		bug: "records that cannot be read by id stop their list", file: "internal/sync/stream/incomplete.go", killer: "pipeline.TestT170SeveralUnreadableRecordsBlockNoList",
		old: "		if extract.IsRecordError(err) {\n			break\n		}\n", new: "",
	},
	{
		bug: "a dataset that is no longer listed is not read, without an error", file: "internal/sync/export/export.go", killer: "pipeline.TestF19ADatasetThatLeavesTheListFails",
		old: "e.Family == family.Name && wantsDataset(r, family, s.Name) {\n			w.Exports.Broken[s] =", new: "e.Family == family.Name && e.Dataset == \"\" {\n			w.Exports.Broken[s] =",
	},
	{
		bug: "a job of another API version counts as the whole history", file: "internal/sync/export/export.go", killer: "pipeline.TestT108AJobOfAnotherAPIVersionIsGivenUp",
		old: "		t.State.Export = withoutJob(t.State.Export) // its days", new: "		// its days",
	},
	{
		bug: "a refused export of old days comes before all newer days", file: "internal/sync/export/job.go", killer: "pipeline.TestARefusedExportOfOldDaysKeepsNoNewDayOut",
		old: `if errors.Is(err, export.ErrLost) || errors.As(err, &problem) && problem.Class == "data" {`, new: "if errors.Is(err, export.ErrLost) {",
	},
	{
		bug: "a reconciliation that never ends is no finding", file: "internal/sync/stream/list.go", killer: "pipeline.TestT60AReconciliationThatNeverEndsFailsTheRun",
		old: "	if doneWithin(t.State.ReconcileCut, t.Stream.Reconcile, now) {", new: "	if doneWithin(t.State.ReconcileCut, t.Stream.Reconcile, now) || t.Stream.Reconcile > 0 {",
	},
}

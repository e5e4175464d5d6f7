package main

// interpretMutants break how answers, stored rows and settings are interpreted: each removes one rule.
var interpretMutants = []mutant{
	{
		bug: "a list that stays the same is not compared with rows that changed", file: "internal/sync/stream/unchanged.go", killer: "pipeline.TestT199AnUnchangedListIsComparedWhenItsRowsChanged",
		old: "t.swept.unchanged = now == noted.Tables", new: "t.swept.unchanged = now != \"\"",
	},
	{
		bug: "times in milliseconds are none", file: "transform/internal/scalar/time.go", killer: "scalar.TestT53Timestamps",
		old: "seconds, micros = seconds/1000, seconds%1000*1000", new: "reason = ReasonRange",
	},
	{
		bug: "a window in milliseconds moves its watermark into the far future", file: "extract/internal/scan/values.go", killer: "extract.TestT159TimesInMillisecondsMoveAWindowLikeOthers",
		old: "const EarliestTime, LatestTime = 631_152_000, 4_102_444_800", new: "const EarliestTime, LatestTime = 631_152_000_000, 4_102_444_800_000",
	},
	{
		bug: "an empty search is an answer", file: "internal/sync/stream/evidence.go", killer: "pipeline.TestT161ASearchThatReturnsNothingIsCheckedByID",
		old: "case within == 0, e", new: "case within >= 0, e",
	},
	{
		bug: "a call that two answers lack is not asked for again", file: "internal/sync/stream/doubts.go", killer: "pipeline.TestF27AllFormerlyMissedWrongAnswersAreNoticed",
		old: "over != nil && over.Size > 0 && t.doubts.reasons[key] == \"\"", new: "over != nil && over.Size < 0",
	},
	{
		bug: "whoever left explains a search that returns nothing at all", file: "internal/sync/stream/evidence.go", killer: "pipeline.TestF27AllFormerlyMissedWrongAnswersAreNoticed",
		old: "return e.confirmEmptyList(ctx, t)", new: "return nil",
	},
	{
		bug: "what is always sent is lost where a refresh fails at once", file: "internal/sync/stream/commit.go", killer: "pipeline.TestF27FormerlyMissedWrongAnswersAreNoticed",
		old: "t.State.Version = cmp.Or(t.State.Version, t.Workspace.Config.APIVersion)", new: "_ = cmp.Or(t.State.Version)",
	},
	{
		bug: "the same records that are not whole are asked for in each run", file: "internal/sync/stream/incomplete.go", killer: "pipeline.TestT193EveryIncompleteRecordGetsItsTurn",
		old: "t.State.LastAskedID = ids[maxRereads-1]", new: "_ = ids[maxRereads-1]",
	},
	{
		bug: "two walks that give less than the list states agree about who is gone", file: "internal/sync/stream/sweep.go", killer: "pipeline.TestF27FormerlyMissedWrongAnswersAreNoticed",
		old: "return t.softDelete(ctx, first, n, false)", new: "_ = first",
	},
	{
		bug: "the items that a cut list shows are all of it, where the rest is gone", file: "extract/nested.go", killer: "extract.TestT190ATruncatedListOfADisappearedRecordIsOmitted",
		old: "short = nestedPath.FindStringSubmatch(address)[1]", new: "short = nestedPath.FindStringSubmatch(address)[1]; continue",
	},
	{
		bug: "what a first reading by id leaves out is empty", file: "load/keep.go", killer: "load.TestT190OmittedFieldsComeFromTheNewestCopy",
		old: "if err == nil && from.beside {", new: "if err == nil && from.sharedColumns == nil {",
	},
	{
		bug: "a list that an answer leaves out is empty", file: "transform/emitter.go", killer: "pipeline.TestT162MissingListKeepsStoredRows",
		old: "if p.table.Absent && p.rows[r].absent != 0 {", new: "if p.table.Absent && p.rows[r].absent == 1<<63 {",
	},
	{
		bug: "a watermark ahead of all clocks stays", file: "internal/sync/stream/newtask.go", killer: "pipeline.TestT137T167AWatermarkInTheFutureIsPulledBack",
		old: "	t.State = t.State.RewindTo(to)\n", new: "	t.State = t.State.RewindTo(latest)\n",
	},
	{
		bug: "a record behind its head counts as complete", file: "extract/whole.go", killer: "extract.TestT168ARecordOlderThanItsListEntryIsStale",
		old: "ok && head > at {", new: "ok && head > at+1e9 {",
	},
	{
		bug: "a head newer than its newest part counts as complete", file: "extract/whole.go", killer: "extract.TestT168ARecordOlderThanItsListEntryIsStale",
		old: "return behind && (isRecent(at, now, s.Read.Since.Lag) || !countsAgree(s, listed, raw, n))", new: "_, _ = n, behind\n			return false",
	},
	{
		bug: "only one code of a 404 means gone", file: "extract/api/classify.go", killer: "extract.TestT37T169OnlyTheAPIsOwn404MeansDeleted",
		old: "return missing && slices.ContainsFunc(", new: "return missing && l.code == \"\" && slices.ContainsFunc(",
	},
	{
		bug: "a full page without a next one ends a feed at once", file: "extract/pagerequest.go", killer: "extract.TestT171AFullPageOfAFeedThatLostItsNextOnceIsNoEnd",
		old: "len(p.found.Records) >= p.position.Size {", new: "len(p.found.Records) > p.position.Size {",
	},
	{
		bug: "a full refresh keeps what says that it is newer", file: "load/refresh.go", killer: "load.TestT172AFullRefreshReplacesRowsWithNewerTimes",
		old: "		if g.refresh {\n			older +=", new: "		if g.refresh && t.Newest == \"\" {\n			older +=",
	},
	{
		bug: "a full refresh believes hashes", file: "load/refresh.go", killer: "load.TestT172AFullRefreshComparesValues",
		old: "same += \" AND NOT (\" + clause.Differ(t, \"s.\", \"t.\") + \")\"", new: "same += \" AND true\"",
	},
	{
		bug: "hiding that is taken back leaves the hashes of its rows", file: "load/mask/unmask.go", killer: "pipeline.TestT174UnmaskedValuesReturnWhenReadAgain",
		old: "	if !hasRowHash(t) {\n", new: "	if len(where) > 0 {\n",
	},
	{
		bug: "a second key for hashes is made in silence", file: "internal/sync/hashkey.go", killer: "pipeline.TestT175NoSecondHashKeyIsMadeSilently",
		old: "case key == nil && used:", new: "case key == nil && used && mark == \"never\":",
	},
	{
		bug: "a value of a column that widened is spelled as sent", file: "transform/widen.go", killer: "transform.TestT176AValueHasOneSpellingInAColumnThatHasWidened",
		old: "	if !changed {\n		return t.text\n", new: "	if !changed || len(text) > 0 {\n		return t.text\n",
	},
	{
		bug: "the history of whoever left never ends", file: "internal/sync/history.go", killer: "pipeline.TestT177HistoryAtATimeEqualsThePublishedRows",
		old: "if !s.History || s.Into != \"\" || s.IsExportFamily() {", new: "if s.Name != \"\" {",
	},
	{
		bug: "a history that is kept no longer lasts for ever", file: "load/align.go", killer: "pipeline.TestT178HistoryTurnedOffStaysInFileAndLake",
		old: "if n == 0 {\n\t\t\t\t\tcontinue\n\t\t\t\t}\n\t\t\t\tended[h.Name] = n\n", new: "if n >= 0 {\n\t\t\t\t\tcontinue\n\t\t\t\t}\n\t\t\t\tended[h.Name] = n\n",
	},
	{
		bug: "a member of a family is not read between times", file: "internal/runner/select.go", killer: "pipeline.TestT179DatasetIsReadForAnExplicitWindow",
		old: "s.Read.Since.HasWindows() || s.IsExportFamily() ||", new: "s.Read.Since.HasWindows() ||",
	},
	{
		bug: "what an interrupted walk has seen is evidence", file: "internal/sync/stream/sweep.go", killer: "pipeline.TestF27AllFormerlyMissedWrongAnswersAreNoticed",
		old: "if resumed && t.Stream.Absent == \"gone\" {", new: "if resumed && t.Stream.Absent == \"never\" {",
	},
	{
		bug: "a contact that comes back twice with the same answer is unchanged", file: "load/internal/clause/row.go", killer: "load.TestT186ANewReadTimeIsAChangeOfARecordThatOmitsFields",
		old: "if !c.Volatile && !c.Erased {", new: "if !c.Volatile && !c.Erased && c.Name != \"read_at\" {",
	},
	{
		bug: "a record read as evidence is stored again", file: "internal/sync/stream/evidence.go", killer: "pipeline.TestT187RecordReadAsEvidenceIsNotStored",
		old: "if page.Window == nil || page.Window.Before == 0 {", new: "if page.Window == nil || page.Window.Before >= 0 {",
	},
	{
		bug: "a record whose time is unreadable is not requested by id", file: "internal/sync/stream/doubts.go", killer: "pipeline.TestT188RecordWithInvalidTimeIsRetried",
		old: "extract.HasInvalidTime(t.Stream, record.Raw) {", new: "extract.HasInvalidTime(t.Stream, nil) {",
	},
	{
		bug: "notes of records that this run will request by id are not committed", file: "internal/sync/stream/commit.go", killer: "pipeline.TestT189NotesOfStubsOutliveAnInterruptedRun",
		old: "own.Incomplete, own.Completed = t.doubts.incomplete, t.doubts.completed", new: "own.Completed = t.doubts.completed\n\tif len(t.doubts.retryIDs) == 0 {\n\t\town.Incomplete = t.doubts.incomplete\n\t}",
	},
	{
		bug: "another record is the answer to an id", file: "extract/detail.go", killer: "extract.TestT195TheAnswerOfAnotherRecordIsNone",
		old: "another := known && other != id", new: "another := known && other != id && id == \"\"",
	},
	{
		bug: "fewer parts than the record counts are all of them", file: "extract/whole.go", killer: "extract.TestT196FewerItemsThanTheSourceSendsAreIncomplete",
		old: "capped.came < capped.counted {", new: "capped.came < capped.counted && capped.counted > 1000 {",
	},
	{
		bug: "a new record without what all others have is complete", file: "internal/sync/stream/doubts.go", killer: "pipeline.TestT168ANewRecordWithoutWhatOthersHaveIsReadAgain",
		old: "lacks := t.Decoder.LacksUsual() && t.Stream.Read.Detail != nil", new: "lacks := t.Decoder.LacksUsual() && t.Stream.Read.Detail == nil",
	},
	{
		bug: "a record without its parts is complete", file: "extract/whole.go", killer: "extract.TestT163IncompleteRecordIsRequestedOnceMore",
		old: "&& lacksItems(raw, c) {", new: "&& c.Table == \"\" && lacksItems(raw, c) {",
	},
	{
		bug: "incomplete records are not requested again by the next run", file: "internal/sync/stream/list.go", killer: "pipeline.TestT170UnreadableConversationBlocksNoOther",
		old: "if err := rereadNoted(ctx, t.Task); err != nil || t.Result.Cut {", new: "if err := ctx.Err(); err != nil || t.Result.Cut {",
	},
	{
		bug: "incomplete records fail no run", file: "internal/sync/audit.go", killer: "pipeline.TestT170UnreadableConversationBlocksNoOther",
		old: "Kind: \"exact\", Name: \"incomplete\"", new: "Kind: \"soft\", Name: \"incomplete\"",
	},
	{
		bug: "all records may be unreadable", file: "extract/whole.go", killer: "extract.TestT170ManyUnreadableRecordsAreAFailureOfTheSource",
		old: "const mostAsideRecords = 10", new: "const mostAsideRecords = 1000",
	},
	{
		bug: "one unreadable id fails its batch", file: "extract/over.go", killer: "extract.TestT170AnUnreadableIDDoesNotStopItsBatch",
		old: "if len(units[i]) > 1 && IsRecordError(f.err) {", new: "if len(units[i]) > 1000 && IsRecordError(f.err) {",
	},
	{
		bug: "the last of total_pages ends a list that states more records", file: "extract/pager.go", killer: "extract.TestT14T16ListEndsOfEveryShape",
		old: "more := e.Total > rows && l.page.Most == 0", new: "more := e.Total > rows && l.page.Most < 0",
	},
	{
		bug: "pages that bring nothing new go on for ever", file: "extract/tally.go", killer: "extract.TestT166ListsWithoutAnEndAreLeft",
		old: "if t.stalled >= stalledPages {", new: "if t.stalled >= 1000*stalledPages {",
	},
	{
		bug: "a list may return any number of records beyond its total", file: "extract/tally.go", killer: "extract.TestT166ListsWithoutAnEndAreLeft",
		old: "t.rows > 2*t.maxTotal+repeatsSlack {", new: "t.rows > 2000*t.maxTotal+repeatsSlack {",
	},
	{
		bug: "a run may take days", file: "internal/config/spec.go", killer: "pipeline.TestT166RunsHaveATimeLimitByDefault",
		old: "Default: \"20h\"", new: "Default: \"200h\"",
	},
	{
		bug: "verify compares a widened column as the stream file declares it", file: "internal/verify/verify.go", killer: "pipeline.TestT176WidenedColumnsHaveOneSpelling",
		old: "s = warehouse.WidenStream(", new: "_ = warehouse.WidenStream(",
	},
	{
		bug: "one old record in its answer proves that a search works", file: "internal/sync/stream/evidence.go", killer: "pipeline.TestT197ASearchThatLacksTheNewestStoredRowsIsCheckedByID",
		old: "|| 2*lacks < known ||", new: "|| lacks < known ||",
	},
	{
		bug: "a feed goes on behind a page that names no next one", file: "extract/pager.go", killer: "extract.TestT171AFeedEndsOnAPageThatNamesNoNextOne",
		old: "if end = l.isGrowing || endsByCounts(", new: "if end = endsByCounts(",
	},
	{
		bug: "a record that counts less than its list entry is complete", file: "extract/whole.go", killer: "extract.TestT168ARecordOlderThanItsListEntryIsStale",
		old: "a != nil && b != nil && scan.Count(a) > scan.Count(b) {", new: "a != nil && b != nil && scan.Count(a) > scan.Count(b)+1000 {",
	},
	{
		bug: "a record that counts more than its parts is complete", file: "extract/whole.go", killer: "extract.TestT168ARecordOlderThanItsListEntryIsStale",
		old: "if countsMore(s, c, raw, n) {", new: "if countsMore(s, c, raw, n+1000) {",
	},
	{
		bug: "a quiet month leaves no evidence that a search works", file: "internal/sync/stream/evidence.go", killer: "pipeline.TestT161ABrokenSearchIsNoticedAfterAQuietMonth",
		old: "column == \"\" || req.Phase != extract.Forward ||", new: "column == \"\" || req.Phase == extract.Forward ||",
	},
	{
		bug: "a run may send any number of requests", file: "internal/config/spec.go", killer: "pipeline.TestT166RunsHaveATimeLimitByDefault",
		old: "Default: \"5000000\"", new: "Default: \"500000000\"",
	},
	{
		bug: "times in milliseconds are not reported", file: "internal/sync/stream/audit.go", killer: "pipeline.TestT159TimesInMillisecondsAreReportedOnce",
		old: "range t.Decoder.MillisecondColumns() {", new: "range t.Decoder.MillisecondColumns()[:0] {",
	},
	{
		bug: "clocks that disagree are no finding", file: "internal/sync/identify.go", killer: "pipeline.TestT164ClocksThatDifferAreReported",
		old: "if w.Client.ClocksDisagree() {", new: "if w.Client.ClocksDisagree() && skew == 0 {",
	},
	{
		bug: "clocks that differ are no note", file: "internal/sync/identify.go", killer: "pipeline.TestT164ClocksThatDifferAreReported",
		old: "if skew.Abs() <= ClockSkew {", new: "if skew.Abs() <= 1000*ClockSkew {",
	},
	{
		bug: "of two copies in one answer the later counts, newer or not", file: "load/internal/clause/row.go", killer: "load.TestT173TheNewerOfTwoCopiesWins",
		old: "ORDER BY %[3]s DESC NULLS LAST, _row DESC)", new: "ORDER BY _row DESC, %[3]s DESC NULLS LAST)",
	},
	{
		bug: "a stream without `newest` does not compare updated_at", file: "transform/table.go", killer: "load.TestT173TheNewerOfTwoCopiesWins",
		old: "newestColumn(s),", new: "s.Newest,",
	},
	{
		bug: "an empty answer is believed, where all that it lacks has left and the next answer is right", file: "internal/sync/stream/evidence.go", killer: "pipeline.TestT194AnEmptyAnswerIsNoticedWhoeverLeft",
		old: "slices.IndexFunc(times, e.window.IncludesTime); i >= 0 {", new: "slices.IndexFunc(times, e.window.IncludesTime); i >= 1000 {",
	},
	{
		bug: "an empty list of a record that counts items is a list with few items", file: "extract/whole.go", killer: "extract.TestT196FewerItemsThanTheSourceSendsAreIncomplete",
		old: "capped.came > 0) &&", new: "capped.came >= 0) &&",
	},
	{
		bug: "a full refresh is not noted for streams that it did not reach", file: "internal/sync/stream/newtask.go", killer: "pipeline.TestT172AFullRefreshGoesOnWithStreamsThatItDidNotReach",
		old: "	if t.beforePage == nil || next.State", new: "	if t.beforePage != nil || next.State",
	},
	{
		bug: "a full refresh puts off the reconciliation", file: "extract/state.go", killer: "pipeline.TestT60FullRefreshesDoNotPutOffTheReconciliation",
		old: "RereadAll: rereadAll, Reconciled: s.Reconciled,", new: "RereadAll: rereadAll,",
	},
}

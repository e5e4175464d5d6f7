package main

import "slices"

// runMutants break the loop that joins the steps.
var runMutants = []mutant{
	{
		bug: "a run folds its log only when it is interrupted", file: "internal/sync/warehouse/writer.go", killer: "sync.TestALongLogIsFoldedBetweenTheCommitsOfARun",
		old: "if ctx.Err() == nil && work.FoldNeeded() {", new: "if ctx.Err() != nil && work.FoldNeeded() {",
	},
	{
		bug: "absence from one walk means deletion", file: "internal/sync/stream/sweep.go", killer: "pipeline.TestUnchangedListNeedsOneSweep",
		old: "if last == 0 && t.State.Sweep.Steady {", new: "if last >= 0 {",
	},
	{
		bug: "an empty list takes everything away", file: "internal/sync/stream/sweep.go", killer: "pipeline.TestT152EmptyListsDeleteNoContact",
		old: "if many && !t.Run", new: "if false && many && !t.Run",
	},
	{
		bug: "a list that lacks a third is believed", file: "internal/sync/stream/sweep.go", killer: "pipeline.TestT152LossOfAThirdOfAListNeedsConsent",
		old: "many := absent > GuardRows", new: "many := absent > GuardRows*GuardRows",
	},
	{
		bug: "a search that lacks many is believed", file: "internal/sync/stream/list.go", killer: "pipeline.TestT152ListThatLacksManyRowsDeletesNothing",
		old: "vanished > GuardRows && float64", new: "vanished > GuardRows*GuardRows && float64",
	},
	{
		bug: "an error of Close is ignored", file: "internal/sync/runner.go", killer: "pipeline.TestT151CloseErrorIsReported",
		old: "			errs = append(errs, w.Source.Close())\n", new: "			_ = w.Source.Close()\n",
	},
	{
		bug: "a token of another workspace is taken", file: "internal/sync/identify.go", killer: "pipeline.TestT115OtherWorkspaceIsRefusedBeforeAnythingIsWritten",
		old: `known && pinned.ID != "" && id != pinned.ID {`, new: `known && pinned.ID != "" && id == "" {`,
	},
	{
		bug: "a column that vanished overwrites what is stored", file: "internal/sync/stream/commit.go", killer: "pipeline.TestT33ColumnThatVanishesStopsItsStream",
		old: "		if t.nearlyAlwaysSet[column] {\n", new: "		if t.nearlyAlwaysSet[column] && records < 1000 {\n",
	},
	{
		bug: "records that are kept out hold up nothing, however many", file: "internal/sync/stream/commit.go", killer: "pipeline.TestT123StreamOfDeadLettersStops",
		old: "	if whole < minRejected || whole <= taken {\n", new: "	if whole >= 0 {\n",
	},
	{
		bug: "the name of an export's job is not committed", file: "internal/sync/export/job.go", killer: "pipeline.TestT97EnqueuedJobIsContinuedByTheNextRun",
		old: "			err = t.commitState(ctx, func(e *extract.Export) { e.Job = job })\n", new: "",
	},
	{
		bug: "an export is asked for by its days, no second more", file: "internal/sync/export/job.go", killer: "pipeline.TestT105RowsOnTheBoundsOfADayAreStoredOnce/bounds are out",
		old: "x.set, job.From-1, job.To+1)", new: "x.set, job.From, job.To)",
	},
	{
		bug: "an export's rows of the next day are stored with it", file: "internal/sync/export/rows.go", killer: "pipeline.TestT105RowsOnTheBoundsOfADayAreStoredOnce/bounds are in",
		old: "row.Timed && (row.Time < job.From || row.Time >= job.To) {", new: "row.Timed && (row.Time < job.From || row.Time > job.To) {",
	},
	{
		bug: "a conversation whose time stood still is not read, whatever its parts", file: "schemas/conversations.yaml", killer: "pipeline.TestT55PartsAddedDuringAPageAreNotLost",
		old: "unless_same: [updated_at, statistics.count_conversation_parts]", new: "unless_same: [created_at]",
	},
	{
		bug: "now() in SQL is this machine's in an emulated warehouse", file: "load/internal/duck/clock.go", killer: "duck.TestSQLAsksAFixedClock",
		old: "	if now.IsZero() {\n", new: "	if !now.IsZero() {\n",
	},
	{
		bug: "a retry waits by an emulated clock, which stands", file: "internal/runlog/past.go", killer: "sync.TestARetryOfAnEmulatedWorkspaceWaitsByThisMachine",
		old: "	return e.RetryDue\n", new: "	return e.RetryAt\n",
	},
	{
		bug: "an answer that no id has is no sign of redaction", file: "internal/sync/stream/commit.go", killer: "pipeline.TestT72RestoredConsultationTextIsStoredAgain",
		old: "		if !withRecords[id] {\n", new: "		if !withRecords[id] && len(withRecords) > 0 {\n",
	},
}

// mutants are all mutants.
var mutants = slices.Concat(extractMutants, interpretMutants, transformMutants, loadMutants, fileMutants, runMutants)

package main

import "slices"

// running are bugs of the loop that joins the steps.
var running = []mutant{
	{
		bug: "absence from one walk means deletion", file: "internal/pipeline/sweep.go", killer: "pipeline.TestSweepOfAQuietListIsOneWalk",
		old: "if last == 0 && t.state.Sweep.Steady {", new: "if last >= 0 {",
	},
	{
		bug: "an empty list takes everything away", file: "internal/pipeline/sweep.go", killer: "pipeline.TestT152EmptyListsTakeNobodyAway",
		old: "if many && !t.run", new: "if false && many && !t.run",
	},
	{
		bug: "a list that lacks a third is believed", file: "internal/pipeline/sweep.go", killer: "pipeline.TestT152AThirdOfAListDoesNotLeaveItUnasked",
		old: "many := absent > guardRows", new: "many := absent > guardRows*guardRows",
	},
	{
		bug: "a search that lacks many is believed", file: "internal/pipeline/reconcile.go", killer: "pipeline.TestT152AListThatLacksManyIsNotBelieved",
		old: "vanished > guardRows && float64", new: "vanished > guardRows*guardRows && float64",
	},
	{
		bug: "an error of Close is ignored", file: "internal/pipeline/runner.go", killer: "pipeline.TestT151AnErrorOfClosingIsTold",
		old: "			errs = append(errs, w.source.Close())\n", new: "			_ = w.source.Close()\n",
	},
	{
		bug: "a token of another workspace is taken", file: "internal/pipeline/identify.go", killer: "pipeline.TestT115OtherWorkspaceIsRefusedBeforeAnythingIsWritten",
		old: `known && pinned.ID != "" && id != pinned.ID {`, new: `known && pinned.ID != "" && id == "" {`,
	},
	{
		bug: "a column that vanished overwrites what is stored", file: "internal/pipeline/task.go", killer: "pipeline.TestT33ColumnThatVanishesStopsItsStream",
		old: "		if t.filled[column] {\n", new: "		if t.filled[column] && records < 1000 {\n",
	},
	{
		bug: "records that are kept out hold up nothing, however many", file: "internal/pipeline/task.go", killer: "pipeline.TestT123AStreamWhoseRecordsAreKeptOutStops",
		old: "	if whole < minRejected || whole <= taken {\n", new: "	if whole >= 0 {\n",
	},
	{
		bug: "the name of an export's job is not committed", file: "internal/pipeline/exportjob.go", killer: "pipeline.TestT97AJobThatWasAskedForIsGoneOnWith",
		old: "			err = t.commitState(ctx, func(e *extract.Export) { e.Job = job })\n", new: "",
	},
	{
		bug: "an export is asked for by its days, no second more", file: "internal/pipeline/exportjob.go", killer: "pipeline.TestT105RowsOnTheBoundsOfADayAreThereOnce/bounds are out",
		old: "x.set, job.From-1, job.To+1)", new: "x.set, job.From, job.To)",
	},
	{
		bug: "an export's rows of the next day are stored with it", file: "internal/pipeline/exportrows.go", killer: "pipeline.TestT105RowsOnTheBoundsOfADayAreThereOnce/bounds are in",
		old: "row.Timed && (row.Time < job.From || row.Time >= job.To) {", new: "row.Timed && (row.Time < job.From || row.Time > job.To) {",
	},
	{
		bug: "a conversation whose time stood still is not read, whatever its parts", file: "schemas/conversations.yaml", killer: "pipeline.TestT55PartsThatComeWhileTheirPageIsReadAreNotLost",
		old: "unless_same: [updated_at, statistics.count_conversation_parts]", new: "unless_same: [created_at]",
	},
	{
		bug: "an answer that no id has is no sign of redaction", file: "internal/pipeline/pending.go", killer: "pipeline.TestT72WordsThatComeAgainAreStoredAgain",
		old: "		if !told[id] {\n", new: "		if !told[id] && len(told) > 0 {\n",
	},
}

// mutants are all of them.
var mutants = slices.Concat(extracting, believing, transforming, loading, running)

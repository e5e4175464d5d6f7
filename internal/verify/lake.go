package verify

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"aqueduck/internal/problem"
	"aqueduck/internal/term"
	"aqueduck/load/failure"
	"aqueduck/load/lakecheck"
)

// checkLake compares the Parquet files of the workspace with their manifest and with the published file. It sends no request.
func (v *workspaceVerifier) checkLake(ctx context.Context, sum *Verification) error {
	parquet := v.runner.Config.Warehouse.Parquet
	if v.runner.NoLake || parquet.None || len(v.options.Select)+len(v.options.Exclude) > 0 {
		return nil
	}
	schema, err := v.runner.Schema(v.workspace)
	if err != nil {
		return err
	}
	state, err := lakecheck.Check(ctx, v.runner.Dir, schema, v.published.Reader, sum.File, parquet.Every > 0)
	if ctx.Err() != nil || errors.Is(failure.AsUnreadable(err), failure.ErrUnreadable) {
		return err
	}
	lake := VerifiedLake{Workspace: v.workspace, How: state.Unknown, File: state.File, Tables: state.Tables, Parts: state.Parts, Damages: len(state.Damages)}
	if err != nil {
		failed := problem.Classify(err)
		lake.Class, lake.Error, lake.Next = failed.Class, failed.Error(), cmp.Or(failed.Next, "aqueduck verify")
	}
	if lake.Whole = lake.How == "" && err == nil; lake.Whole {
		lake.How = term.Count(state.Tables, "table") + ", " + term.Count(state.Parts, "part")
	}
	sum.Lakes = append(sum.Lakes, lake)
	for _, d := range state.Damages {
		next := "remove " + filepath.Join(string(v.runner.Dir), state.Manifest) + ", then run aqueduck sync: it writes all Parquet files of " + v.workspace + " again"
		switch {
		case d.Kind == lakecheck.OtherPublish:
			next = "aqueduck sync"
		case d.Kind == lakecheck.DamagedManifest && d.What == lakecheck.NoManifest:
			next = "aqueduck sync, which writes all Parquet files of " + v.workspace + " again"
		}
		sum.Findings = append(sum.Findings, Finding{ID: findingID(v.workspace, d.Table, d.Kind, d.Place), Workspace: v.workspace, Table: d.Table, Kind: d.Kind, Key: d.Place,
			Class: "data", What: d.What, Next: next})
	}
	return nil
}

package load

import (
	"context"
	"fmt"

	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/stage"
	"aqueduck/transform"
)

// places is the temporary table of the rows of records that a batch has several copies of: 1 is the last copy of each, 2 the one before it.
const places = "temp.places"

// mostPlaces is how many copies of a record are merged one by one. Where there are more, the key does not tell records apart.
const mostPlaces = 16

// mergeRounds merges the records of a batch. Where a copy of a record omits an object or a list, the copies of that record are merged one by one, in the
// order of reading: the copy before it may have what it omits, and each is a state of the record (T162).
func mergeRounds(ctx context.Context, m *commitMerger, g stagedGroup) error {
	last, err := placeCopies(ctx, m, g.own)
	if err != nil {
		return fmt.Errorf("find the copies of records: %w", err)
	}
	if last == 0 {
		return m.mergeRecords(ctx, g)
	}
	for place := last; place > 0; place-- {
		rows := fmt.Sprintf("_row IN (SELECT _row FROM %s WHERE __place = %d)", places, place)
		if place == 1 { // with all other records
			rows = "_row NOT IN (SELECT _row FROM " + places + " WHERE __place > 1)"
		}
		if err := mergeRound(ctx, m, g, rows); err != nil {
			return err
		}
	}
	return nil
}

// placeCopies fills the temporary table places, and returns the highest place, or 0 where no record has to be merged in several rounds.
func placeCopies(ctx context.Context, m *commitMerger, own stage.Batch) (last int, err error) {
	if own.Unique {
		return 0, nil
	}
	if bits, err := m.absentIn(ctx, own); err != nil || bits == 0 {
		return 0, err
	}
	key := duck.Names("", own.Table.Key)
	_, err = m.execStatement(ctx, fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE places AS SELECT _row, least(row_number() OVER (PARTITION BY %[1]s ORDER BY _row DESC), %[2]d)::INTEGER AS __place
		FROM %[3]s QUALIFY count(*) OVER (PARTITION BY %[1]s) > 1 AND count(%[4]s) OVER (PARTITION BY %[1]s) > 0`, key, mostPlaces, own.Name, transform.AbsentColumn))
	if err == nil {
		err = m.work.DB.Scan(ctx, "SELECT coalesce(max(__place), 0) FROM "+places, nil, &last)
	}
	return last, err
}

// mergeRound merges the rows of a batch that fit a condition, with their lists.
func mergeRound(ctx context.Context, m *commitMerger, g stagedGroup, rows string) error {
	round := g
	round.children = make([]stage.Batch, len(g.children))
	defer func() {
		for _, s := range append(round.children, round.own) {
			if s.Name != "" {
				stage.Drop(ctx, m.work.DB, s.Name)
			}
		}
	}()
	take := func(s stage.Batch) (stage.Batch, error) {
		if s.Name == "" {
			return s, nil
		}
		from := s.Name
		s.Name = "temp." + duck.Name("round_of_"+s.Table.Name)
		n, err := m.createTemporary(ctx, s.Name, fmt.Sprintf("SELECT * FROM %s WHERE %s ORDER BY rowid", from, rows))
		s.Rows = n
		return s, err
	}
	var err error
	if round.own, err = take(g.own); err != nil {
		return err
	}
	for i, child := range g.children {
		if round.children[i], err = take(child); err != nil {
			return err
		}
	}
	return m.mergeRecords(ctx, round)
}

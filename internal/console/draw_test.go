package console

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/answer"
	"aqueduck/internal/runlog"
)

// TestAColumnThatDwarfsTheOthersIsCutOff: a first run of 12,180 rows leaves the nights room in the picture, and its value is said. Without such a run
// no column is cut off.
func TestAColumnThatDwarfsTheOthersIsCutOff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		measure   string
		values    []float64
		cut       string
		top, cuts int
	}{
		{"rows", []float64{12_180, 30, 0, 45, 80, 12}, "12\u202f180", 80, 1},
		{"rows", []float64{900, 12_180, 30, 45, 80, 12}, "12\u202f180", 80, 2},
		{"rows", []float64{300, 30, 45, 80, 31}, "", 300, 0},
		{answer.Seconds, []float64{215, 3, 4, 5}, "3 min 35 s", 5, 1},
		{"rows", []float64{7}, "", 7, 0},
		{"rows", []float64{0, 0}, "", 0, 0},
	} {
		var columns []chartColumn
		for _, v := range c.values {
			columns = append(columns, chartColumn{runlog.PastRun{}, []columnPart{{"main", v}}, fmt.Sprint(v)})
		}
		highest, fits := columnHeights(columns)
		chart := newRunChart("Rows", c.measure, columns, time.UTC, nil)
		if int(fits) != c.top || highest < fits || chart.Cut != c.cut || strings.Count(string(chart.Bars), `class="cut"`) != c.cuts {
			t.Errorf("%v: axis to %g of %g, cut %q\n%s", c.values, fits, highest, chart.Cut, chart.Bars)
		}
		for height := range strings.SplitSeq(string(chart.Bars), `class="main"`) {
			if strings.Contains(height, `y="-`) {
				t.Errorf("%v: a column leaves the picture\n%s", c.values, chart.Bars)
			}
		}
	}
}

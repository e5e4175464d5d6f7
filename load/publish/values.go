package publish

import (
	"fmt"
	"strings"

	"aqueduck/load/internal/duck"
	"aqueduck/transform/models"
)

// Values is what models know of the configuration.
type Values struct {
	Timezone string // {timezone}: what day and week mean; "": UTC
	Office   models.Office
}

// sql gives what stands for each name.
func (v Values) sql() map[string]string {
	var hours, holidays []string
	for _, h := range v.Office.Hours {
		hours = append(hours, fmt.Sprintf("(%d, INTERVAL %s, INTERVAL %s)", h.Weekday, interval(h.Opens), interval(h.Ends)))
	}
	for _, day := range v.Office.Holidays {
		holidays = append(holidays, "(DATE "+duck.Text(day)+")")
	}
	return map[string]string{
		"timezone":        duck.Text(zone(v.Timezone)),
		"office_timezone": duck.Text(zone(v.Office.Timezone)),
		"office_hours":    rows(hours, "(0, INTERVAL '0 minutes', INTERVAL '0 minutes')", "weekday, opens, ends"),
		"office_holidays": rows(holidays, "(NULL::DATE)", "holiday"),
	}
}

// rows is a list of values as a table; without any it is one that has no row.
func rows(list []string, none, columns string) string {
	if len(list) == 0 {
		return "(SELECT * FROM (VALUES " + none + ") AS v(" + columns + ") WHERE false)"
	}
	return "(SELECT * FROM (VALUES " + strings.Join(list, ", ") + ") AS v(" + columns + "))"
}

func interval(clock string) string {
	hours, minutes, _ := strings.Cut(clock, ":")
	return duck.Text(hours + " hours " + minutes + " minutes")
}

func zone(name string) string {
	if name == "" {
		return "UTC"
	}
	return name
}

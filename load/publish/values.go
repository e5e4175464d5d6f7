package publish

import (
	"fmt"
	"strings"

	"aqueduck/load/internal/duck"
	"aqueduck/transform/models"
)

// Values are the parts of the configuration that models can use.
type Values struct {
	Timezone string // {timezone}: the time zone of days and weeks; "": UTC
	Office   models.Office
}

// sqlValues gives the SQL for each name.
func (v Values) sqlValues() map[string]string {
	var hours, holidays []string
	for _, h := range v.Office.Hours {
		hours = append(hours, fmt.Sprintf("(%d, INTERVAL %s, INTERVAL %s)", h.Weekday, clockInterval(h.Opens), clockInterval(h.Ends)))
	}
	for _, day := range v.Office.Holidays {
		holidays = append(holidays, "(DATE "+duck.Text(day)+")")
	}
	return map[string]string{
		"timezone":        duck.Text(timezoneOrUTC(v.Timezone)),
		"office_timezone": duck.Text(timezoneOrUTC(v.Office.Timezone)),
		"office_hours":    valuesTable(hours, "(0, INTERVAL '0 minutes', INTERVAL '0 minutes')", "weekday, opens, ends"),
		"office_holidays": valuesTable(holidays, "(NULL::DATE)", "holiday"),
	}
}

// valuesTable is a list of values as a table; without values, a table without rows.
func valuesTable(list []string, none, columns string) string {
	if len(list) == 0 {
		return "(SELECT * FROM (VALUES " + none + ") AS v(" + columns + ") WHERE false)"
	}
	return "(SELECT * FROM (VALUES " + strings.Join(list, ", ") + ") AS v(" + columns + "))"
}

func clockInterval(clock string) string {
	hours, minutes, _ := strings.Cut(clock, ":")
	return duck.Text(hours + " hours " + minutes + " minutes")
}

func timezoneOrUTC(name string) string {
	if name == "" {
		return "UTC"
	}
	return name
}

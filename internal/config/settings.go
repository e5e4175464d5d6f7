package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/grammar"
	"aqueduck/schemas"
	"aqueduck/transform"
	"aqueduck/transform/maskrule"
)

// settingsEntry resolves the name or pattern of an entry under streams.
func (l *configLoader) settingsEntry(e grammar.Entry) *settingsEntry {
	s := &settingsEntry{configLoader: l, datasets: datasetSettings{pattern: e.Name}}
	s.names = l.matchingStreams(e.Name, func(hint, format string, args ...any) {
		e.Value.WrongKey(hint, "streams: "+format, args...)
	})
	for _, stream := range l.catalogue.Streams() {
		switch {
		case !slices.Contains(s.names, stream.Name) && !slices.Contains(s.names, stream.With):
		case stream.IsExportFamily():
			s.datasets.families = l.matchingFamilies(e.Name)
		default:
			s.streams = append(s.streams, stream)
		}
	}
	return s
}

// applyWhere applies a value to the settings of those matching streams that can have it, and reports whether any can.
func (s *settingsEntry) applyWhere(can func(*schemas.Stream) bool, take func(*Settings)) (taken bool) {
	for _, stream := range s.streams {
		if can(stream) {
			settings := s.config.settings[stream.Name]
			take(&settings)
			s.config.settings[stream.Name], taken = settings, true
		}
	}
	return taken
}

// takeGiven returns the function that applies a value of the file to the settings of each matching stream.
func (s *settingsEntry) takeGiven(take func(*Settings, *grammar.Value)) func(*grammar.Value) {
	return func(v *grammar.Value) {
		s.applyWhere(func(*schemas.Stream) bool { return v.IsGiven() }, func(of *Settings) { take(of, v) })
	}
}

func (s *settingsEntry) takeStart(v *grammar.Value) {
	s.datasets.settings.Start = v.Date()
	if !v.IsSet() || len(s.streams) == 0 {
		return
	}
	if v.Date().After(time.Now().Add(24 * time.Hour)) {
		v.Wrong("", "%s: it is in the future, so no history would be read", v.Date().Format(time.DateOnly))
	}
	windowed := func(stream *schemas.Stream) bool { return stream.Read.Since.HasWindows() }
	if !s.applyWhere(windowed, func(of *Settings) { of.Start = v.Date() }) {
		v.WrongKey("leave it out", "%s: only streams that are read by time have a start", v.Path())
	}
}

// takeHistory turns on the history tables of the matching streams, and of the streams that write into their tables. Streams that are read along
// with them into other tables have a setting of their own.
func (s *settingsEntry) takeHistory(v *grammar.Value) {
	for _, stream := range s.streams {
		owner := stream.Owner()
		if v.IsGiven() && slices.Contains(s.names, stream.Name) && !slices.Contains(s.names, owner) {
			v.WrongKey("streams: {"+owner+": {history: true}}", "%s: its tables are those of %s", v.Path(), owner)
		}
		if !v.IsGiven() || !slices.Contains(s.names, owner) {
			continue
		}
		if _, taken := s.catalogue.Stream(owner + "_history"); taken {
			v.WrongKey("", "%s: there is a stream %q", v.Path(), owner+"_history")
		}
		for _, c := range stream.Columns {
			if v.Bool() && slices.Contains(transform.HistoryColumns(), c.Name) {
				v.WrongKey("rename the column", "%s: stream %q already has a column %q, which its history needs", v.Path(), stream.Name, c.Name)
			}
		}
		stream.History = v.Bool()
	}
}

// takeMasked returns the function that takes the columns to hash or to drop. An unknown name is a mistake, because it would leave personal data
// unmasked. Columns of datasets are known only to the source; their names are checked when a run has read them.
func (s *settingsEntry) takeMasked(way string, names func(*Settings) *[]string) func(*grammar.Value) {
	return func(v *grammar.Value) {
		*names(&s.datasets.settings) = v.Texts()
		for _, item := range v.Items() {
			s.takeMaskedName(item, way, names)
		}
	}
}

// takeMaskedName adds a masked column to the matching streams that have it. One stream with the column is enough for a pattern.
func (s *settingsEntry) takeMaskedName(item *grammar.Value, way string, names func(*Settings) *[]string) {
	for _, stream := range s.streams {
		if err := s.checkAsked(stream, item.Text(), way); err != nil {
			item.Wrong("remove it from "+way+", or name another column in where", "%v", err)
			return
		}
	}
	var refused error
	take := func(of *Settings) { *names(of) = append(*names(of), item.Text()) }
	can := func(stream *schemas.Stream) bool {
		err := cmp.Or(checkMask(stream, item.Text(), way), maskrule.CheckDeclared(stream, item.Text()))
		if stream.Into != "" && !slices.Contains(s.names, stream.Owner()) {
			err = fmt.Errorf("%s %s: rows of %s are in the table of %s: %s it there", way, item.Text(), stream.Name, stream.Owner(), way)
		}
		refused = cmp.Or(refused, err)
		return err == nil
	}
	if s.applyWhere(can, take) || refused == nil {
		return
	}
	var columns []string
	for _, stream := range s.streams {
		columns = append(columns, maskrule.ListNames(stream)...)
	}
	reason := refused.Error()
	if _, short, found := strings.Cut(reason, way+" "+item.Text()+": "); found { // the place of the mistake says the rest
		reason = short
	}
	hint := "remove it from " + way
	if _, unknown, found := strings.Cut(reason, " has no column or field "); found {
		hint = "list the columns: aqueduck streams NAME"
		if PatternRank(s.datasets.pattern) == 0 {
			reason = fmt.Sprintf("no stream that matches %q has a column or field %s", s.datasets.pattern, unknown)
		}
	}
	if near := grammar.Nearest(item.Text(), columns); near != item.Text() && near != "" {
		hint = `did you mean "` + near + `"?`
	}
	item.Wrong(hint, "%s", reason)
}

// IsKeepable reports whether the configuration may keep a column's value when a person is erased: it is about the record and not about the person.
func IsKeepable(c transform.Column) bool {
	return c.PII && slices.Contains(c.Subjects, schemas.RecordSubjects)
}

// takeKeepErased takes the columns that keep their values.
func (s *settingsEntry) takeKeepErased(v *grammar.Value) {
	for _, item := range v.Items() {
		is := func(c transform.Column) bool { return IsKeepable(c) && c.Name == item.Text() }
		in := func(t transform.Table) bool { return slices.ContainsFunc(t.Columns, is) }
		can := func(stream *schemas.Stream) bool { return slices.ContainsFunc(transform.Tables(stream), in) }
		if take := func(of *Settings) { of.KeepErased = append(of.KeepErased, item.Text()) }; !s.applyWhere(can, take) && len(s.streams) > 0 {
			item.Wrong("", "no column %q can be kept: columns of the person's own record are always erased", item.Text())
		}
	}
}

// takeRefresh takes how far back exports are read again each day.
func (s *settingsEntry) takeRefresh(v *grammar.Value) {
	s.datasets.settings.Refresh = v.Duration()
	if v.IsSet() && len(s.datasets.families) == 0 {
		v.WrongKey("leave it out", "%s: only exports are refreshed", v.Path())
	}
}

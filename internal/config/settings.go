package config

import (
	"slices"
	"strings"
	"time"

	"aqueduck/internal/grammar"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// settings gives each stream what the patterns that mean it say, a stream's own name last. A stream that is read along
// with another one gets that one's settings too: both hold the same personal data.
func (l *loader) settings(c *Config, v *grammar.Value) {
	entries := slices.Clone(v.Entries())
	slices.SortStableFunc(entries, func(a, b grammar.Entry) int { return PatternRank(a.Name) - PatternRank(b.Name) })
	for _, e := range entries {
		names := l.streams(e.Name, func(hint, format string, args ...any) {
			e.Value.WrongKey(hint, "streams: "+format, args...)
		})
		var streams []*schemas.Stream
		for _, s := range l.catalogue.Streams() {
			if slices.Contains(names, s.Name) || slices.Contains(names, s.With) {
				streams = append(streams, s)
			}
		}
		rest := slices.DeleteFunc(slices.Clone(streams), (*schemas.Stream).Family)
		l.exports(c, e, len(rest) < len(streams))
		if len(rest) > 0 {
			l.start(c, e, rest)
			l.history(e, rest, names)
			l.onChange(c, e, rest)
			l.leftOut(c, e, rest)
			l.hide(c, e, rest)
			l.keepErased(c, e, rest)
		}
	}
}

// PatternRank is 1 for a name and 0 for a pattern: of settings that mean a stream the one of the highest rank counts.
func PatternRank(pattern string) int {
	if strings.ContainsAny(pattern, `*?[\`) {
		return 0
	}
	return 1
}

func (l *loader) start(c *Config, e grammar.Entry, streams []*schemas.Stream) {
	start := e.Value.Key("start")
	if !start.Set() {
		return
	}
	if start.Date().After(time.Now().Add(24 * time.Hour)) {
		start.Wrong("", "%s: nothing is there yet, and nothing older would be read", start.Date().Format(time.DateOnly))
	}
	taken := false
	for _, s := range streams {
		if s.Read.Since.Windowed() {
			settings := c.settings[s.Name]
			settings.Start = start.Date()
			c.settings[s.Name] = settings
			taken = true
		}
	}
	if !taken && len(streams) > 0 {
		start.WrongKey("leave it out", "%s: only a stream that is read in windows of time has a beginning to choose", start.Path())
	}
}

// history has the states of the records of these streams kept, by whichever stream they come into their tables. Those that are
// read along with them into others have their own.
func (l *loader) history(e grammar.Entry, streams []*schemas.Stream, names []string) {
	kept := e.Value.Key("history")
	for _, s := range streams {
		if kept.Given() && slices.Contains(names, s.Name) && !slices.Contains(names, s.Owner()) {
			kept.WrongKey("streams: {"+s.Owner()+": {history: true}}", "%s: its tables are those of %s", kept.Path(), s.Owner())
		}
		if !kept.Given() || !slices.Contains(names, s.Owner()) {
			continue
		}
		if _, taken := l.catalogue.Stream(s.Owner() + "_history"); taken {
			kept.WrongKey("", "%s: there is a stream %q", kept.Path(), s.Owner()+"_history")
		}
		for _, c := range s.Columns {
			if kept.Bool() && slices.Contains(transform.HistoryColumns(), c.Name) {
				kept.WrongKey("call the column something else", "%s: stream %s has a column %q of its own, which its history has too", kept.Path(), s.Name, c.Name)
			}
		}
		s.History = kept.Bool()
	}
}

func (l *loader) onChange(c *Config, e grammar.Entry, streams []*schemas.Stream) {
	chosen := e.Value.Key("on_change")
	for _, s := range streams {
		if chosen.Given() {
			settings := c.settings[s.Name]
			settings.OnChange = chosen.Text()
			c.settings[s.Name] = settings
		}
	}
}

// leftOut takes in what it means that an answer leaves out a list or an object.
func (l *loader) leftOut(c *Config, e grammar.Entry, streams []*schemas.Stream) {
	chosen := e.Value.Key("left_out")
	for _, s := range streams {
		if chosen.Given() {
			settings := c.settings[s.Name]
			settings.LeftOutEmpty = chosen.Text() == "empty"
			c.settings[s.Name] = settings
		}
	}
}

// hide takes in what is hashed and dropped. A name that no stream knows would leave personal data where it is.
func (l *loader) hide(c *Config, e grammar.Entry, streams []*schemas.Stream) {
	for _, item := range e.Value.Key("hash").Items() {
		l.hideOne(item, streams, transform.Options{Hash: []string{item.Text()}, HashKey: []byte{0}}, func(stream string) {
			settings := c.settings[stream]
			settings.Hash = append(settings.Hash, item.Text())
			c.settings[stream] = settings
		})
	}
	for _, item := range e.Value.Key("drop").Items() {
		l.hideOne(item, streams, transform.Options{Drop: []string{item.Text()}}, func(stream string) {
			settings := c.settings[stream]
			settings.Drop = append(settings.Drop, item.Text())
			c.settings[stream] = settings
		})
	}
}

// hideOne finds the streams that can hide a name: of a pattern's streams one is enough.
func (l *loader) hideOne(item *grammar.Value, streams []*schemas.Stream, o transform.Options, take func(stream string)) {
	var refused error
	taken := false
	for _, s := range streams {
		if _, err := transform.NewDecoder(s, o); err != nil {
			if refused == nil {
				refused = err
			}
			continue
		}
		take(s.Name)
		taken = true
	}
	if taken || refused == nil {
		return
	}
	var columns []string
	for _, s := range streams {
		for _, column := range s.Columns {
			columns = append(columns, column.Name)
		}
	}
	hint := grammar.Nearest(item.Text(), columns)
	if hint == item.Text() || hint == "" {
		item.Wrong("", "%v", refused)
		return
	}
	item.Wrong(`did you mean "`+hint+`"?`, "%v", refused)
}

// IsKeepable says whether the configuration may keep a column of a person who is erased: one that tells of the record.
func IsKeepable(c transform.Column) bool {
	return c.PII && slices.Contains(c.Whose, schemas.WhoseRecord)
}

// keepErased takes in the columns that stay.
func (l *loader) keepErased(c *Config, e grammar.Entry, streams []*schemas.Stream) {
	for _, item := range e.Value.Key("keep_erased").Items() {
		taken := false
		for _, s := range streams {
			for _, t := range transform.Tables(s) {
				if slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return IsKeepable(c) && c.Name == item.Text() }) {
					settings := c.settings[s.Name]
					settings.KeepErased = append(settings.KeepErased, item.Text())
					c.settings[s.Name], taken = settings, true
					break
				}
			}
		}
		if !taken {
			item.Wrong("", "no column %q that could stay: what is a person's own goes with him", item.Text())
		}
	}
}

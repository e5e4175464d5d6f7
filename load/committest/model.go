package committest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Row is a stored row: its columns as text, without NULLs.
type Row map[string]string

// Model is what the tables should hold. It applies the rules of the contract to maps, one record after the other.
type Model struct {
	people map[string]*storedPerson
	visits map[string]storedVisit
	photos map[string]map[rune]bool // by visit
}

type storedPerson struct {
	person   Person
	bare     bool // only that the record is gone is known
	goneAt   int64
	tags     []string
	syncedAt time.Time
}

type storedVisit struct {
	owner    Person
	visit    Visit
	syncedAt time.Time
}

// NewModel gives the model of empty tables.
func NewModel() *Model {
	return &Model{people: map[string]*storedPerson{}, visits: map[string]storedVisit{}, photos: map[string]map[rune]bool{}}
}

func personKey(p Person) string { return p.Region + "/" + p.ID }

// ApplyCommit merges a batch and returns the number of new and of changed people.
func (m *Model) ApplyCommit(at time.Time, people ...Person) (added, changed int) {
	winners, last := map[string]Person{}, map[string]Person{}
	for _, p := range people {
		last[personKey(p)] = p
		if p.GoneAt != 0 {
			continue
		}
		if w, there := winners[personKey(p)]; !there || w.Updated == 0 || p.Updated == 0 || p.Updated >= w.Updated {
			winners[personKey(p)] = p
		}
	}
	unknown := map[string]bool{} // keys with a copy without a time, which counts as newer than the stored one
	for _, p := range people {
		if p.GoneAt == 0 && p.Updated == 0 {
			unknown[personKey(p)] = true
		}
	}
	for _, k := range slices.Sorted(maps.Keys(winners)) {
		a, c := m.putPerson(at, winners[k], unknown[k])
		added, changed = added+a, changed+c
	}
	for k, p := range last {
		if p.GoneAt == 0 {
			continue
		}
		old := m.people[k]
		switch {
		case old == nil:
			m.people[k] = &storedPerson{person: Person{Region: p.Region, ID: p.ID}, bare: true, goneAt: p.GoneAt, syncedAt: at}
			added++
		case old.goneAt != p.GoneAt:
			old.goneAt, old.syncedAt = p.GoneAt, at
			changed++
		}
	}
	return added, changed
}

func (m *Model) putPerson(at time.Time, p Person, unknown bool) (added, changed int) {
	old := m.people[personKey(p)]
	if old != nil && old.goneAt == 0 && !unknown && p.Updated != 0 && old.person.Updated != 0 && p.Updated < old.person.Updated {
		return 0, 0
	}
	switch {
	case old == nil:
		added = 1
	case old.goneAt != 0 || old.person.Hash() != p.Hash():
		changed = 1
	}
	if added+changed > 0 {
		m.people[personKey(p)] = &storedPerson{person: p, tags: slices.Compact(slices.Sorted(slices.Values(p.Tags))), syncedAt: at}
	}
	touched := false
	for id, photos := range photosOf(p.Visits) {
		touched = touched || !maps.Equal(m.photos[id], photos)
		m.photos[id] = photos
	}
	for _, v := range lastVisits(p.Visits) {
		known, there := m.visits[v.ID]
		if there && known.visit.Note == v.Note {
			continue
		}
		m.visits[v.ID] = storedVisit{owner: p, visit: v, syncedAt: at}
		touched = true
	}
	if touched && added+changed == 0 {
		m.people[personKey(p)].syncedAt = at
		changed = 1
	}
	return added, changed
}

func lastVisits(list []Visit) map[string]Visit {
	last := map[string]Visit{}
	for _, v := range list {
		last[v.ID] = v
	}
	return last
}

func photosOf(list []Visit) map[string]map[rune]bool {
	all := map[string]map[rune]bool{}
	for _, v := range list {
		if all[v.ID] == nil {
			all[v.ID] = map[rune]bool{}
		}
		for _, photo := range v.Photos {
			all[v.ID][photo] = true
		}
	}
	return all
}

// People gives the rows of the people, by key.
func (m *Model) People() map[string]Row {
	table := map[string]Row{}
	for k, s := range m.people {
		row := Row{"region": s.person.Region, "id": s.person.ID, "_synced_at": formatTime(s.syncedAt)}
		if !s.bare {
			row["name"] = s.person.Name
			row["_hash"] = fmt.Sprint(s.person.Hash())
			if s.person.Updated != 0 {
				row["updated_at"] = formatTime(time.Unix(s.person.Updated, 0))
			}
		}
		if s.goneAt != 0 {
			row["_gone_at"] = formatTime(time.Unix(s.goneAt, 0))
		}
		table[k] = row
	}
	return table
}

// Tags gives the tags, as owner and tag.
func (m *Model) Tags() map[string]bool {
	table := map[string]bool{}
	for k, s := range m.people {
		for _, tag := range s.tags {
			table[k+"/"+tag] = true
		}
	}
	return table
}

// Visits gives the visits, by id.
func (m *Model) Visits() map[string]Row {
	table := map[string]Row{}
	for id, v := range m.visits {
		table[id] = Row{"person_region": v.owner.Region, "person_id": v.owner.ID, "note": v.visit.Note, "_synced_at": formatTime(v.syncedAt)}
	}
	return table
}

// photoRows gives the photos, as owner, visit and photo.
func (m *Model) photoRows() map[string]bool {
	table := map[string]bool{}
	for id, v := range m.visits {
		for photo := range m.photos[id] {
			table[personKey(v.owner)+"/"+id+"/"+string(photo)] = true
		}
	}
	return table
}

// formatTime writes an instant in the form that the tests compare.
func formatTime(t time.Time) string {
	return strings.TrimSuffix(t.UTC().Format("2006-01-02T15:04:05.000000"), ".000000")
}

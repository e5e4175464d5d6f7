package runlog

import (
	"slices"
	"strings"

	"aqueduck/internal/config"
)

// NotRead names the streams of a pipeline that no run has begun to read.
type NotRead struct {
	Pipeline string   `json:"pipeline"`
	Streams  []string `json:"streams"` // with the workspace before the name where the pipeline reads several
}

// findNotRead sets NotRead. Of a workspace without any published stream nothing is named: it may have a directory of its own.
func (s *Status) findNotRead(c *config.Config) {
	began := func(workspace string, means func(stream string) bool) bool {
		return slices.ContainsFunc(s.Streams, func(known StreamStatus) bool { return known.Workspace == workspace && means(known.Stream) })
	}
	for _, p := range c.Pipelines {
		left := NotRead{Pipeline: p.Name}
		places := p.Workspaces(c)
		for _, workspace := range places {
			if !began(workspace, func(string) bool { return true }) {
				continue
			}
			name := func(stream string) string {
				if len(places) > 1 {
					return workspace + "." + stream
				}
				return stream
			}
			for _, stream := range p.Streams {
				is := func(known string) bool { return known == stream }
				if slices.Contains(p.Families, stream) {
					is = func(known string) bool { return strings.HasPrefix(known, stream+"_") }
				}
				if !s.tried[workspace+"."+stream] && !began(workspace, is) {
					left.Streams = append(left.Streams, name(stream))
				}
			}
		}
		if len(left.Streams) > 0 {
			s.NotRead = append(s.NotRead, left)
		}
	}
}

package console

import (
	"context"
	"path/filepath"
	"strings"

	"aqueduck/load/failure"
	"aqueduck/load/read"

	"aqueduck/docs/queries"
	"aqueduck/internal/answer"
	"aqueduck/internal/config"
)

// readPublished returns the data of the current published file. Without one it returns failure.ErrNothingPublished.
func (c *Console) readPublished(ctx context.Context) (*publishedData, error) {
	file, err := filepath.EvalSymlinks(c.o.Dir.Link())
	if err != nil {
		return nil, failure.ErrNothingPublished
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.facts != nil && c.facts.file == file {
		return c.facts, nil
	}
	d := &publishedData{file: file, isolation: c.o.Isolation, profiles: map[string][]columnProfile{}, answers: map[string]*answer.Result{}, failed: map[string]string{}, before: c.facts.earlierAnswers(), filled: map[string]chan struct{}{}}
	_, catalogue := c.o.Config()
	err = d.withReader(ctx, func(r *read.Reader) error { return d.readDictionary(ctx, r, catalogue) })
	if err != nil {
		return nil, err
	}
	c.facts = d
	return d, nil
}

// savedQueries returns the saved queries about a workspace; "" is the first of the configuration.
func (c *Console) savedQueries(d *publishedData, workspace string) ([]savedQuery, error) {
	all, err := queries.All()
	if err != nil {
		return nil, err
	}
	cfg, _ := c.o.Config()
	schema, err := cfg.ResolveWorkspace(workspace)
	if err != nil {
		return nil, errNotThere
	}
	var found []savedQuery
	for _, q := range all {
		one := savedQuery{Name: q.Name, Question: q.Question, SQL: q.SQL, Draw: q.Draw, Workspace: schema, statement: q.In(schema, config.ModelSchema(schema)), personal: map[string]bool{}, reads: q.Reads}
		for _, name := range q.Reads {
			of := schema
			if model, ok := strings.CutPrefix(name, "models."); ok {
				of, name = config.ModelSchema(schema), model
			}
			t := d.findTable(of, name)
			if t == nil {
				one.Lacks = append(one.Lacks, name)
				continue
			}
			for _, column := range t.Columns {
				if column.Personal {
					one.personal[column.Name] = true
				}
			}
		}
		found = append(found, one)
	}
	return found, nil
}

package api

import (
	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/input"
)

// saveCompany serves POST /companies: it changes the company with the company_id that is sent, or creates it with only what is sent. Fields
// that are sent are set, null removes a value, and the others stay.
func saveCompany(w *Handlers, q *Request, b *input.Body) answer.Answer {
	b.RequireFields("company_id")
	external, set := b.ReadID("company_id"), companyColumns(b)
	if b.HasValue("company_id") && external == "" {
		b.RefuseField("company_id", "an id")
	}
	if b.IsRefused() {
		return refusedBody(b)
	}
	w.Mu.Lock()
	n, known := w.FindExternalCompany(external)
	if known {
		q.ID = w.CompanyList[n].Newest.ID
	}
	w.Mu.Unlock()
	do, with := "companies.create", map[string]any{"company_id": external, "set": set}
	if known {
		do, with = "companies.update", map[string]any{"id": q.ID, "set": set}
	}
	if known && len(set) == 0 {
		return oneCompany(w, q) // nothing changes, so updated_at does not move
	}
	made, refused := w.performOperation(do, with)
	if refused != nil {
		return *refused
	}
	if !known {
		q.ID = made["id"]
	}
	return oneCompany(w, q)
}

// companyColumns reads the writable fields of a company, by the names of the oracle's columns. The API sends the plan as an object and takes
// its name.
func companyColumns(b *input.Body) map[string]any {
	set := map[string]any{}
	for field, column := range map[string]string{"name": "name", "website": "website", "industry": "industry", "plan": "plan_name"} {
		if text := b.ReadText(field); b.WasSent(field) {
			set[column] = text
		}
	}
	for _, field := range []string{"monthly_spend", "size"} {
		if n := b.ReadInt(field); b.WasSent(field) {
			set[field] = n
		}
		if b.ReadInt(field) < 0 {
			b.RefuseField(field, "0 or more")
		}
	}
	for name, value := range b.ReadValues("custom_attributes") {
		set["custom_attributes."+name] = value
	}
	return set
}

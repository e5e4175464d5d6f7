package personal_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/personal"
)

// TestS4TheFormOfATextShowsPersonalData: what an API says of a field stays, also with apostrophes, dates and ids.
func TestS4TheFormOfATextShowsPersonalData(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"No contact +49 (170) 123-45 67 here":                        "No contact [redacted] here",
		"?phone=%2B491701234567&x":                                   "?phone=[redacted]&x",
		"00491701234567 is taken":                                    "[redacted] is taken",
		"call (555) 010-4477.":                                       "call [redacted].",
		"phone 555-010-4477 is taken":                                "phone [redacted] is taken",
		`User "Rosa Díaz" has no company`:                            `User "[redacted]" has no company`,
		"no user 'Rosa' and no 'Pat O'Brien' here":                   "no user '[redacted]' and no '[redacted]' here",
		"“Rosa Díaz” and «rosa díaz», „Rosa“":                        "“[redacted]” and «[redacted]», „[redacted]“",
		"Invalid 'per_page': must be one of 'asc', \"updated_at\"":   "Invalid 'per_page': must be one of 'asc', \"updated_at\"",
		"data.0.createdAt of `custom_attributes.plan` is not a date": "data.0.createdAt of `custom_attributes.plan` is not a date",
		"can't find the contact's id in users' lists":                "can't find the contact's id in users' lists",
		"since 2026-11-28T03:54:12+00:00 and 2026-11-28 03:54:12":    "since 2026-11-28T03:54:12+00:00 and 2026-11-28 03:54:12",
		"request 0b6c3f3e-1d2a-4c55-9d9e-001122334455 at 1764300000": "request 0b6c3f3e-1d2a-4c55-9d9e-001122334455 at 1764300000",
		"between 0 and 150, not 200.5":                               "between 0 and 150, not 200.5",
		"an open 'quotation":                                         "an open 'quotation",
		"":                                                           "",
	} {
		if got := personal.HideShapes(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// TestS4KnownNamesAreTakenOut has a warehouse with names that are hard to find, and with some that are words of every message.
func TestS4KnownNamesAreTakenOut(t *testing.T) {
	t.Parallel()
	stored := []string{"Rosa Díaz", "J. R. R. Tolkien", "Pat O'Brien-Smith Jr.", "李小龙先生", "Cher", "contact", "not found", "Order-4711", "Ann", "Rosa Díaz Fernández"}
	known := func(phrases []string) (found []string, err error) {
		for _, value := range stored {
			if slices.ContainsFunc(phrases, func(p string) bool { return strings.EqualFold(p, value) }) {
				found = append(found, value)
			}
		}
		return found, nil
	}
	for text, want := range map[string]string{
		"Contact Rosa Díaz has no company":                   "Contact [redacted] has no company",
		"ROSA DÍAZ: the contact rosa díaz was merged":        "[redacted]: the contact [redacted] was merged",
		"Rosa Díaz Fernández, not Rosa":                      "[redacted], not Rosa",
		"author J. R. R. Tolkien, Pat O'Brien-Smith Jr.":     "author [redacted], [redacted]",
		"李小龙先生 is taken":                                     "[redacted] is taken",
		"Cher and cher":                                      "[redacted] and cher",
		"the contact is unknown: Contact, contacts":          "the contact is unknown: Contact, contacts",
		"external id Order-4711 exists":                      "external id [redacted] exists",
		"Ann is short":                                       "Ann is short",
		"Rosa Díazgasse is a street":                         "Rosa Díazgasse is a street",
		"":                                                   "",
		"Rosa Díaz" + strings.Repeat(" Rosa Díaz", 40) + ".": "[redacted]" + strings.Repeat(" [redacted]", 40) + ".",
	} {
		if got, err := personal.HideKnown(text, known); got != want || err != nil {
			t.Errorf("%q became %q, want %q: %v", text, got, want, err)
		}
	}
	broken := errors.New("closed")
	if _, err := personal.HideKnown("Rosa Díaz", func([]string) ([]string, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// FuzzHide: no text makes it fail, and nothing of a quoted value or a known name is left.
func FuzzHide(f *testing.F) {
	for _, seed := range []string{"", "Rosa Díaz", "'", "“„«'\"`", "+49 170 1234567", "a.b.c. d. e"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		const value = "Xavier Quintessa"
		text := before + " " + value + " " + after
		got, err := personal.HideKnown(personal.HideShapes(text), func([]string) ([]string, error) { return []string{value}, nil })
		if err != nil || strings.Contains(got, value) {
			t.Errorf("%q became %q: %v", text, got, err)
		}
	})
}

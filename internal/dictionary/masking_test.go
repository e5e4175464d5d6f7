package dictionary

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/config"
)

func gapsOf(t *testing.T, settings string) []MaskGap {
	t.Helper()
	return gapsReading(t, "contacts", settings)
}

func gapsReading(t *testing.T, streams, settings string) []MaskGap {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pipelines.yaml")
	text := "version: 1\nworkspaces: {main: {base_url: emulator}}\npipelines: {nightly: {streams: " + streams + "}}\n" + settings
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, catalogue, err := config.LoadConfig(file, func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	return FindMaskGaps(c, catalogue)
}

// TestMaskGapsNameTheOtherColumnsWithTheSameValue masks one column, then all with its value, then all personal ones.
func TestMaskGapsNameTheOtherColumnsWithTheSameValue(t *testing.T) {
	t.Parallel()
	gaps := gapsOf(t, "streams: {contacts: {hash: [email, name]}}\n")
	if len(gaps) != 2 || !slices.Equal(gaps[0].Masked, []string{"contacts.email"}) || !slices.Equal(gaps[1].Masked, []string{"contacts.name"}) {
		t.Fatalf("%+v", gaps)
	}
	for _, column := range []string{"conversations.source_author_email", "conversation_parts.author_email", "ticket_parts.author_email", "deleted_contacts.email", "contacts.email_domain"} {
		if !slices.Contains(gaps[0].Open, column) {
			t.Errorf("the e-mail address is also in %s; named are %v", column, gaps[0].Open)
		}
	}
	if !slices.Contains(gaps[1].Open, "conversation_parts.author_name") || !slices.Contains(gaps[1].Models, "models.teammates") {
		t.Errorf("the name: %+v", gaps[1])
	}
	if text := gaps[0].String(); !strings.HasPrefix(text, "hash or drop names contacts.email, but ") || !strings.Contains(text, "personal: hash") {
		t.Errorf("the warning: %s", text)
	}
	phones := gapsOf(t, `streams: {"*contacts": {drop: [phone, formatted_phone]}, calls: {drop: [phone]}}`+"\n")
	if len(phones) != 0 {
		t.Errorf("each number is masked: %+v", phones)
	}
	if all := gapsOf(t, "personal: hash\nstreams: {contacts: {hash: [email]}}\n"); len(all) != 0 {
		t.Errorf("each personal column is masked: %+v", all)
	}
	if none := gapsOf(t, ""); len(none) != 0 {
		t.Errorf("nothing is masked: %+v", none)
	}
}

// TestMaskGapsNameTheChangesOfATicketAttribute masks an attribute of tickets. The parts of a ticket say what an attribute was set to.
func TestMaskGapsNameTheChangesOfATicketAttribute(t *testing.T) {
	t.Parallel()
	for _, masks := range []string{"hash: [ticket_attributes._default_title_]", "drop: [ticket_attributes]", "hash: [ticket_attributes.value]", "drop: [title]"} {
		gaps := gapsOf(t, "streams: {tickets: {"+masks+"}}\n")
		at := slices.IndexFunc(gaps, func(g MaskGap) bool { return g.Kind == "ticket attribute" })
		if at < 0 || !slices.Equal(gaps[at].Masked, []string{"tickets.ticket_attributes"}) || !slices.Equal(gaps[at].Open, []string{"ticket_parts.updated_attribute_data"}) {
			t.Errorf("%s: %+v", masks, gaps)
		}
	}
	for _, gap := range gapsOf(t, "streams: {tickets: {drop: [ticket_attributes, ticket_parts.updated_attribute_data]}}\n") {
		if gap.Kind == "ticket attribute" {
			t.Errorf("both are masked: %+v", gap)
		}
	}
}

// TestMaskGapsNameTheColumnsOfDatasets masks a value that exports also hold. Only the source knows their columns, so the patterns of the
// family's file stand for them; a column that is masked stands for its pattern.
func TestMaskGapsNameTheColumnsOfDatasets(t *testing.T) {
	t.Parallel()
	inDatasets := func(gaps []MaskGap) (open []string) {
		for _, g := range gaps {
			for _, column := range g.Open {
				if strings.HasPrefix(column, "reporting_") {
					open = append(open, column)
				}
			}
		}
		return open
	}
	tests := []struct {
		streams, settings string
		want              []string
	}{
		{"[contacts, reporting_conversation]", "contacts: {hash: [name]}", []string{"reporting_conversation.contact_*", "reporting_conversation.user_name", "reporting_conversation.lead_*"}},
		{"[contacts, reporting_*]", "contacts: {hash: [phone]}", []string{"reporting_*.*phone*"}},
		{`"*"`, "contacts: {hash: [email]}", []string{"reporting_*.*email*"}},
		{"[conversations, reporting_conversation]", "conversations: {drop: [title]}", []string{"reporting_conversation.subject", "reporting_conversation.title",
			"reporting_conversation.*_body", "reporting_conversation.*remark*", "reporting_conversation.*comment*"}},
		{"[contacts, reporting_conversation]", "contacts: {hash: [phone]}, reporting_*: {hash: [phone]}", nil},
		{"[contacts]", "contacts: {hash: [name]}", nil},
	}
	for _, test := range tests {
		if got := inDatasets(gapsReading(t, test.streams, "streams: {"+test.settings+"}\n")); !slices.Equal(got, test.want) {
			t.Errorf("%s, %s: got %v, want %v", test.streams, test.settings, got, test.want)
		}
	}
	gaps := gapsReading(t, "[contacts, reporting_conversation]", "streams: {reporting_conversation: {hash: [contact_name]}}\n")
	if len(gaps) != 1 || !slices.Equal(gaps[0].Masked, []string{"reporting_conversation.contact_name"}) || !slices.Contains(gaps[0].Open, "contacts.name") {
		t.Errorf("the name in the dataset is masked, and not in contacts: %+v", gaps)
	}
	if all := gapsReading(t, `"*"`, "personal: hash\nstreams: {contacts: {hash: [email]}}\n"); len(all) != 0 {
		t.Errorf("each personal column is masked: %+v", all)
	}
}

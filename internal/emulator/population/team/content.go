package team

import (
	"strings"

	"aqueduck/internal/emulator/event"
)

// articleTitles has five titles for each topic, in the order of topics.
var articleTitles = []string{
	"Reset your password", "Set up single sign-on", "Lost your second factor?", "Unlock an account", "Log in on the phone",
	"Find and download invoices", "Change the billing address", "Add a VAT number", "Payment methods", "Understand your invoice",
	"Import contacts from a file", "Prepare a CSV file", "Map your own fields", "When an import stops", "Update contacts by import",
	"Export a report", "Known problems", "Report a bug", "Reload the dashboard", "Supported browsers",
	"Create an access token", "Rate limits of the API", "Set up a webhook", "Connect your CRM", "Test the API",
	"Compare the plans", "Change your plan", "Add seats", "Pay by the year", "End of the trial",
	"Roles and permissions", "Invite teammates", "Remove a teammate", "Change the owner", "Read-only access",
	"First steps", "Install the messenger", "Set up your inbox", "Teams and routing", "Train your teammates",
	"How refunds work", "Charged twice?", "Refund of a yearly plan", "Cancel a payment", "Credit notes",
	"Speed up the inbox", "Status of the service", "Make searches faster", "Large workspaces", "Blank page: what to do",
	"Cancel your plan", "What happens to your data", "Export everything before you leave", "Pause a workspace", "Come back later",
	"Sign the data processing agreement", "Delete a person's data", "Where data is stored", "Retention of conversations", "Cookies of the messenger",
}

const articlesPerTopic = 5

// library is what the team writes for others.
type library struct {
	seed  uint64 // of the workspace
	start int64  // hour 0
}

// article draws an article about a topic.
func (s *library) article(subject int, r *event.RNG) int {
	return subject*articlesPerTopic + zipf(r, articlesPerTopic)
}

// articleSource returns an article as what the AI agent used.
func (s *library) articleSource(n int) event.ContentSource {
	return event.ContentSource{Type: "article", Title: articleTitles[n], Locale: "en", URL: "https://help.example/articles/" + event.ContentText(event.Articles, int32(n))}
}

// counts are the numbers of content at hour 0.
var counts = [event.ContentKinds]int{event.Articles: len(articleTitles), event.InternalArticles: 12, event.Collections: 12, event.Newsfeeds: 2, event.NewsItems: 10, event.Folders: 4,
	event.DynamicContents: 4, event.Connectors: 3}

// Content returns the content of hour 0.
func (s *library) Content() (all [event.ContentKinds][]event.BornContent) {
	for kind := range event.ContentKinds {
		for n := range int32(counts[kind]) {
			made := s.made(kind, n)
			r := event.NewRNG(s.seed, forContent, 1, uint64(kind), uint64(n))
			all[kind] = append(all[kind], event.BornContent{Kind: kind, N: n, Created: made, Updated: made + int64(r.Float64()*float64(s.start-event.Day-made))})
		}
	}
	return all
}

// made returns when a piece of content of hour 0 was made: within the first two years.
func (s *library) made(kind event.ContentKind, n int32) int64 {
	r := event.NewRNG(s.seed, forContent, uint64(kind), uint64(n))
	return s.start - event.Span + int64(r.IntN(event.Span*2/3))
}

// isDraft reports whether an article is not live: three of sixty.
func isDraft(n int32) bool { return n%20 == 19 }

// Piece returns the properties of a piece of content. Views follow Zipf's law from 12,000 down.
func (s *library) Piece(kind event.ContentKind, n int32) (p event.Piece) {
	r := event.NewRNG(s.seed, forContent, 2, uint64(kind), uint64(n))
	switch kind {
	case event.Articles:
		p.Parent = event.ContentText(event.Collections, n/articlesPerTopic%int32(len(topics)))
		p.ViewsIn, p.ViewsPerReaction, p.ViewsPerTalk = max(1, (s.start-s.made(kind, n))/3600), int64(20+r.IntN(80)), int64(34+r.IntN(290))
		p.Happy, p.Sad = int64(69+r.IntN(11)), int64(11+r.IntN(9))
		if n == 2 || n == 41 { // two that do not help
			p.Happy, p.Sad = 41, 46
		}
		if int(n) < len(articleTitles) && !isDraft(n) {
			p.Views = int64(12_000 / zipfFall(rankOf(int(n))))
		}
	case event.NewsItems:
		p.Feed = event.ContentText(event.Newsfeeds, n%2)
	case event.DynamicContents:
		p.Key = []string{"office_hours", "support_address", "status_page", "trial_days"}[n%4]
		if n >= 4 {
			p.Key += "_" + event.ContentText(kind, n)
		}
	case event.InternalArticles:
		p.Folder = event.ContentText(event.Folders, n%4)
	}
	return p
}

// rankOf returns the place of an article among all by how often it is needed, from 1: the first ones of the topics that customers ask about most.
func rankOf(n int) int {
	need := func(n int) float64 { return topics[n/articlesPerTopic].weight / float64(1+n%articlesPerTopic) }
	rank := 1
	for other := range articleTitles {
		if need(other) > need(n) || need(other) == need(n) && other < n {
			rank++
		}
	}
	return rank
}

// zipfFall is by how much the views of a rank are fewer than those of the first: 300 times at rank 60.
func zipfFall(rank int) float64 {
	x := float64(rank)
	return x * (1 + 4*(x-1)/59)
}

// Wording returns the text of a piece of content.
func (s *library) Wording(kind event.ContentKind, n int32, edits int) (w event.Wording) {
	r := event.NewRNG(s.seed, forContent, 3, uint64(kind), uint64(n))
	w.Author = admins[r.IntN(len(admins))].ID
	about := &english.topics[int(n)%len(topics)]
	switch kind {
	case event.Articles:
		about = &english.topics[int(n)/articlesPerTopic%len(topics)]
		w.Title, w.Description, w.Draft = articleTitles[int(n)%len(articleTitles)], "Answers about: "+strings.ToLower(about.title), isDraft(n)
		if int(n) >= len(articleTitles) {
			w.Title += ", continued"
		}
		w.Body = "<h2>" + w.Title + "</h2><p>" + strings.Join(about.help, "</p><p>") + "</p>"
		if edits > 0 {
			w.Body += "<p>Updated for the latest release.</p>"
		}
	case event.InternalArticles:
		w.Title, w.Owner, w.Locale = "How we answer: "+strings.ToLower(about.title), admins[int(n)%len(admins)].ID, "en"
		w.Body = "<p>" + notes[int(n)%len(notes)] + "</p>"
	case event.Collections:
		w.Title, w.Description = topics[int(n)%len(topics)].name, about.title
	case event.Newsfeeds:
		w.Title = []string{"Product news", "Service notices"}[n%2]
	case event.NewsItems:
		w.Title, w.Body = "New: "+strings.ToLower(about.title), "<p>"+about.help[0]+"</p>"
	case event.Folders:
		w.Title = []string{"Support", "Billing", "Onboarding", "Everyone"}[n%4]
	case event.DynamicContents:
		w.Title, w.Body = []string{"Office hours", "Support address", "Status page", "Days of the trial"}[n%4], []string{"Monday to Friday, 8 to 18", "help@acme.example", "status.acme.example", "14"}[n%4]
		w.Other = []string{"Montag bis Freitag, 8 bis 18 Uhr", "help@acme.example", "status.acme.example", "14"}[n%4]
	case event.Connectors:
		w.Title, w.State, w.Method = []string{"Look up an order", "Read the subscription", "Create a case"}[n%3], "live", []string{"get", "get", "post"}[n%3]
	}
	return w
}

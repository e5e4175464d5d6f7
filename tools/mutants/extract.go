package main

// extractMutants break what sends requests to the API and interprets its answers.
var extractMutants = []mutant{
	{
		bug: "the watermark is the largest time seen", file: "extract/searchwindow.go", killer: "extract.TestNewStreamReadsForwardThenHistory",
		old: "	case s.window.To > 0:\n		return s.window.To\n",
		new: "	case s.window.To > 0:\n		return s.reached\n",
	},
	{
		bug: "`>` alone at the boundary", file: "extract/list.go", killer: "extract.TestT12ExpiredCursorContinuesFromLastTime",
		old: `s.timeFilter("=", s.since), s.timeFilter(">", s.since)`,
		new: `s.timeFilter(">", s.since), s.timeFilter(">", s.since)`,
	},
	{
		bug: "no lookback window", file: "extract/searchwindow.go", killer: "extract.TestT6LateRecordsAreWithinTheLookbackWindow",
		old: "s.window.From = max(0, watermark-int64(lookback/time.Second))",
		new: "s.window.From = max(0, watermark-int64(lookback/time.Second)/1000)",
	},
	{
		bug: "the watermark moves inside a window", file: "extract/search.go", killer: "extract.TestT4T11TiesLongerThanAPageSurviveAKillAtEachPage",
		old: "	if w.Kind == windowForward {\n",
		new: "	st.SyncedTo = max(st.SyncedTo, s.reached)\n	if w.Kind == windowForward {\n",
	},
	{
		bug: "the watermark goes by our own clock", file: "extract/api/clock.go", killer: "extract.TestT131T164TheEarliestSaneClockCounts",
		old: "	case late.Sub(early) <= clockTolerance:\n		return server\n", new: "	case late.Sub(early) <= clockTolerance:\n		return own\n	case !own.IsZero():\n		return own\n",
	},
	{
		bug: "a record from the future makes a clock that is ahead right", file: "extract/api/clock.go", killer: "extract.TestT131T164TheEarliestSaneClockCounts",
		old: "newest.After(early.Add(clockTolerance)) && !newest.After(late.Add(clockTolerance)):", new: "newest.After(early.Add(clockTolerance)):",
	},
	{
		bug: "the watermark moves back", file: "extract/searchwindow.go", killer: "extract.TestT132WatermarkNeverMovesBack",
		old: "st.SyncedTo = max(st.SyncedTo, s.windowWatermark())", new: "st.SyncedTo = s.windowWatermark()",
	},
	{
		bug: "a watermark in the future is taken", file: "extract/reader.go", killer: "extract.TestT137WatermarkInTheFutureIsRefused",
		old: "if r.c.InFuture(latest.Add(-24 * time.Hour)) {", new: "if latest.Before(now) && latest.After(now) {",
	},
	{
		bug: "records after the window end it", file: "extract/search.go", killer: "extract.TestT160AForwardPassEndsWhereTheListEnds",
		old: "	s.noteTimes(sh.Seen)\n", new: "	s.noteTimes(sh.Seen)\n	sh.end = sh.end || s.window.To > 0 && s.previous > s.window.To\n",
	},
	{
		bug: "a dead cursor goes on from a time that only the record has", file: "extract/search.go", killer: "extract.TestT160ExpiredCursorContinuesFromAnIndexedTime",
		old: "	read := s.settledTo\n	if s.statedTotal > 0 {\n", new: "	read := s.settledTo\n	if s.statedTotal >= 0 {\n",
	},
	{
		bug: "a list that ends short of its count is whole", file: "extract/search.go", killer: "extract.TestT165ListShorterThanItsCountFailsInEveryRun",
		old: "rows < s.statedTotal || 2*rows", new: "rows+1000 < s.statedTotal || 2*rows",
	},
	{
		bug: "an empty second reading of a short list is believed", file: "extract/search.go", killer: "extract.TestT165ASecondReadingWithLessThanHalfOfTheFirstFails",
		old: " || 2*rows < s.firstRows", new: "",
	},
	{
		bug: "records that come again count again", file: "extract/tally.go", killer: "extract.TestT166ListsWithoutAnEndAreLeft",
		old: "if _, known := t.seenKeys[hash]; !known {", new: "if _, known := t.seenKeys[hash]; !known || t.rows >= 0 {",
	},
	{
		bug: "a record that cannot be read fails its page", file: "extract/detail.go", killer: "extract.TestT170ARecordThatCanNeverBeReadIsSetAside",
		old: "found[i] != nil && IsRecordError(err) &&", new: "found[i] != nil && IsRecordError(err) && i < 0 &&",
	},
	{
		bug: "half a record is taken for all of it", file: "extract/whole.go", killer: "extract.TestT163IncompleteRecordIsRequestedOnceMore",
		old: "	if !found && known >= stubColumns {\n", new: "	if !found && known >= 1000*stubColumns {\n",
	},
	{
		bug: "a window that fails is closed", file: "extract/search.go", killer: "extract.TestT138AFailedWindowMovesNoWatermark",
		old: "	if err != nil {\n		return Page{}, err\n	}\n	if s.fresh {",
		new: "	if api.ClassOf(err) == api.ClassTransient {\n		st := s.stateAfterWindow()\n		s.walk = nil\n		return Page{State: st, Boundary: true}, nil\n	}\n	if err != nil {\n		return Page{}, err\n	}\n	if s.fresh {",
	},
	{
		bug: "a token without its fingerprint", file: "extract/walk.go", killer: "extract.TestT13CursorOfAnotherRequestIsNotUsed",
		old: "from != nil && from.Fingerprint == w.fingerprint && ", new: "from != nil && ",
	},
	{
		bug: "a page without records is the end", file: "extract/pager.go", killer: "extract.TestT14T16ListEndsOfEveryShape/empty page with a cursor",
		old: "		next, err = g.onNext(p, e)\n", new: "		next, err = g.onNext(p, e)\n		end = err == nil && len(e.Records) == 0\n",
	},
	{
		bug: "total_count ends a list that goes on", file: "extract/pager.go", killer: "extract.TestT14T16ListEndsOfEveryShape/a next although the count is reached",
		old: "		next, err = g.onNext(p, e)\n", new: "		next, err = g.onNext(p, e)\n		end = err == nil && e.Total >= 0 && rows >= e.Total\n",
	},
	{
		bug: "a cursor that comes again is followed", file: "extract/walk.go", killer: "extract.TestT15CursorThatComesAgainStopsTheStream",
		old: "	if w.recordVisit(w.pos) {\n		return w.sourceError(ErrCursorLoop)\n", new: "	if w.recordVisit(w.pos) && w.empty > 0 {\n		return w.sourceError(ErrCursorLoop)\n",
	},
	{
		bug: "an answer without its list is an empty page", file: "extract/internal/envelope/envelope.go", killer: "extract.TestAnswersAreClassified/T19 other key",
		old: "	case len(s.lists) == 0:\n		return nil, ", new: "	case len(s.lists) == 0:\n		return &s.Envelope, nil\n	case len(s.lists) < 0:\n		return nil, ",
	},
	{
		bug: "an error with status 200 is an answer", file: "extract/internal/envelope/envelope.go", killer: "extract.TestAnswersAreClassified/T19 list and error",
		old: `case s.kind == "error.list":`, new: `case s.kind == "error":`,
	},
	{
		bug: "what follows an answer's end is not looked at", file: "extract/internal/envelope/envelope.go", killer: "extract.TestAnswersAreClassified/T120 trailing",
		old: "if err := d.Skip(); err != io.EOF {", new: "if err := d.Skip(); err == io.ErrNoProgress {",
	},
	{
		bug: "redirects are followed", file: "extract/api/client.go", killer: "api.TestT119RedirectsAreNotFollowed",
		old: "CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },",
		new: "CheckRedirect: func(_ *http.Request, via []*http.Request) error {\n			if len(via) > 2 {\n				return http.ErrUseLastResponse\n			}\n			return nil\n		},",
	},
	{
		bug: "a proxy's 404 means gone", file: "extract/api/classify.go", killer: "extract.TestT37T169OnlyTheAPIsOwn404MeansDeleted",
		old: "	case status == http.StatusNotFound && !listed.list:\n		return ClassTransient\n",
		new: "	case status == http.StatusNotFound && !listed.list:\n		return ClassNotFound\n",
	},
	{
		bug: "asking for an export is repeated", file: "extract/api/rules.go", killer: "api.TestT118EnqueueIsNeverRepeated",
		old: `enqueue", exactPath: true}`, new: `enqueue", exactPath: true, retrySafe: true}`,
	},
	{
		bug: "a page whose readings fail moves the watermark", file: "extract/detail.go", killer: "extract.TestT56FailedReadingByIDKeepsTheOthersAndThePage",
		old: "		page.State, page.Boundary = r.before, false\n", new: "		page.Boundary = false\n",
	},
	{
		bug: "the feed goes on behind its last page", file: "extract/feed.go", killer: "extract.TestT38FeedReadsItsLastPageAgain",
		old: "mark := sh.position", new: "mark := sh.nextPosition",
	},
	{
		bug: "a feed that lost its place says nothing", file: "extract/feed.go", killer: "extract.TestT39AFeedThatLostItsPositionReportsAGap",
		old: `if f.lastReadID != "" && (f.pages == 2 || sh.end) {`, new: `if f.lastReadID == "" && (f.pages == 2 || sh.end) {`,
	},
	{
		bug: "a list that moves counts as one that stood still", file: "extract/sweep.go", killer: "extract.TestT28T29ListThatMovesIsNotSteady",
		old: "s.current.Steady = s.current.Steady && sh.Total == s.current.Total && (!sh.end || sh.Total < 0 || sh.Total == s.current.Rows)", new: "s.current.Steady = s.current.Steady && !sh.date.IsZero()",
	},
	{
		bug: "a list of exactly ten that says nothing is whole", file: "extract/internal/envelope/nestedlist.go", killer: "extract.TestT44CutListsAreReadOn",
		old: "nestedCap = 10", new: "nestedCap = 1000",
	},
	{
		bug: "ids that a batch leaves out are not missed", file: "extract/batch.go", killer: "extract.TestT89ExpectedRecordsThatAreMissingAreNoted",
		old: "if !received[key] {", new: "if !received[key] && len(received) == 0 {",
	},
	{
		bug: "a record that one answer of a batch lacks is gone", file: "extract/batch.go", killer: "extract.TestT89ARecordMissingFromOneAnswerIsRequestedAgain",
		old: "second, gone := b.askUnit(ctx, again, missing)", new: "second, gone := lookupResult{}, missing",
	},
	{
		bug: "a span whose answer is one page of two is whole", file: "extract/between.go", killer: "extract.TestT84WindowsAreSplitUntilOneAnswerHoldsAll",
		old: "p.Next == envelope.NextURL || p.TotalPages > 1 ||", new: "p.Next == envelope.NextURL ||",
	},
	{
		bug: "the token goes to wherever a file lies", file: "extract/api/download.go", killer: "export.TestT90TheTokenStaysWithTheAPI",
		old: "return u.Scheme == c.base.Scheme && u.Host == c.base.Host\n}", new: "return u.Scheme == c.base.Scheme\n}",
	},
	{
		bug: "a second gzip member is read as rows", file: "extract/export/archive.go", killer: "export.TestT102BytesAfterTheEndAreRefused",
		old: "	z.Multistream(false)\n", new: "",
	},
	{
		bug: "an archive needs no end", file: "extract/export/tar.go", killer: "export.TestT101AnArchiveCutAtTheEndOfARowIsRefused",
		old: "if in.n-done-pad < 1024 {", new: "if in.n-done-pad < 0 {",
	},
	{
		bug: "entries of an archive may lead out of it", file: "extract/export/entry.go", killer: "export.TestT103HostileEntriesAreRefusedAndNothingIsWritten",
		old: `case !filepath.IsLocal(name) || strings.ContainsAny`, new: `case filepath.IsAbs(name) || strings.ContainsAny`,
	},
	{
		bug: "a window whose cursors skipped records is done", file: "extract/search.go", killer: "pipeline.TestT9CursorsThatCountLoseNoRecord",
		old: "sh.end && (s.endsShort() || s.mayHaveSkipped()):", new: "sh.end && s.endsShort():",
	},
}

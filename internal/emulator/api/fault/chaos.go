package fault

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"aqueduck/internal/emulator/event"
)

// Chaos is the list of faults that requests may meet, each with its probability.
type Chaos []faultChance

// faultChance is one fault and its probability, for every request or for a range of request numbers.
type faultChance struct {
	share float64
	from  int // 0: every request
	to    int
	fault Fault
}

// ChaosHelp describes the faults that ParseChaos knows, one a line.
const ChaosHelp = `error=0.02:503   2 of 100 requests get status 503 (or 500, 502, 504, 401, 408 …)
429=0.05         5 of 100 requests get status 429, rate_limit_exceeded
reset=0.01       the connection is reset without an answer
truncate=0.01    the connection is closed after half of the answer
slow=p95:800ms   5 of 100 answers take 800 ms longer
drip=0.01:50ms   the answer is sent in 16 pieces, 50 ms apart
garbage=0.005    text that is not JSON follows the answer
html404=0.01     status 404 with the HTML page of a proxy
redirect=0.01:307  the answer redirects to another address, which records each request
age=0.1          a cache returns its earlier answer to the same request
encoding=0.01    the header says that the answer is compressed, but it is not
utf8=0.01        a good answer has broken text in its JSON
numbers=0.01     the number 1 is sent as 1.0 and "1"
keys=0.01        a name of an object is sent twice, or in capitals
depth=0.01       the answer has 20,000 nested lists
size=0.01        the answer has 80 MB
unknown=0.01     records have undocumented fields
morph=0.01       objects are sent in place of texts
error@17:500     the 17th request, whatever the probabilities are
error@17-19:500  the 17th to the 19th request
error@17-19=0.5:500  half of the 17th to the 19th request`

// CheckChaos reads faults by probability or by the number of the request, as --chaos takes them:
//
//	error=0.02:503,429=0.05,reset@12,truncate=0.01,slow=p95:800ms,garbage=0.005,html404@3-5
//
// ChaosHelp lists them all. Draws are a function of the seed and the request's number.
func CheckChaos(text string) error {
	_, err := ParseChaos(text)
	return err
}

// ParseChaos reads the faults of --chaos, in the form of ChaosHelp. The error names the part that is wrong.
func ParseChaos(text string) (Chaos, error) {
	var c Chaos
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		m, err := parseMishap(part)
		if err != nil {
			return nil, fmt.Errorf("chaos %q: %w", part, err)
		}
		c = append(c, m)
	}
	return c, nil
}

func parseMishap(part string) (m faultChance, err error) {
	what, detail, _ := strings.Cut(part, ":")
	what, share, drawn := strings.Cut(what, "=")
	name, numbers, exact := strings.Cut(what, "@")
	if m.fault, err = faultNamed(name, detail); err != nil {
		return m, err
	}
	m.share = 1
	if exact {
		first, last, span := strings.Cut(numbers, "-")
		if !span {
			last = first
		}
		m.from, err = strconv.Atoi(first)
		if err == nil {
			m.to, err = strconv.Atoi(last)
		}
		if err != nil || m.from < 1 || m.to < m.from {
			return m, fmt.Errorf("after @ comes the number of a request, from 1, or a span of them as 17-19")
		}
	}
	switch {
	case !drawn && exact:
		return m, nil
	case !drawn:
		return m, fmt.Errorf("how often? %s=0.01 is one request of a hundred, %s@17 the 17th", name, name)
	}
	percentile, isPercentile := strings.CutPrefix(share, "p")
	if m.share, err = strconv.ParseFloat(percentile, 64); isPercentile {
		m.share = 1 - m.share/100
	}
	if err != nil || !(m.share >= 0 && m.share <= 1) {
		return m, fmt.Errorf("a probability is between 0 and 1, or p95 for five of a hundred")
	}
	return m, nil
}

// faultNamed returns a fault by its name; detail is the text after the colon.
func faultNamed(name, detail string) (f Fault, err error) {
	switch name {
	case "error":
		f.Status, err = statusNamed(detail, 503, 400, 599)
	case "429":
		f.Status = 429
	case "reset":
		f.Reset = true
	case "truncate":
		f.Truncate = true
	case "garbage":
		f.Garbage = true
	case "html404":
		f.HTML = true
	case "redirect":
		f.Redirect = true
		f.Status, err = statusNamed(detail, 302, 300, 399)
	case "age":
		f.Replay = true
	case "encoding":
		f.Mislabel = true
	case "slow":
		f.Wait, err = parsePause(detail)
	case "drip":
		f.Drip, err = parsePause(detail)
	default:
		for _, g := range manglings {
			if string(g) == name {
				f.Mangling = g
				return f, nil
			}
		}
		return f, fmt.Errorf("no such fault; known are error, 429, reset, truncate, slow, drip, garbage, html404, redirect, age, encoding, %s", joinManglings(manglings))
	}
	return f, err
}

func parsePause(detail string) (time.Duration, error) {
	d, err := time.ParseDuration(detail)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("after the colon comes how long, as 800ms")
	}
	return d, nil
}

// joinManglings joins the names of manglings.
func joinManglings(of []Mangling) string {
	list := make([]string, len(of))
	for i, g := range of {
		list[i] = string(g)
	}
	return strings.Join(list, ", ")
}

func statusNamed(detail string, usual, least, most int) (int, error) {
	if detail == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(detail)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q is no status between %d and %d", detail, least, most)
	}
	return n, nil
}

// DrawFault returns the first fault that strikes this request number by range, else the first that strikes any request, or nil.
func (c Chaos) DrawFault(n int, r *event.RNG) (drawn *Fault) {
	for i := range c {
		switch m := &c[i]; {
		case !r.Chance(m.share): // drawn for each fault, so that one more fault in the list does not move the others
		case m.from != 0 && n >= m.from && n <= m.to:
			return &m.fault
		case m.from == 0 && drawn == nil:
			drawn = &m.fault
		}
	}
	return drawn
}

package emulator

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// chaos is the chance of each fault for any request.
type chaos []struct {
	share float64
	fault Fault
}

// ParseChaos reads faults by probability, as --chaos takes them:
//
//	error=0.02:503,429=0.05,reset=0.01,truncate=0.01,slow=p95:800ms,garbage=0.005,html404=0.01
//
// slow=p95:800ms makes five of a hundred answers wait 800 ms. Draws are a function of the seed and the request's number.
func ParseChaos(text string) error {
	_, err := parseChaos(text)
	return err
}

func parseChaos(text string) (chaos, error) {
	var c chaos
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		share, fault, err := parseFault(name, value)
		if err != nil {
			return nil, fmt.Errorf("chaos %q: %w", part, err)
		}
		c = append(c, struct {
			share float64
			fault Fault
		}{share, fault})
	}
	return c, nil
}

func parseFault(name, value string) (float64, Fault, error) {
	value, detail, _ := strings.Cut(value, ":")
	var f Fault
	var err error
	switch name {
	case "error":
		f.Status = 503
		if detail != "" {
			f.Status, err = strconv.Atoi(detail)
		}
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
	case "slow":
		f.Wait, err = time.ParseDuration(detail)
		if percentile, ok := strings.CutPrefix(value, "p"); ok && err == nil {
			p, err := strconv.ParseFloat(percentile, 64)
			return 1 - p/100, f, err
		}
	default:
		return 0, f, fmt.Errorf("no such fault; known are error, 429, reset, truncate, slow, garbage, html404")
	}
	if err != nil {
		return 0, f, err
	}
	share, err := strconv.ParseFloat(value, 64)
	if err == nil && (share < 0 || share > 1) {
		err = fmt.Errorf("a probability is between 0 and 1")
	}
	return share, f, err
}

// draw gives the first fault that chance has for this request, or nil.
func (c chaos) draw(r *rng) *Fault {
	for i := range c {
		if r.chance(c[i].share) {
			return &c[i].fault
		}
	}
	return nil
}

// SetChaos changes the faults by probability; the text is read by ParseChaos's rules.
func (w *Workspace) SetChaos(text string) error {
	c, err := parseChaos(text)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chaos = c
	return nil
}

package trace

import (
	"cmp"
	"maps"
	"slices"
)

const (
	shiftGap    = 1_000_000 // a window of shifts ends after this many microseconds without a shift
	shiftWindow = 5_000_000 // bounds a window, in microseconds
	maxListed   = 10        // how many tasks, clusters and candidates are reported
)

func ms(micros int64) float64 { return float64(micros) / 1000 }

func since(from, at int64) *float64 {
	v := ms(at - from)
	return &v
}

func (s *Set) has(ts int64) bool { return ts >= s.From && ts <= s.To }

// fill computes a set's content.
func (s *Set) fill(c *collected) {
	if s.keepOut(c) {
		return
	}
	s.times(c)
	s.largestPaint(c)
	s.interaction(c)
	s.layoutShifts(c)
	s.longTasks(c)
	for _, r := range c.byTime {
		if s.has(r.TS) && r.URL != "" {
			s.Metrics.Requests++
			s.Metrics.Bytes += r.EncodedDataLength
		}
	}
	s.findInsights(c)
}

// document returns the request of the set's document.
func (s *Set) document(c *collected) *request {
	if s.nav == nil {
		return nil
	}
	return c.requests[s.nav.NavigationID]
}

func (s *Set) times(c *collected) {
	if s.nav == nil {
		return
	}
	for _, m := range c.marks {
		switch {
		case m.name == "firstContentfulPaint" && m.NavigationID == s.nav.NavigationID:
			s.Metrics.FCP = since(s.From, m.TS)
		case m.name == "MarkLoad" && m.Frame == s.nav.frame && s.has(m.TS):
			s.Metrics.Load = since(s.From, m.TS)
		}
	}
	if doc := s.document(c); doc != nil && doc.firstByteAt() > 0 {
		s.Metrics.TTFB = since(s.From, doc.firstByteAt())
	}
}

// firstPaint returns when the document painted first; 0 means never.
func (s *Set) firstPaint(c *collected) int64 {
	for _, m := range c.marks {
		if s.nav != nil && m.name == "firstPaint" && m.NavigationID == s.nav.NavigationID {
			return m.TS
		}
	}
	return 0
}

// largestPaint chooses the candidate with the highest number.
func (s *Set) largestPaint(c *collected) {
	if s.nav == nil {
		return
	}
	var all []candidate
	for _, k := range c.candidates {
		if k.NavigationID == s.nav.NavigationID {
			all = append(all, k)
		}
	}
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.CandidateIndex, b.CandidateIndex) })
	is := all[len(all)-1]
	s.Metrics.LCP = since(s.From, is.TS)
	s.LCP = &LCP{Kind: is.Type, Element: is.NodeName, loading: is.LoadingAttr}
	for _, k := range all[max(0, len(all)-1-maxListed) : len(all)-1] {
		s.LCP.Candidates = append(s.LCP.Candidates, Earlier{k.NodeName, ms(k.TS - s.From)})
	}
	s.LCP.request = c.imageOf(is, s.From)
	if s.LCP.request != nil {
		s.LCP.URL = s.LCP.request.URL
	}
	s.parts(c, is.TS)
}

// imageOf returns the request of the image that a candidate shows.
func (c *collected) imageOf(k candidate, from int64) *request {
	for i := len(c.images) - 1; i >= 0; i-- {
		img := c.images[i]
		if img.PID != k.PID || img.DOMNodeID != k.NodeID {
			continue
		}
		for _, r := range c.byTime {
			if r.URL == img.ImageURL && !r.hidden && r.TS >= from && r.TS < img.TS {
				return r
			}
		}
		return nil
	}
	return nil
}

// parts splits the LCP time into its parts.
func (s *Set) parts(c *collected, painted int64) {
	doc := s.document(c)
	if doc == nil || doc.firstByteAt() == 0 {
		return
	}
	first := doc.firstByteAt()
	at := s.From
	until := func(name string, to int64) { // as in web-vitals, no part ends before the previous one
		to = max(at, min(to, painted))
		s.LCP.Parts = append(s.LCP.Parts, Part{name, ms(to - at)})
		at = to
	}
	until("TTFB", first)
	if r := s.LCP.request; r != nil && r.finish > 0 {
		until("load delay", r.TS)
		until("load duration", r.finish)
	}
	until("render delay", painted)
}

// interaction takes the longest event of each interaction, and then the longest of these, except that it ignores one
// interaction in fifty.
func (s *Set) interaction(c *collected) {
	longest := map[int]*interaction{}
	for _, i := range c.ended {
		if !s.has(i.TS) || !c.ours(i.Frame) && i.Frame != "" || c.out[i.Frame] {
			continue
		}
		if is := longest[i.InteractionID]; is == nil || i.Dur > is.Dur {
			longest[i.InteractionID] = i
		}
	}
	if len(longest) == 0 {
		return
	}
	all := slices.SortedFunc(maps.Values(longest), func(a, b *interaction) int {
		return cmp.Or(cmp.Compare(b.Dur, a.Dur), cmp.Compare(a.TS, b.TS))
	})
	is := all[min(9, len(all)/50)]
	v, delay, work := ms(is.Dur), is.ProcessingStart-is.TimeStamp, is.ProcessingEnd-is.ProcessingStart
	s.Metrics.INP = &v
	s.INP = &Interaction{is.Type, ms(is.TS - s.From), v, delay, work, max(0, v-delay-work)}
}

// layoutShifts groups shifts into session windows. CLS is the highest sum of a window.
func (s *Set) layoutShifts(c *collected) {
	var first, last int64
	var all []Cluster
	for _, sh := range c.shifts {
		if !s.has(sh.TS) || !c.ours(sh.frame) || c.out[sh.frame] {
			continue
		}
		if len(all) == 0 || sh.TS-first > shiftWindow || sh.TS-last > shiftGap {
			all = append(all, Cluster{At: ms(sh.TS - s.From)})
			first = sh.TS
		}
		w := &all[len(all)-1]
		w.Score += sh.WeightedScoreDelta
		w.Shifts++
		for _, n := range sh.ImpactedNodes {
			if len(w.Nodes) < maxListed && !slices.Contains(w.Nodes, n.NodeID) {
				w.Nodes = append(w.Nodes, n.NodeID)
			}
		}
		last = sh.TS
	}
	slices.SortStableFunc(all, func(a, b Cluster) int { return cmp.Compare(b.Score, a.Score) })
	worst := 0.0
	if len(all) > 0 {
		worst = all[0].Score
	}
	s.Metrics.CLS = &worst
	s.Shifts = all[:min(maxListed, len(all))]
}

// thread returns the document's main thread.
func (s *Set) thread(c *collected) (pid, tid int) {
	if s.nav != nil {
		return s.nav.PID, s.nav.TID
	}
	return c.mainPID, c.mainThreads[c.mainPID]
}

// longTasks collects the long tasks of the document's main thread.
func (s *Set) longTasks(c *collected) {
	pid, tid := s.thread(c)
	fcp := s.To
	if s.Metrics.FCP != nil {
		fcp = s.From + int64(*s.Metrics.FCP*1000)
	}
	var blocked int64
	for _, t := range c.tasks {
		if t.PID != pid || t.TID != tid || !s.has(t.TS) {
			continue
		}
		s.Metrics.LongTasks++
		s.Tasks = append(s.Tasks, Task{ms(t.TS - s.From), ms(t.Dur)})
		// As in Lighthouse: the time before FCP isn't counted first, and then the part that makes a task long is
		// subtracted.
		blocked += max(0, min(t.TS+t.Dur, s.To)-max(t.TS, fcp)-longTask)
	}
	if s.Metrics.FCP != nil {
		v := ms(blocked)
		s.Metrics.TBT = &v
	}
	slices.SortStableFunc(s.Tasks, func(a, b Task) int { return cmp.Compare(b.Duration, a.Duration) })
	s.Tasks = s.Tasks[:min(maxListed, len(s.Tasks))]
}

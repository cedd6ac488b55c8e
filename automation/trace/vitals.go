package trace

import (
	"cmp"
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
		if s.has(r.ts) && r.url != "" {
			s.Metrics.Requests++
			s.Metrics.Bytes += r.encoded
		}
	}
	s.findInsights(c)
}

// document returns the request of the set's document.
func (s *Set) document(c *collected) *request {
	if s.nav == nil {
		return nil
	}
	return c.requests[s.nav.id]
}

func (s *Set) times(c *collected) {
	if s.nav == nil {
		return
	}
	for _, m := range c.marks {
		switch {
		case m.name == "firstContentfulPaint" && m.navigation == s.nav.id:
			s.Metrics.FCP = since(s.From, m.ts)
		case m.name == "MarkLoad" && m.frame == s.nav.frame && s.has(m.ts):
			s.Metrics.Load = since(s.From, m.ts)
		}
	}
	if doc := s.document(c); doc != nil && doc.firstByteAt() > 0 {
		s.Metrics.TTFB = since(s.From, doc.firstByteAt())
	}
}

// firstPaint returns when the document painted first; 0 means never.
func (s *Set) firstPaint(c *collected) int64 {
	for _, m := range c.marks {
		if s.nav != nil && m.name == "firstPaint" && m.navigation == s.nav.id {
			return m.ts
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
		if k.navigation == s.nav.id {
			all = append(all, k)
		}
	}
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.index, b.index) })
	is := all[len(all)-1]
	s.Metrics.LCP = since(s.From, is.ts)
	s.LCP = &LCP{Kind: is.kind, Element: is.node, loading: is.loading}
	for _, k := range all[max(0, len(all)-1-maxListed) : len(all)-1] {
		s.LCP.Candidates = append(s.LCP.Candidates, Earlier{k.node, ms(k.ts - s.From)})
	}
	s.LCP.request = c.imageOf(is, s.From)
	if s.LCP.request != nil {
		s.LCP.URL = s.LCP.request.url
	}
	s.parts(c, is.ts)
}

// imageOf returns the request of the image that a candidate shows.
func (c *collected) imageOf(k candidate, from int64) *request {
	for i := len(c.images) - 1; i >= 0; i-- {
		img := c.images[i]
		if img.pid != k.pid || img.node != k.nodeID {
			continue
		}
		for _, r := range c.byTime {
			if r.url == img.url && !r.hidden && r.ts >= from && r.ts < img.ts {
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
		until("load delay", r.ts)
		until("load duration", r.finish)
	}
	until("render delay", painted)
}

// interaction takes the longest event of each interaction, and then the longest of these, except that it ignores one
// interaction in fifty.
func (s *Set) interaction(c *collected) {
	longest := map[int]*interaction{}
	for _, i := range c.ended {
		if !s.has(i.ts) || !c.ours(i.frame) && i.frame != "" || c.out[i.frame] {
			continue
		}
		if is := longest[i.id]; is == nil || i.dur > is.dur {
			longest[i.id] = i
		}
	}
	if len(longest) == 0 {
		return
	}
	var all []*interaction
	for _, i := range longest {
		all = append(all, i)
	}
	slices.SortFunc(all, func(a, b *interaction) int {
		return cmp.Or(cmp.Compare(b.dur, a.dur),
			cmp.Compare(a.ts, b.ts))
	})
	is := all[min(9, len(all)/50)]
	v := ms(is.dur)
	s.Metrics.INP = &v
	s.INP = &Interaction{is.kind, ms(is.ts - s.From), v, ms(is.delay), ms(is.work), max(0, ms(is.dur-is.delay-is.work))}
}

// layoutShifts groups shifts into session windows. CLS is the highest sum of a window.
func (s *Set) layoutShifts(c *collected) {
	var first, last int64
	var all []Cluster
	for _, sh := range c.shifts {
		if !s.has(sh.ts) || !c.ours(sh.frame) || c.out[sh.frame] {
			continue
		}
		if len(all) == 0 || sh.ts-first > shiftWindow || sh.ts-last > shiftGap {
			all = append(all, Cluster{At: ms(sh.ts - s.From)})
			first = sh.ts
		}
		w := &all[len(all)-1]
		w.Score += sh.score
		w.Shifts++
		for _, n := range sh.nodes {
			if len(w.Nodes) < maxListed && !slices.Contains(w.Nodes, n) {
				w.Nodes = append(w.Nodes, n)
			}
		}
		last = sh.ts
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
		return s.nav.pid, s.nav.tid
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
		if t.pid != pid || t.tid != tid || !s.has(t.ts) {
			continue
		}
		s.Metrics.LongTasks++
		s.Tasks = append(s.Tasks, Task{ms(t.ts - s.From), ms(t.dur)})
		// As in Lighthouse: the time before FCP isn't counted first, and then the part that makes a task long is
		// subtracted.
		blocked += max(0, min(t.ts+t.dur, s.To)-max(t.ts, fcp)-longTask)
	}
	if s.Metrics.FCP != nil {
		v := ms(blocked)
		s.Metrics.TBT = &v
	}
	slices.SortStableFunc(s.Tasks, func(a, b Task) int { return cmp.Compare(b.Duration, a.Duration) })
	s.Tasks = s.Tasks[:min(maxListed, len(s.Tasks))]
}

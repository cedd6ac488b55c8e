package trace

import "slices"

// args decodes an event's arguments.
func args[T any](e *Event) (v T, ok bool) {
	var in struct{ Args T }
	ok = e.decode(&in) == nil
	return in.Args, ok
}

type frameInfo struct {
	Frame, Parent, URL   string
	IsOutermostMainFrame bool
	ProcessID            int
}

func (c *collected) started(e *Event) {
	a, _ := args[struct{ Data struct{ Frames []frameInfo } }](e)
	c.begun = max(c.begun, e.TS)
	listed := map[string]bool{}
	for _, f := range a.Data.Frames {
		// Documents that the tab showed before follow under the same frame id, with the processes that they had.
		if !listed[f.Frame] {
			listed[f.Frame] = true
			c.frame(f, 0)
		}
	}
}

func (c *collected) committed(e *Event) {
	a, _ := args[struct{ Data frameInfo }](e)
	c.frame(a.Data, e.TS)
}

func (c *collected) frame(f frameInfo, ts int64) {
	if f.Frame == "" || !c.room("frames", len(c.frames), maxMarks) {
		return
	}
	c.frames[f.Frame] = true
	c.shows(f, ts)
	if f.IsOutermostMainFrame && f.Parent == "" && (c.main == "" || c.main == f.Frame) {
		c.main, c.mainPID = f.Frame, f.ProcessID
		if f.URL != "" && f.URL != "about:blank" {
			c.urls[f.Frame] = clip(f.URL)
		}
	}
}

func (c *collected) threadName(e *Event) {
	if a, ok := args[struct{ Name string }](e); ok && a.Name == "CrRendererMain" {
		c.mainThreads[e.PID] = e.TID
	}
}

func (c *collected) navigationStart(e *Event) {
	a, ok := args[struct {
		Frame string
		Data  struct {
			DocumentLoaderURL, NavigationID string
			IsOutermostMainFrame            bool
		}
	}](e)
	if !ok || !a.Data.IsOutermostMainFrame || a.Data.DocumentLoaderURL == "" || a.Data.NavigationID == "" ||
		!c.room("navigations", len(c.navigations), 500) {
		return
	}
	for _, n := range c.navigations {
		if n.id == a.Data.NavigationID {
			return
		}
	}
	c.navigations = append(c.navigations, &navigation{a.Data.NavigationID, a.Frame, clip(a.Data.DocumentLoaderURL),
		e.PID, e.TID, e.TS})
}

func (c *collected) paint(e *Event) {
	a, ok := args[struct {
		Frame string
		Data  struct{ NavigationID string }
	}](e)
	if ok && c.room("paints", len(c.marks), maxMarks) {
		c.marks = append(c.marks, mark{string(e.Name), a.Frame, a.Data.NavigationID, e.TS})
	}
}

func (c *collected) moment(e *Event) {
	a, ok := args[struct{ Data struct{ Frame string } }](e)
	if ok && c.room("marks", len(c.marks), maxMarks) {
		c.marks = append(c.marks, mark{string(e.Name), a.Data.Frame, "", e.TS})
	}
}

func (c *collected) largest(e *Event) {
	a, ok := args[struct {
		Data struct {
			NavigationID, Type, NodeName, LoadingAttr string
			NodeID, CandidateIndex                    int
		}
	}](e)
	if ok && c.room("LCP candidates", len(c.candidates), maxMarks) {
		c.candidates = append(c.candidates, candidate{a.Data.NavigationID, a.Data.Type, clip(a.Data.NodeName),
			a.Data.LoadingAttr, a.Data.NodeID, e.PID, a.Data.CandidateIndex, e.TS})
	}
}

func (c *collected) largestImage(e *Event) {
	a, ok := args[struct {
		Data struct {
			DOMNodeID int
			ImageURL  string
		}
	}](e)
	if ok && a.Data.ImageURL != "" && c.room("image candidates", len(c.images), maxMarks) {
		c.images = append(c.images, image{e.PID, a.Data.DOMNodeID, clip(a.Data.ImageURL), e.TS})
	}
}

func (c *collected) layoutShift(e *Event) {
	a, ok := args[struct {
		Frame string
		Data  struct {
			HadRecentInput     bool    `json:"had_recent_input"`
			WeightedScoreDelta float64 `json:"weighted_score_delta"`
			ImpactedNodes      []struct {
				NodeID int `json:"node_id"`
			} `json:"impacted_nodes"`
		}
	}](e)
	if !ok || a.Data.HadRecentInput || !c.room("layout shifts", len(c.shifts), maxMarks) {
		return
	}
	s := shift{a.Frame, a.Data.WeightedScoreDelta, e.TS, nil}
	for _, n := range a.Data.ImpactedNodes[:min(5, len(a.Data.ImpactedNodes))] {
		s.nodes = append(s.nodes, n.NodeID)
	}
	c.shifts = append(c.shifts, s)
}

// eventTiming matches the beginning of an interaction's event with its end.
func (c *collected) eventTiming(e *Event) {
	var in struct {
		ID   string
		Args struct {
			Data struct {
				Type, Frame                                         string
				InteractionID                                       int
				Duration, TimeStamp, ProcessingStart, ProcessingEnd float64
			}
		}
	}
	if e.decode(&in) != nil {
		return
	}
	key := interactionKey{e.PID, in.ID}
	d := in.Args.Data
	switch {
	case string(e.Phase) == "b" && d.InteractionID != 0 && d.Duration >= 1 && len(c.interacts) < maxMarks:
		c.interacts[key] = append(c.interacts[key], &interaction{kind: d.Type, frame: d.Frame, id: d.InteractionID,
			ts:    e.TS,
			delay: micros(d.ProcessingStart - d.TimeStamp), work: micros(d.ProcessingEnd - d.ProcessingStart)})
	case string(e.Phase) == "e":
		open := c.interacts[key]
		if len(open) == 0 || !c.room("interactions", len(c.ended), maxMarks) {
			return
		}
		i := open[len(open)-1]
		if c.interacts[key] = open[:len(open)-1]; len(open) == 1 {
			delete(c.interacts, key)
		}
		i.dur = e.TS - i.ts
		c.ended = append(c.ended, i)
	}
}

func micros(ms float64) int64 { return int64(ms * 1000) }

// longTask is how long a task must last to be a long task, in microseconds.
const longTask = 50_000

func (c *collected) runTask(e *Event) {
	if e.Dur > longTask && c.room("long tasks", len(c.tasks), maxTasks) {
		c.tasks = append(c.tasks, task{e.PID, e.TID, e.TS, e.Dur})
	}
}

func (c *collected) fontLoad(e *Event) {
	a, ok := args[struct {
		Display, URL string
		ID           int
	}](e)
	if ok && c.room("fonts", len(c.fonts), 500) {
		c.fonts = append(c.fonts, font{a.Display, clip(a.URL), id2(e.PID, a.ID), e.TS})
	}
}

func (c *collected) metaCharset(e *Event) {
	a, ok := args[struct {
		Data struct{ Frame, Disposition string }
	}](e)
	if ok && a.Data.Frame != "" && c.room("charsets", len(c.charsets), maxMarks) {
		c.charsets = append(c.charsets, charset{a.Data.Frame, a.Data.Disposition, e.TS})
	}
}

func (c *collected) metaViewport(e *Event) {
	a, ok := args[struct {
		Data struct{ Frame, Content string }
	}](e)
	if ok && c.room("viewports", len(c.viewports), 500) {
		c.viewports = append(c.viewports, mark{clip(a.Data.Content), a.Data.Frame, "", e.TS})
	}
}

func (c *collected) compositorCommit(e *Event) {
	a, ok := args[struct {
		Frame  string
		Mobile bool `json:"is_mobile_optimized"`
	}](e)
	if n := len(c.commits); ok && n > 0 && c.commits[n-1].frame == a.Frame && c.commits[n-1].mobile == a.Mobile &&
		n >= maxMarks/2 {
		return
	}
	if ok && c.room("frames of the compositor", len(c.commits), maxMarks) {
		c.commits = append(c.commits, commit{a.Frame, a.Mobile, e.TS})
	}
}

func (c *collected) domStats(e *Event) {
	a, ok := args[struct {
		Data struct {
			Frame         string
			TotalElements int
			MaxDepth      struct{ Depth int }
			MaxChildren   struct {
				NumChildren int
				NodeName    string
			}
		}
	}](e)
	if ok && c.room("counts of elements", len(c.dom), maxMarks) {
		c.dom = append(c.dom, dom{a.Data.Frame, a.Data.TotalElements, a.Data.MaxDepth.Depth,
			a.Data.MaxChildren.NumChildren, clip(a.Data.MaxChildren.NodeName), e.TS})
	}
}

// slowUpdate is how long a layout or style recalculation must last to be reported, in microseconds.
const slowUpdate = 40_000

func (c *collected) layout(e *Event) {
	if e.Dur < slowUpdate {
		return
	}
	a, ok := args[struct{ BeginData struct{ DirtyObjects int } }](e)
	if ok && a.BeginData.DirtyObjects > 100 && c.room("layouts", len(c.updates), maxTasks) {
		c.updates = append(c.updates, update{"layout", e.PID, e.TID, a.BeginData.DirtyObjects, e.TS, e.Dur})
	}
}

func (c *collected) style(e *Event) {
	if e.Dur < slowUpdate {
		return
	}
	a, ok := args[struct{ ElementCount int }](e)
	if ok && a.ElementCount > 300 && c.room("layouts", len(c.updates), maxTasks) {
		c.updates = append(c.updates, update{"style recalculation", e.PID, e.TID, a.ElementCount, e.TS, e.Dur})
	}
}

// settle sorts events, which come in the order of the threads' buffers.
func (c *collected) settle() {
	slices.SortStableFunc(c.navigations, func(a, b *navigation) int { return int(a.ts - b.ts) })
	if c.main == "" && len(c.navigations) > 0 {
		c.main, c.mainPID = c.navigations[0].frame, c.navigations[0].pid
	}
	c.first = max(c.first, c.begun)
	c.navigations = slices.DeleteFunc(c.navigations,
		func(n *navigation) bool { return n.frame != c.main || n.ts < c.begun })
	for _, documents := range c.documents {
		slices.SortStableFunc(documents, func(a, b document) int { return int(a.ts - b.ts) })
	}
	slices.SortStableFunc(c.shifts, func(a, b shift) int { return int(a.ts - b.ts) })
	slices.SortStableFunc(c.ended, func(a, b *interaction) int { return int(a.ts - b.ts) })
	c.byTime = slices.DeleteFunc(c.byTime, func(r *request) bool { // Chrome records the requests of all tabs
		foreign := r.url != "" && !c.ours(r.frame)
		if foreign {
			delete(c.requests, r.id)
		}
		return foreign
	})
	slices.SortStableFunc(c.byTime, func(a, b *request) int { return int(a.ts - b.ts) })
	slices.SortStableFunc(c.tasks, func(a, b task) int { return int(a.ts - b.ts) })
}

// ours says whether a frame belongs to the tab that was traced. If the trace doesn't say which frames do, all do.
func (c *collected) ours(frame string) bool { return len(c.frames) == 0 || c.frames[frame] }

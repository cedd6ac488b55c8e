package trace

// handlers handle the events that are used. If an event doesn't have the expected content, it is ignored, because
// anybody may have made the trace's file.
var handlers = map[string]func(*collected, *Event){
	"TracingStartedInBrowser":           (*collected).started,
	"FrameCommittedInBrowser":           (*collected).committed,
	"thread_name":                       (*collected).threadName,
	"navigationStart":                   (*collected).navigationStart,
	"firstPaint":                        (*collected).mark,
	"firstContentfulPaint":              (*collected).mark,
	"MarkLoad":                          (*collected).mark,
	"largestContentfulPaint::Candidate": (*collected).largest,
	"LargestImagePaint::Candidate":      (*collected).largestImage,
	"LayoutShift":                       (*collected).layoutShift,
	"EventTiming":                       (*collected).eventTiming,
	"RunTask":                           (*collected).runTask,
	"ResourceWillSendRequest":           (*collected).willSend,
	"ResourceSendRequest":               (*collected).send,
	"ResourceReceiveResponse":           (*collected).response,
	"ResourceMarkAsCached":              (*collected).changed,
	"ResourceFinish":                    (*collected).finished,
	"ResourceChangePriority":            (*collected).changed,
	"PreloadRenderBlockingStatusChange": (*collected).changed,
	"BeginRemoteFontLoad":               (*collected).fontLoad,
	"MetaCharsetCheck":                  (*collected).metaCharset,
	"ParseMetaViewport":                 (*collected).metaViewport,
	"BeginCommitCompositorFrame":        (*collected).compositorCommit,
	"DOMStats":                          (*collected).domStats,
	"Layout":                            (*collected).layout,
	"UpdateLayoutTree":                  (*collected).style,
}

// args decodes an event's arguments.
func args[T any](e *Event) (v T, ok bool) {
	var in struct{ Args T }
	ok = e.decode(&in) == nil
	return in.Args, ok
}

// data decodes what the arguments say under the name data.
func data[T any](e *Event) (v T, ok bool) {
	a, ok := args[struct{ Data T }](e)
	return a.Data, ok
}

type frameInfo struct {
	Frame, Parent, URL   string
	IsOutermostMainFrame bool
	ProcessID            int
}

func (c *collected) started(e *Event) {
	tab, _ := data[struct{ Frames []frameInfo }](e)
	c.begun = max(c.begun, e.TS)
	listed := map[string]bool{}
	for _, f := range tab.Frames {
		// Documents that the tab showed before follow under the same frame id, with the processes that they had.
		if !listed[f.Frame] {
			listed[f.Frame] = true
			c.frame(f, 0)
		}
	}
}

func (c *collected) committed(e *Event) {
	f, _ := data[frameInfo](e)
	c.frame(f, e.TS)
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
		Data  navigation
	}](e)
	n := &a.Data
	if !ok || !n.IsOutermostMainFrame || n.DocumentLoaderURL == "" || n.NavigationID == "" ||
		!c.room("navigations", len(c.navigations), maxFew) {
		return
	}
	for _, other := range c.navigations {
		if other.NavigationID == n.NavigationID {
			return
		}
	}
	n.moment, n.frame, n.DocumentLoaderURL = e.moment, a.Frame, clip(n.DocumentLoaderURL)
	c.navigations = append(c.navigations, n)
}

func (c *collected) mark(e *Event) {
	if m, ok := data[mark](e); ok {
		m.moment, m.name = e.moment, string(e.Name)
		keep(c, "paints and marks", &c.marks, maxMarks, m)
	}
}

func (c *collected) largest(e *Event) {
	if k, ok := data[candidate](e); ok {
		k.moment, k.NodeName = e.moment, clip(k.NodeName)
		keep(c, "LCP candidates", &c.candidates, maxMarks, k)
	}
}

func (c *collected) largestImage(e *Event) {
	if i, ok := data[image](e); ok && i.ImageURL != "" {
		i.moment, i.ImageURL = e.moment, clip(i.ImageURL)
		keep(c, "image candidates", &c.images, maxMarks, i)
	}
}

func (c *collected) layoutShift(e *Event) {
	a, ok := args[struct {
		Frame string
		Data  shift
	}](e)
	if s := a.Data; ok && !s.HadRecentInput {
		s.moment, s.frame = e.moment, a.Frame
		s.ImpactedNodes = append(s.ImpactedNodes[:0:0], s.ImpactedNodes[:min(5, len(s.ImpactedNodes))]...)
		keep(c, "layout shifts", &c.shifts, maxMarks, s)
	}
}

// eventTiming matches the beginning of an interaction's event with its end.
func (c *collected) eventTiming(e *Event) {
	var in struct {
		ID   string
		Args struct{ Data interaction }
	}
	if e.decode(&in) != nil {
		return
	}
	key, i := interactionKey{e.PID, in.ID}, &in.Args.Data
	switch string(e.Phase) {
	case "b":
		if i.InteractionID != 0 && i.Duration >= 1 && len(c.interacts) < maxMarks {
			i.moment = e.moment
			c.interacts[key] = append(c.interacts[key], i)
		}
	case "e":
		open := c.interacts[key]
		if len(open) == 0 || !c.room("interactions", len(c.ended), maxMarks) {
			return
		}
		i = open[len(open)-1]
		if c.interacts[key] = open[:len(open)-1]; len(open) == 1 {
			delete(c.interacts, key)
		}
		i.Dur = e.TS - i.TS
		c.ended = append(c.ended, i)
	}
}

// longTask is how long a task must last to be a long task, in microseconds.
const longTask = 50_000

func (c *collected) runTask(e *Event) {
	if e.Dur > longTask {
		keep(c, "long tasks", &c.tasks, maxTasks, e.moment)
	}
}

func (c *collected) fontLoad(e *Event) {
	if f, ok := args[font](e); ok {
		f.moment, f.URL = e.moment, clip(f.URL)
		keep(c, "fonts", &c.fonts, maxFew, f)
	}
}

func (c *collected) metaCharset(e *Event) {
	if m, ok := data[meta](e); ok && m.Frame != "" {
		m.moment = e.moment
		keep(c, "charsets", &c.charsets, maxMarks, m)
	}
}

func (c *collected) metaViewport(e *Event) {
	if m, ok := data[meta](e); ok {
		m.moment, m.Content = e.moment, clip(m.Content)
		keep(c, "viewports", &c.viewports, maxFew, m)
	}
}

func (c *collected) compositorCommit(e *Event) {
	k, ok := args[commit](e)
	n := len(c.commits)
	if same := n > 0 && c.commits[n-1].Frame == k.Frame && c.commits[n-1].Mobile == k.Mobile; ok &&
		!(same && n >= maxMarks/2) {
		k.moment = e.moment
		keep(c, "frames of the compositor", &c.commits, maxMarks, k)
	}
}

func (c *collected) domStats(e *Event) {
	if d, ok := data[dom](e); ok {
		d.moment, d.MaxChildren.NodeName = e.moment, clip(d.MaxChildren.NodeName)
		keep(c, "counts of elements", &c.dom, maxMarks, d)
	}
}

// slowUpdate is how long a layout or style recalculation must last to be reported, in microseconds.
const slowUpdate = 40_000

func (c *collected) layout(e *Event) {
	if e.Dur < slowUpdate { // most are, and needn't be decoded
		return
	}
	if a, ok := args[struct{ BeginData struct{ DirtyObjects int } }](e); ok && a.BeginData.DirtyObjects > 100 {
		keep(c, "layouts", &c.updates, maxTasks, update{e.moment, "layout", a.BeginData.DirtyObjects})
	}
}

func (c *collected) style(e *Event) {
	if e.Dur < slowUpdate {
		return
	}
	if a, ok := args[struct{ ElementCount int }](e); ok && a.ElementCount > 300 {
		keep(c, "layouts", &c.updates, maxTasks, update{e.moment, "style recalculation", a.ElementCount})
	}
}

package cdptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/cdpclient"
)

// recorder turns messages into lines without ids.
type recorder struct {
	mu     sync.Mutex
	base   string
	lines  map[string][]string
	read   map[string]int // how far until has come
	names  map[string]string
	counts map[string]int
	last   map[string]string

	dropped  string // line to leave out of the report
	stops    bool   // frameStoppedLoading is reported
	sessions []cdpclient.AttachedToTarget
	more     chan struct{}
}

func newRecorder(base string) *recorder {
	return &recorder{base: base, lines: map[string][]string{}, read: map[string]int{}, names: map[string]string{},
		counts: map[string]int{}, last: map[string]string{}, more: make(chan struct{}, 1)}
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	var who []string
	for w := range r.lines {
		who = append(who, w)
	}
	slices.Sort(who)
	for _, w := range who {
		r.lines[w] = slices.DeleteFunc(r.lines[w], func(l string) bool { return l == r.dropped })
		fmt.Fprintf(&b, "%s\n    %s\n", w, strings.Join(r.lines[w], "\n    "))
	}
	return b.String()
}

// name numbers ids of a kind in order of appearance.
func (r *recorder) name(kind, id string) string {
	if id == "" {
		return ""
	}
	if r.names[kind+id] == "" {
		r.counts[kind]++
		r.names[kind+id] = fmt.Sprintf("%c%d", kind[0], r.counts[kind])
		r.last[kind] = id
	}
	return r.names[kind+id]
}

// drop leaves a line out of the report.
func (r *recorder) drop(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropped = line
}

// reportStops has the report say when frames stop loading.
func (r *recorder) reportStops() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stops = true
}

// forget starts the report anew, with the sessions that there are.
func (r *recorder) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines, r.read = map[string][]string{}, map[string]int{}
	for key := range r.names {
		if !strings.HasPrefix(key, "session") {
			delete(r.names, key)
		}
	}
	for kind := range r.counts {
		if kind != cdpclient.TypePage && kind != cdpclient.TypeIframe {
			delete(r.counts, kind)
		}
	}
}

func (r *recorder) newest(kind string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last[kind]
}

func (r *recorder) newSession(a cdpclient.AttachedToTarget) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[a.TargetInfo.Type]++
	name := fmt.Sprint(a.TargetInfo.Type, r.counts[a.TargetInfo.Type])
	r.names["session"+string(a.SessionID)] = name
	return name
}

func (r *recorder) attached(_ string, a cdpclient.AttachedToTarget) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions = append(r.sessions, a)
}

func (r *recorder) first() cdpclient.AttachedToTarget {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sessions[0]
}

// pages lists the tabs' target ids in order of attachment.
func (r *recorder) pages() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ids []string
	for _, a := range r.sessions {
		if a.TargetInfo.Type == "page" {
			ids = append(ids, a.TargetInfo.TargetID)
		}
	}
	return ids
}

func (r *recorder) has(who, text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.lines[who], func(l string) bool { return strings.HasPrefix(l, text) })
}

// until waits for a line that starts with text, after the last one waited for.
func (r *recorder) until(t *testing.T, who, text string) {
	t.Helper()
	late := time.NewTimer(time.Minute)
	defer late.Stop()
	for {
		r.mu.Lock()
		for i := r.read[who]; i < len(r.lines[who]); i++ {
			if strings.HasPrefix(r.lines[who][i], text) {
				r.read[who] = i + 1
				r.mu.Unlock()
				return
			}
		}
		r.mu.Unlock()
		select {
		case <-r.more:
		case <-late.C:
			t.Fatalf("%s never heard %q:\n%s", who, text, r)
		}
	}
}

func (r *recorder) message(who string, m cdpclient.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line := ""
	switch m := m.(type) {
	case cdpclient.Event:
		line = r.event(who, m)
	case cdpclient.Reply:
		line = r.reply(m)
	}
	if line == "" {
		return
	}
	line = strings.ReplaceAll(line, strings.Replace(r.base, "localhost", "other.localhost", 1), "X")
	r.lines[who] = append(r.lines[who], strings.ReplaceAll(line, r.base, ""))
	select {
	case r.more <- struct{}{}:
	default:
	}
}

func (r *recorder) reply(m cdpclient.Reply) string {
	line := m.Tag.(string)
	if m.Session != "" && line == cdpclient.TargetSetAutoAttach && m.Err == nil {
		return "" // the browser process answers, in its own time
	}
	var e *cdpclient.Error
	switch {
	case errors.As(m.Err, &e):
		return fmt.Sprint(line, ": ", e.Code)
	case m.Err != nil:
		return line + ": gone"
	}
	if line == cdpclient.RuntimeEvaluate {
		var r cdpclient.EvaluateResult
		_ = json.Unmarshal(m.Result, &r)
		line += " " + string(r.Result.Value)
	}
	if line == cdpclient.PageGetFrameTree {
		var t cdpclient.GetFrameTreeResult
		_ = json.Unmarshal(m.Result, &t)
		line += r.tree(t.FrameTree)
	}
	return line
}

func (r *recorder) tree(t cdpclient.FrameTree) string {
	s := fmt.Sprintf(" [%s %s", r.name("frame", t.Frame.ID), t.Frame.URL)
	for _, k := range t.ChildFrames {
		s += r.tree(k)
	}
	return s + "]"
}

// event gives "" for what the hub does not listen to, and for
// targetInfoChanged, which comes in Chrome's own time.
func (r *recorder) event(who string, e cdpclient.Event) string {
	var p struct {
		Frame        cdpclient.Frame
		FrameID      string
		Reason, Type string
		Status       string
		URL          string
		Output       json.RawMessage
		ErrorText    string
		Exception    *cdpclient.RemoteObject
		Input        string
		ToolName     string
		InvocationID string
		Tools        []cdpclient.Tool
		TargetID     string
		SessionID    cdpclient.SessionID
		TargetInfo   cdpclient.TargetInfo
		Waiting      bool `json:"waitingForDebugger"`
		Context      cdpclient.ExecutionContext
		UniqueID     string `json:"executionContextUniqueId"`
	}
	_ = json.Unmarshal(e.Params, &p)
	frame := r.name("frame", p.FrameID)
	switch e.Method {
	case cdpclient.PageFrameNavigated:
		return fmt.Sprintf("navigated %s %s %s loader %s", p.Frame.URL, p.Type, r.name("frame", p.Frame.ID), r.name("loader"+who, p.Frame.LoaderID))
	case cdpclient.PageFrameAttached:
		return "frame attached " + frame
	case cdpclient.PageFrameDetached:
		return "frame detached " + frame + " " + p.Reason
	case cdpclient.PageFrameRequestedNavigation:
		return fmt.Sprint("requested ", p.URL, " ", frame, " ", p.Reason)
	case cdpclient.PageNavigatedWithinDocument:
		return "same document " + p.URL
	case cdpclient.PageLoadEventFired:
		return "load"
	case cdpclient.PageFrameStoppedLoading:
		if r.stops {
			return "stopped loading " + frame
		}
	case cdpclient.RuntimeExecutionContextsCleared:
		return "cleared"
	case cdpclient.RuntimeExecutionContextCreated:
		return fmt.Sprintf("context %s %q %s %s", r.name("context"+who, p.Context.UniqueID), p.Context.Name, p.Context.AuxData.Type, r.name("frame", p.Context.AuxData.FrameID))
	case cdpclient.RuntimeExecutionContextDestroyed:
		return "context gone " + r.name("context"+who, p.UniqueID)
	case cdpclient.WebMCPToolsAdded, cdpclient.WebMCPToolsRemoved:
		var names []string
		for _, t := range p.Tools {
			names = append(names, t.Name)
			frame = r.name("frame", t.FrameID)
		}
		sign := "+"
		if e.Method == cdpclient.WebMCPToolsRemoved {
			sign = "-"
		}
		return sign + strings.Join(names, ",") + " " + frame
	case cdpclient.WebMCPToolInvoked:
		return fmt.Sprint("invoked ", p.ToolName, " ", frame, " ", r.name("invocation", p.InvocationID), " ", p.Input)
	case cdpclient.WebMCPToolResponded:
		s := fmt.Sprint("responded ", r.name("invocation", p.InvocationID), " ", p.Status, " ", canonicalText(p.Output), p.ErrorText)
		if p.Exception != nil {
			s, _, _ = strings.Cut(s+p.Exception.Description, "\n")
		}
		return s
	case cdpclient.TargetAttachedToTarget:
		return fmt.Sprint("attached ", r.names["session"+string(p.SessionID)], " ", p.TargetInfo.URL, " waiting=", p.Waiting)
	case cdpclient.TargetDetachedFromTarget:
		return "detached " + r.names["session"+string(p.SessionID)]
	case cdpclient.TargetTargetDestroyed:
		return "destroyed"
	case cdpclient.TargetTargetCrashed:
		return "crashed target"
	case cdpclient.InspectorTargetCrashed:
		return "crashed"
	case cdpclient.InspectorReloadAfterCrash:
		return "reloaded after crash"
	case cdpclient.InspectorDetached:
		return "inspector detached"
	}
	return ""
}

// canonicalText is JSON as encoding/json writes it: Chrome escapes more.
func canonicalText(output json.RawMessage) string {
	var v any
	if json.Unmarshal(output, &v) != nil {
		return string(output)
	}
	return string(mustJSON(v))
}

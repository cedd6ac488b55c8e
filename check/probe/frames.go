package probe

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"webmcphub/cdpclient"
	"webmcphub/check/lint"
)

// A command is a CDP command.
type command struct {
	method string
	params any
}

// recording are the commands that make a session report tools, registrations, timers, requests and dialogs, and that
// attach sessions to out-of-process frames within it.
var recording = []command{
	{cdpclient.WebMCPEnable, nil},
	{cdpclient.PageEnable, nil},
	{cdpclient.RuntimeEnable, nil}, // bindings report only with it
	{networkEnable, nil},
	{cdpclient.RuntimeAddBinding, cdpclient.AddBindingParams{Name: binding}},
	{cdpclient.PageAddScriptToEvaluateOnNewDocument,
		cdpclient.AddScriptParams{Source: strings.ReplaceAll(recorder, "BINDING", binding)}},
	{cdpclient.TargetSetAutoAttach, cdpclient.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true,
		Flatten: true, Filter: []cdpclient.TargetFilterEntry{{Type: cdpclient.TypeIframe}, {Exclude: true}}}},
}

// frames records on the page's tape what the page's out-of-process frames do. It leaves out the tools of these
// frames, because the check doesn't judge the page by them. Its own map has the tools of all the page's processes.
type frames struct {
	conn *cdpclient.Conn
	tape *tape

	mu       sync.Mutex
	sessions map[string]cdpclient.SessionID // of out-of-process frames, by their targets
	tools    map[toolID]announcement        // tools that Chrome has announced and not withdrawn
	changed  chan struct{}                  // filled when there is something new
}

// maxAnnounced limits the number of tools. Chrome doesn't withdraw the tools of frames that are gone.
const maxAnnounced = 20_000

// A toolID is a tool's name with the id of its frame.
type toolID struct{ frame, name string }

// An announcement is what Chrome last announced about a tool.
type announcement struct {
	session     cdpclient.SessionID // of the process that has the frame
	form        int                 // the form that the tool is; 0 if it is none
	autosubmits bool                // Chrome submits the form by itself instead of waiting for a person
}

func newFrames(conn *cdpclient.Conn, t *tape) *frames {
	return &frames{conn: conn, tape: t, sessions: map[string]cdpclient.SessionID{}, tools: map[toolID]announcement{},
		changed: make(chan struct{}, 1)}
}

// page is the inbox of the page's own session.
func (f *frames) page(m cdpclient.Message) {
	f.note(m)
	f.tape.inbox(m)
}

// pageOnly lists the events that, like fates, are recorded only from the page's own session.
var pageOnly = []string{exceptionThrown, cdpclient.WebMCPToolsAdded, cdpclient.WebMCPToolsRemoved}

// frame is the inbox of a frame's session.
func (f *frames) frame(m cdpclient.Message) {
	f.note(m)
	if e, ok := m.(cdpclient.Event); ok && !slices.Contains(fates, e.Method) && !slices.Contains(pageOnly, e.Method) {
		f.tape.inbox(m)
	}
}

// note records the tools that Chrome announces and withdraws, and the frames that Chrome attaches.
func (f *frames) note(m cdpclient.Message) {
	e, ok := m.(cdpclient.Event)
	if !ok {
		return
	}
	var to cdpclient.AttachedToTarget
	if e.Method == cdpclient.TargetAttachedToTarget && json.Unmarshal(e.Params, &to) == nil {
		f.attached(to)
	}
	added, removed := toolsOf(e)
	if len(added)+len(removed) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, tool := range added {
		id := toolID{tool.FrameID, tool.Name}
		if _, known := f.tools[id]; known || len(f.tools) < maxAnnounced {
			f.tools[id] = announcement{e.Session, tool.BackendNodeID,
				tool.Annotations != nil && lint.IsSet(tool.Annotations.Autosubmit)}
		}
	}
	for _, tool := range removed {
		id := toolID{tool.FrameID, tool.Name}
		if f.tools[id].session == e.Session { // otherwise the frame has moved to another process
			delete(f.tools, id)
		}
	}
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

// attached records a frame that Chrome has attached, and lets it run. A frame that comes back from the back/forward
// cache has a new session; Chrome doesn't announce the tools of frames within it again.
func (f *frames) attached(to cdpclient.AttachedToTarget) {
	f.mu.Lock()
	before := f.sessions[to.TargetInfo.TargetID]
	f.sessions[to.TargetInfo.TargetID] = to.SessionID
	for id, tool := range f.tools {
		if tool.session == before {
			tool.session = to.SessionID
			f.tools[id] = tool
		}
	}
	f.mu.Unlock()
	f.conn.Attach(to.SessionID, f.frame)
	for _, c := range append(recording[:len(recording):len(recording)], command{runIfWaiting, nil}) {
		f.conn.Post(to.SessionID, c.method, c.params, nil)
	}
}

// announced returns what Chrome has announced about a tool.
func (f *frames) announced(id toolID) (is announcement, known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	is, known = f.tools[id]
	return is, known
}

package probe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"webmcphub/cdpclient"
)

// A command is a CDP command.
type command struct {
	method string
	params any
}

// recording are the commands that make a session report registrations, timers, requests and dialogs, and attach the
// frames within it that have processes of their own.
var recording = []command{
	{cdpclient.PageEnable, nil},
	{cdpclient.RuntimeEnable, nil}, // without it no binding reports
	{networkEnable, nil},
	{cdpclient.RuntimeAddBinding, cdpclient.AddBindingParams{Name: binding}},
	{cdpclient.PageAddScriptToEvaluateOnNewDocument,
		cdpclient.AddScriptParams{Source: strings.ReplaceAll(recorder, "BINDING", binding)}},
	{cdpclient.TargetSetAutoAttach, cdpclient.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true,
		Flatten: true, Filter: []cdpclient.TargetFilterEntry{{Type: cdpclient.TypeIframe}, {Exclude: true}}}},
}

// frames record what a page's frames in other processes do, on the page's tape.
type frames struct {
	conn *cdpclient.Conn
	tape *tape
}

// page is the inbox of the page's own session.
func (f frames) page(m cdpclient.Message) {
	f.attached(m)
	f.tape.inbox(m)
}

// frame is the inbox of a frame's session. Of the page's fate only the page's own session tells.
func (f frames) frame(m cdpclient.Message) {
	f.attached(m)
	if e, ok := m.(cdpclient.Event); ok && !slices.Contains(fates, e.Method) && e.Method != exceptionThrown {
		f.tape.inbox(m)
	}
}

// attached records a frame that Chrome has attached, and lets it go on.
func (f frames) attached(m cdpclient.Message) {
	e, ok := m.(cdpclient.Event)
	var to cdpclient.AttachedToTarget
	if !ok || e.Method != cdpclient.TargetAttachedToTarget || json.Unmarshal(e.Params, &to) != nil {
		return
	}
	f.conn.Attach(to.SessionID, f.frame)
	for _, c := range append(recording[:len(recording):len(recording)], command{runIfWaiting, nil}) {
		f.conn.Post(to.SessionID, c.method, c.params, nil)
	}
}

var errNowhere = errors.New("the process that has its frame can't be found")

// processOf opens a session with the process that a frame runs in; [Browser.detach] ends it. A frame with the same
// site as its parent has no process of its own but runs in that of an outer frame; own is false then.
func (t *Tab) processOf(ctx context.Context, frame string) (in cdpclient.SessionID, own bool, err error) {
	conn := t.browser.conn
	if in, err = conn.AttachTo(ctx, frame); err == nil {
		return in, true, nil
	}
	refused := err
	known, err := t.framesOf(ctx, t.session)
	if err != nil {
		return "", false, err
	}
	var all cdpclient.GetTargetsResult
	if err := conn.Call(ctx, "", cdpclient.TargetGetTargets, nil, &all); err != nil {
		return "", false, err
	}
	looked := map[string]bool{}
	for more := true; more; {
		more = false
		for _, target := range all.TargetInfos { // from the page outwards in, so that no other tab is inspected
			if target.Type != cdpclient.TypeIframe || looked[target.TargetID] || !known[target.ParentFrameID] {
				continue
			}
			looked[target.TargetID], more = true, true
			s, err := conn.AttachTo(ctx, target.TargetID)
			if err != nil {
				continue // it is gone
			}
			within, err := t.framesOf(ctx, s)
			if within[frame] {
				return s, false, nil
			}
			t.browser.detach(s)
			if err != nil {
				continue
			}
			for id := range within {
				known[id] = true
			}
		}
	}
	return "", false, fmt.Errorf("%w: %w", errNowhere, cmp.Or(ctx.Err(), refused))
}

// framesOf returns the frames of a session's process, from the session's own frame down to those of other processes.
func (t *Tab) framesOf(ctx context.Context, in cdpclient.SessionID) (map[string]bool, error) {
	var tree cdpclient.GetFrameTreeResult
	if err := t.browser.conn.Call(ctx, in, cdpclient.PageGetFrameTree, nil, &tree); err != nil {
		return nil, err
	}
	all := map[string]bool{}
	var take func(cdpclient.FrameTree)
	take = func(f cdpclient.FrameTree) {
		all[f.Frame.ID] = true
		for _, child := range f.ChildFrames {
			take(child)
		}
	}
	take(tree.FrameTree)
	return all, nil
}

// node is a node of a page's DOM tree.
type node struct {
	NodeName        string
	BackendNodeID   int
	Attributes      []string // names and values alternately
	FrameID         string   // the frame that the element contains
	Children        []node
	ShadowRoots     []node
	ContentDocument *node // of that frame, if it is in this process
}

// formOf returns the form that a tool is, in a frame within the session's own frame. It has no BackendNodeID if the
// tool is no form. Chrome announces such frames' tools only when they are registered.
func (t *Tab) formOf(ctx context.Context, in cdpclient.SessionID, id toolID) (cdpclient.Tool, error) {
	found := cdpclient.Tool{Name: id.name, FrameID: id.frame}
	var tree struct{ Root node }
	if err := t.browser.conn.Call(ctx, in, "DOM.getDocument", map[string]any{"depth": -1, "pierce": true},
		&tree); err != nil {
		return found, err
	}
	var look func(n *node, frame string)
	look = func(n *node, frame string) {
		name, autosubmit := n.tool()
		if frame == id.frame && n.NodeName == "FORM" && name == id.name {
			found.BackendNodeID, found.Annotations = n.BackendNodeID,
				&cdpclient.ToolAnnotations{Autosubmit: &autosubmit}
		}
		for _, parts := range [][]node{n.Children, n.ShadowRoots} {
			for i := range parts {
				look(&parts[i], frame)
			}
		}
		if n.ContentDocument != nil {
			look(n.ContentDocument, n.FrameID)
		}
	}
	look(&tree.Root, "")
	return found, nil
}

// tool returns the name of the tool that a form declares by its attributes, and whether it is submitted
// automatically.
func (n *node) tool() (name string, autosubmit bool) {
	for i := 0; i+1 < len(n.Attributes); i += 2 {
		switch n.Attributes[i] {
		case "toolname":
			name = n.Attributes[i+1]
		case "toolautosubmit":
			autosubmit = true
		}
	}
	return name, autosubmit
}

package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"webmcphub/automation/page"
	"webmcphub/automation/snapshot/tree"
	"webmcphub/cdpclient"
)

// mainPatience is how long the main frame's process may take to answer.
const mainPatience = 30 * time.Second

// childPatience is the same for a frame in another process.
const childPatience = 5 * time.Second

// latePatience is the same for a frame in another process for which an earlier wait timed out, and that hasn't
// answered since.
const latePatience = 100 * time.Millisecond

// roomy bounds the wait for a page's accessibility trees, once its DOM is known. Without them, roles and names are
// inferred from the DOM.
const roomy = 3 * time.Second

// largeDocument is the largest number of nodes for which collect requests a document's accessibility tree. For 20,000
// nodes, Chrome needs a second or more for that tree, and a quarter of that for the DOM.
const largeDocument = 6_000

// room bounds the nodes of all documents of one process whose accessibility trees collect requests.
const room = 2 * largeDocument

// want says how collect asks a page.
type want struct {
	patience time.Duration          // how long frames in other processes may take
	inferred bool                   // don't ask for accessibility trees
	small    map[page.FrameRef]bool // documents that were small the last time
}

// whole says whether a document is likely to be small, because it was small the last time.
func (w *want) whole(d *tree.Document) bool {
	return w.small[page.FrameRef{ID: d.Frame, Loader: d.Loader}]
}

// smallOnes returns the documents whose accessibility trees collect got.
func smallOnes(docs []*tree.Document) map[page.FrameRef]bool {
	small := map[page.FrameRef]bool{}
	for _, d := range docs {
		if d.AX != nil {
			small[page.FrameRef{ID: d.Frame, Loader: d.Loader}] = true
		}
	}
	return small
}

// collect asks Chrome for everything from which a tree is made. It asks each of the page's processes once for its DOM
// (DOMSnapshot), which shows how large the documents are, and then for the documents' accessibility trees. It asks
// all processes at the same time. If a script has opened a dialog that the script's own call answers, collect waits
// for that.
func collect(ctx context.Context, p *page.Page, w want) ([]*tree.Document, error) {
	for {
		docs, err := ask(ctx, p, w)
		dialog := new(page.DialogOpen)
		if !errors.As(err, &dialog) || !p.Answered(ctx, dialog.Dialog.Number) {
			return docs, err
		}
	}
}

func ask(ctx context.Context, p *page.Page, w want) ([]*tree.Document, error) {
	frames := p.Frames()
	if len(frames) == 0 {
		return nil, errors.New("the page has no document yet. Wait for it, and ask again")
	}
	docs := make([]*tree.Document, len(frames))
	bySession, late := map[cdpclient.SessionID][]*tree.Document{}, map[cdpclient.SessionID]bool{}
	for i, f := range frames {
		late[f.Session] = f.Late
		docs[i] = &tree.Document{Session: string(f.Session), Frame: f.ID, Loader: f.Loader, URL: f.URL, Name: f.Name}
		if err := p.CheckRead(ctx, f); err != nil {
			docs[i].Unreadable = fmt.Sprintf("not read: the hub's rules forbid %s", tree.PlainURL(f.Origin))
			if not := new(page.NotPermitted); errors.As(err, &not) && not.Why != nil {
				docs[i].Unreadable = "not read: " + tree.Clean(err.Error(), 200)
			}
			docs[i].URL, docs[i].Name = "", "" // the document itself can set them
			if i == 0 {
				return nil, err
			}
		}
		bySession[f.Session] = append(bySession[f.Session], docs[i])
	}
	var wait sync.WaitGroup
	var failed error
	for session, mine := range bySession {
		wait.Go(func() {
			c := &collector{page: p, session: session, main: mine[0] == docs[0], want: w, room: room,
				early: map[*tree.Document]page.Sent{}}
			ctx := ctx
			if c.main {
				var end func()
				ctx, end = context.WithTimeoutCause(ctx, mainPatience, fmt.Errorf("the page didn't answer in %v, as "+
					"a script of it may be running", mainPatience))
				defer end()
			} else {
				var end func()
				ctx, end = w.patient(ctx, p, session, late[session])
				defer end()
			}
			err := c.documents(ctx, mine)
			if err != nil && c.main {
				failed = err
			}
		})
	}
	for i, f := range frames[1:] {
		wait.Go(func() { docs[i+1].Owner = w.owner(ctx, p, frames, f) })
	}
	wait.Wait()
	return docs, failed
}

// patient returns a context for questions to a process other than the main frame's. The context ends when that
// process has had its time. If it has ended by then, the function end marks the process as late for the next time.
func (w *want) patient(ctx context.Context, p *page.Page, session cdpclient.SessionID,
	late bool) (_ context.Context, end func()) {
	patience := w.patience
	if late {
		patience = min(patience, latePatience)
	}
	patient, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("it didn't answer in %v", patience))
	return patient, func() {
		if errors.Is(patient.Err(), context.DeadlineExceeded) {
			p.MarkLate(session)
		}
		cancel()
	}
}

// owner returns the iframe element in which a frame is, or the zero Key if the process of the frame around it doesn't
// say.
func (w *want) owner(ctx context.Context, p *page.Page, frames []page.Frame, f page.Frame) tree.Key {
	parent, there := page.FrameByID(frames, f.Parent)
	if !there {
		return tree.Key{}
	}
	if parent.Session != frames[0].Session {
		var end func()
		ctx, end = w.patient(ctx, p, parent.Session, parent.Late)
		defer end()
	}
	backend, err := p.FrameOwner(ctx, parent, f)
	if err != nil {
		return tree.Key{}
	}
	return tree.Key{Session: string(parent.Session), Frame: parent.ID, Loader: parent.Loader, Backend: backend}
}

// collector asks one process.
type collector struct {
	page    *page.Page
	session cdpclient.SessionID
	main    bool // it is the main frame's process
	want    want
	room    int                          // for how many nodes it may still request accessibility trees
	early   map[*tree.Document]page.Sent // accessibility trees requested together with the DOM
}

// documents fills in what Chrome says about the documents of this process. The error is the one for the first
// document.
func (c *collector) documents(ctx context.Context, docs []*tree.Document) error {
	readable := docs[:0:0]
	for _, d := range docs {
		if d.Unreadable == "" {
			readable = append(readable, d)
		}
	}
	if len(readable) == 0 {
		return nil
	}
	sent := c.page.Send(ctx, c.session, "DOMSnapshot.captureSnapshot", map[string]any{"computedStyles": tree.Styles})
	for _, d := range readable {
		if c.want.whole(d) { // no script of the page runs between the two commands
			c.early[d] = c.fullTree(ctx, d)
		}
	}
	var raw json.RawMessage
	err := sent.Wait(ctx, &raw)
	var doms []*tree.DOM
	if err == nil {
		doms, err = tree.DecodeDOM(raw, c.main)
	}
	if err != nil {
		err = cause(ctx, err)
		for _, d := range readable {
			d.Unreadable = "not read: " + tree.Clean(err.Error(), 200)
		}
		return err
	}
	byFrame := map[string]*tree.DOM{}
	for _, d := range doms {
		byFrame[d.Frame] = d
	}
	var first error
	for i, d := range readable {
		if err := c.document(ctx, d, byFrame[d.Frame]); err != nil {
			err = cause(ctx, err)
			d.Unreadable = "not read: " + tree.Clean(err.Error(), 200)
			if i == 0 {
				first = err
			}
		}
	}
	return first
}

func cause(ctx context.Context, err error) error {
	if c := context.Cause(ctx); c != nil {
		return c
	}
	return err
}

// document asks for the accessibility tree of a document, unless the document is large.
func (c *collector) document(ctx context.Context, d *tree.Document, dom *tree.DOM) error {
	if dom == nil {
		d.Unreadable = "not read: it is still loading"
		return nil
	}
	d.DOM, d.URL = dom, dom.URL
	sent, early := c.early[d]
	if !early {
		if c.want.inferred || len(dom.Nodes) > min(largeDocument, c.room) {
			return nil
		}
		sent = c.fullTree(ctx, d)
	}
	c.room -= len(dom.Nodes)
	ctx, cancel := context.WithTimeoutCause(ctx, roomy, fmt.Errorf("the accessibility tree took Chrome longer than %v",
		roomy))
	defer cancel()
	var raw json.RawMessage
	err := sent.Wait(ctx, &raw)
	if err == nil {
		d.AX, err = tree.DecodeAX(raw)
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		d.Partly = "roles and names are inferred from the elements: " + tree.Clean(context.Cause(ctx).Error(), 200)
		return nil
	}
	return err
}

// fullTree asks for the accessibility tree of a document.
func (c *collector) fullTree(ctx context.Context, d *tree.Document) page.Sent {
	return c.page.Send(ctx, c.session, "Accessibility.getFullAXTree", map[string]any{"frameId": d.Frame})
}

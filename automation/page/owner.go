package page

import (
	"errors"

	"webmcphub/cdpclient"
)

// owner is the state of a page. Only its goroutine touches it.
type owner struct {
	*Page
	browser  cdpclient.SessionID
	sessions map[cdpclient.SessionID]*session // by id: the tab's and those of frames
	tab      *session
	workers  map[cdpclient.SessionID]*worker // by their sessions
	tree
	dialogs
	loading
	watchSet
	calls  map[*call]struct{}
	waits  map[*wait]struct{}
	subs   map[string][]*subscription
	setups []*setup
	drawing
	dirty bool // the published view is outdated
}

func newOwner(p *Page, browser, tab cdpclient.SessionID) *owner {
	o := &owner{
		Page: p, browser: browser, sessions: map[cdpclient.SessionID]*session{}, tree: newTree(),
		workers: map[cdpclient.SessionID]*worker{},
		calls:   map[*call]struct{}{}, waits: map[*wait]struct{}{}, subs: map[string][]*subscription{},
		drawing: drawing{on: drawnOn},
		loading: loading{levels: map[string]Milestone{}}, watchSet: watchSet{watches: map[*Watch]struct{}{}},
	}
	for _, m := range p.opt.Events {
		o.subs[m] = []*subscription{{handle: p.opt.OnEvent}}
	}
	o.tab = o.addSession(tab, "", p.target, false)
	return o
}

func (o *owner) run() {
	defer close(o.stopped)
	o.prepare(o.tab)
	var batch []any
	for o.err == nil {
		select {
		case <-o.mail.wake:
		case <-o.conn.Done():
			o.end(&Ended{Why: "Chrome is gone", Cause: o.conn.Err()})
		case <-o.opt.Gone:
			o.end(&Ended{Why: Closed})
		}
		batch = o.mail.take(batch)
		for _, item := range batch {
			if o.err != nil {
				break
			}
			o.handle(item)
		}
	}
	o.publish()
	close(o.done)
	o.detach()
}

// end ends the page. Only the first reason is kept.
func (o *owner) end(why error) {
	if o.err == nil {
		o.err = why
	}
}

// detach detaches from all sessions.
func (o *owner) detach() {
	o.stopEnd()
	for id := range o.sessions {
		o.conn.Detach(id)
	}
	for id := range o.workers {
		o.conn.Detach(id)
	}
	detach(o.conn, o.browser)
}

func (o *owner) handle(item any) {
	switch m := item.(type) {
	case cdpclient.Event:
		if w := o.workers[m.Session]; w != nil {
			if isRecord(m.Method) {
				o.workerLogged(w, m)
			} else {
				o.event(m) // such as a worker that this worker starts
			}
			return
		}
		news := true
		if isRecord(m.Method) {
			news = o.request(m)
		} else {
			o.event(m)
			o.publish()
		}
		o.tell(m)
		if !news {
			return
		}
	case cdpclient.Reply:
		o.reply(m)
		o.publish()
	case cdpclient.SessionEnded:
		o.detached(m.Session)
		o.publish()
	case *call:
		o.begin(m)
		return // changes nothing that somebody waits for
	case func(*owner):
		m(o)
		o.publish()
	case closePage:
		o.end(ErrClosed)
		return
	}
	o.recheck()
}

// reply passes a reply to whoever sent the command.
func (o *owner) reply(r cdpclient.Reply) {
	switch tag := r.Tag.(type) {
	case *call:
		o.answered(tag, r)
	case func(cdpclient.Reply):
		tag(r)
	}
}

// post sends a command of the owner's own and calls f with the reply, unless f is nil.
func (o *owner) post(s cdpclient.SessionID, method string, params any, f func(cdpclient.Reply)) {
	if f == nil {
		o.conn.Post(s, method, params, nil)
		return
	}
	o.conn.Post(s, method, params, f)
}

// wait answers a condition that is met, and otherwise keeps it for recheck.
func (o *owner) wait(w *wait) {
	if met, err := w.met(o); met || err != nil {
		w.done <- err
		return
	}
	o.waits[w] = struct{}{}
}

// recheck answers the waits whose conditions are met now.
func (o *owner) recheck() {
	for w := range o.waits {
		if met, err := w.met(o); met || err != nil {
			delete(o.waits, w)
			w.done <- err
		}
	}
}

// sessionIsGone says whether Chrome refused a command because its session has ended.
func sessionIsGone(err error) bool { return errors.Is(err, cdpclient.ErrSessionGone) }

package node

import "time"

// quietFor is how long a node that leaves waits for further requests once nothing runs on it. By then
// gateways have heard that it leaves, and so have their clients.
const quietFor = time.Second

// leaving is how far a node has come with leaving. It belongs to run.
type leaving struct {
	why   string      // "" while it stays
	due   *time.Timer // the latest
	quiet *time.Timer // nil while something runs
	over  bool
}

// Drain makes the node leave. It takes no new tabs, its pages disappear from the gateways' lists, and it waits for
// running calls, at most for [Options].Drain. Then [Node.Left] is closed. Drain returns at once.
func (n *Node) Drain(why string) { n.box.Must(func() { n.leave(why) }) }

func (n *Node) leave(why string) {
	if n.leaving.why != "" {
		return
	}
	n.leaving.why = why
	n.figures.leaving.Store(true)
	n.browsers.box.Must(func() { n.browsers.leaves = true })
	n.log.Info("the node is leaving", "why", why, "at most", n.options.Drain)
	for _, g := range n.gateways {
		g.watch.leave(why)
	}
	n.leaving.due = time.AfterFunc(n.options.Drain, func() { n.box.Must(func() { n.drained(true) }) })
	n.quiet()
}

// held is how many calls run.
func (n *Node) held() (calls int) {
	for _, g := range n.gateways {
		for r := range g.running {
			if r.held {
				calls++
			}
		}
	}
	return calls
}

// quiet has the node leave soon where nothing runs any more, unless something comes.
func (n *Node) quiet() {
	l := &n.leaving
	if l.why == "" || l.over || n.held() > 0 {
		return
	}
	if l.quiet != nil {
		l.quiet.Stop()
	}
	l.quiet = time.AfterFunc(quietFor, func() { n.box.Must(func() { n.drained(false) }) })
}

// drained: it was quiet for long enough, unless calls have come meanwhile; or the time is up.
func (n *Node) drained(late bool) {
	calls := n.held()
	switch {
	case n.leaving.over || calls > 0 && !late:
		return
	case calls > 0:
		n.log.Warn("the node leaves although calls run: their time is up", "calls", calls)
	}
	n.leaving.done(n.life.left)
}

// done stops what is left of it and closes left. It may be called again.
func (l *leaving) done(left chan struct{}) {
	for _, t := range []*time.Timer{l.due, l.quiet} {
		if t != nil {
			t.Stop()
		}
	}
	if !l.over {
		l.over = true
		close(left)
	}
}

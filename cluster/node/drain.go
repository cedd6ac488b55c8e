package node

import "time"

// quietFor is how long a node that leaves waits for further requests once no call runs. By then the gateways and their
// clients know that the node leaves.
const quietFor = time.Second

// leaving is the state of a node's departure. It belongs to run.
type leaving struct {
	why   string      // "" while the node stays
	due   *time.Timer // fires when the node's time is up
	quiet *time.Timer // fires when no call has run for quietFor
	over  bool
}

// Drain makes the node leave. The node opens no new tabs, its pages disappear from the gateways' lists, and it waits
// for running calls, at most for [Options].Drain. Then [Node.Left] is closed. Drain returns at once.
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

// held returns how many running calls keep the node from leaving.
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

// quiet makes a leaving node leave after quietFor if no call runs, unless another call begins.
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

// drained makes the node leave. Unless the time is up (late), it does so only if no call runs.
func (n *Node) drained(late bool) {
	calls := n.held()
	switch {
	case n.leaving.over || calls > 0 && !late:
		return
	case calls > 0:
		n.log.Warn("the node leaves although calls are running: their time is up", "calls", calls)
	}
	n.leaving.done(n.life.left)
}

// done stops the timers and closes left. It may be called more than once.
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

package trust

// maxDeparted is how many ended sessions are remembered. Calls of these sessions may still be about to end.
const maxDeparted = 1000

// departed holds the sessions that ended last, for which nothing must be remembered any more. The caller guards it.
type departed struct {
	is    map[string]bool
	order []string // the session that ended first is first
}

func (d *departed) has(session string) bool { return d.is[session] }

func (d *departed) add(session string) {
	if session == "" || d.is[session] { // requests without a session never end one
		return
	}
	if d.is == nil {
		d.is = map[string]bool{}
	}
	if len(d.order) == maxDeparted {
		delete(d.is, d.order[0])
		d.order = d.order[1:]
	}
	d.is[session] = true
	d.order = append(d.order, session)
}

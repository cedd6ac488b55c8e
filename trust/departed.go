package trust

// maxDeparted is how many sessions that are over are remembered. Calls of the last ones may
// still be about to end.
const maxDeparted = 1000

// departed are sessions that are over, the last of them: nothing is to be remembered for
// them any more. Somebody else guards it.
type departed struct {
	is    map[string]bool
	order []string // the oldest first
}

func (d *departed) has(session string) bool { return d.is[session] }

func (d *departed) add(session string) {
	if session == "" || d.is[session] { // those without a session are never over
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

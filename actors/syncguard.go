package actors

// syncGuard lets one reading of a page's tool list run at a time, and
// remembers a change that arrives meanwhile: after the last change there is
// always one more reading.
//
//	idle ──changed──▶ syncing ──changed──▶ syncing+dirty
//	  ▲                 │ ▲                     │
//	  └──────done───────┘ └────────done─────────┘ (and read again)
type syncGuard struct{ syncing, dirty bool }

// changed says that the list may differ from the last reading. It reports
// whether a reading is to be started now.
func (g *syncGuard) changed() (start bool) {
	if g.syncing {
		g.dirty = true
		return false
	}
	g.syncing = true
	return true
}

// done ends a reading. It reports whether another is to be started now.
func (g *syncGuard) done() (again bool) {
	again = g.dirty
	g.syncing, g.dirty = again, false
	return again
}

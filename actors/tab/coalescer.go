package tab

// Coalescer lets at most one read of something that changes run at a time. If it changes during a read, one more read
// follows, so that a read always begins after the last change.
//
//	idle ──Want──▶ reading ──Want──▶ reading, wanted again
//	 ▲                │  ▲                    │
//	 └──────Done──────┘  └────────Done────────┘ (and read again)
type Coalescer struct{ reading, again bool }

// Want asks for a read. It returns true if the caller must start one now.
func (c *Coalescer) Want() (start bool) {
	if c.reading {
		c.again = true
		return false
	}
	c.reading = true
	return true
}

// Covered notes that the current read includes all changes so far.
func (c *Coalescer) Covered() { c.again = false }

// Reset ends a read without repeating it.
func (c *Coalescer) Reset() { *c = Coalescer{} }

// Done ends a read. It returns true if the caller must start another one now.
func (c *Coalescer) Done() (again bool) {
	again = c.again
	c.reading, c.again = again, false
	return again
}

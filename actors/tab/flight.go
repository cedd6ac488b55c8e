package tab

// Flight makes sure that only one reading of something that changes is under way at a time. It remembers a change
// that comes meanwhile, so that after the last change there is always one more reading.
//
//	idle ──Want──▶ under way ──Want──▶ under way, wanted again
//	 ▲                │  ▲                    │
//	 └─────Landed─────┘  └──────Landed────────┘ (and read again)
type Flight struct{ underWay, again bool }

// Want says that what was read last may be out of date. It returns true if the caller is to start a reading now.
func (f *Flight) Want() (start bool) {
	if f.underWay {
		f.again = true
		return false
	}
	f.underWay = true
	return true
}

// Covered says that the reading under way reads only now, so that it includes all changes so far.
func (f *Flight) Covered() { f.again = false }

// Reset ends a reading that is not to be repeated.
func (f *Flight) Reset() { *f = Flight{} }

// Landed ends a reading. It returns true if the caller is to start another one now.
func (f *Flight) Landed() (again bool) {
	again = f.again
	f.underWay, f.again = again, false
	return again
}

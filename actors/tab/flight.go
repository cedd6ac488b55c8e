package tab

// Flight lets one reading of something that changes be under way at a time, and
// remembers a change that comes meanwhile: after the last change there is always
// one more reading.
//
//	idle ──Want──▶ under way ──Want──▶ under way, wanted again
//	 ▲                │  ▲                    │
//	 └─────Landed─────┘  └──────Landed────────┘ (and read again)
type Flight struct{ underWay, again bool }

// Want says that what was read last may be out of date. It reports whether a
// reading is to be started now.
func (f *Flight) Want() (start bool) {
	if f.underWay {
		f.again = true
		return false
	}
	f.underWay = true
	return true
}

// Covered says that the reading under way reads only now: it covers what was
// wanted so far.
func (f *Flight) Covered() { f.again = false }

// Reset ends a reading that is not to be repeated by itself.
func (f *Flight) Reset() { *f = Flight{} }

// Landed ends a reading. It reports whether another is to be started now.
func (f *Flight) Landed() (again bool) {
	again = f.again
	f.underWay, f.again = again, false
	return again
}

package replica

import "time"

// timer is what a time is armed for.
type timer int

const (
	noTimer timer = iota
	askTimer
	pingTimer
	staleTimer
	leaseTimer
	refuseTimer
	allTimers
)

// timers are those that are armed.
type timers struct {
	last  uint64
	armed [allTimers]uint64 // 0 is not
	stale time.Duration     // for how long staleTimer was armed
}

func (t *timers) on(which timer) bool { return t.armed[which] != 0 }
func (t *timers) off(which timer)     { t.armed[which] = 0 }

// due is what the time that is over was armed for; noTimer if it doesn't count any more.
func (t *timers) due(seq uint64) timer {
	for which, armed := range t.armed {
		if seq != 0 && armed == seq {
			t.armed[which] = 0
			return timer(which)
		}
	}
	return noTimer
}

func (m *Mirror) arm(which timer, after time.Duration) {
	m.timers.last++
	m.timers.armed[which] = m.timers.last
	m.do(Arm{m.timers.last, after})
}

// armOnce leaves a time as it is that is armed already.
func (m *Mirror) armOnce(which timer, after time.Duration) {
	if !m.timers.on(which) {
		m.arm(which, after)
	}
}

// armStale leaves the time after which content is hidden as it is, unless it would be longer.
func (m *Mirror) armStale(after time.Duration) {
	if !m.timers.on(staleTimer) || after < m.timers.stale {
		m.timers.stale = after
		m.arm(staleTimer, after)
	}
}

package actors

import "sync/atomic"

const (
	// maxIdle is how many goroutines of a hub wait for an actor's next turn.
	maxIdle = 128
	// throughput is how many messages an actor handles before others get a turn.
	throughput = 300
)

// workers is protoactor's dispatcher with goroutines that stay: an actor's
// turn would otherwise begin by growing the stack of a new one.
type workers struct {
	turns   chan func()
	idle    atomic.Int32
	stopped <-chan struct{} // idle goroutines end with it
}

func newWorkers(stopped <-chan struct{}) *workers {
	return &workers{turns: make(chan func()), stopped: stopped}
}

// Schedule never waits, and doesn't let the turn go first: see package yield.
func (w *workers) Schedule(turn func()) {
	select {
	case w.turns <- turn:
	default:
		go w.work(turn)
	}
}

// Throughput is the dispatcher's other half.
func (w *workers) Throughput() int { return throughput }

func (w *workers) work(turn func()) {
	for {
		turn()
		if w.idle.Add(1) > maxIdle {
			w.idle.Add(-1)
			return
		}
		select {
		case turn = <-w.turns:
			w.idle.Add(-1)
		case <-w.stopped:
			return
		}
	}
}

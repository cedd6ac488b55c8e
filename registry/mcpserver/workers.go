package mcpserver

import (
	"context"
	"runtime"
	"sync/atomic"
)

// maxIdle is how many goroutines of a session wait for more work.
const maxIdle = 16

// workers run each job at once in a goroutine of its own. There is no limit
// to them; some wait for another job, because a fresh goroutine would spend
// more time on growing its stack than on a typical call.
type workers struct {
	jobs chan func()
	idle atomic.Int32
}

func newWorkers() *workers { return &workers{jobs: make(chan func())} }

// run never waits. Idle goroutines end with ctx, which must be the same for
// all jobs.
func (w *workers) run(ctx context.Context, job func()) {
	select {
	case w.jobs <- job:
		runtime.Gosched() // the job goes first, not our next read
	default:
		go w.work(ctx, job)
	}
}

func (w *workers) work(ctx context.Context, job func()) {
	for {
		job()
		if w.idle.Add(1) > maxIdle {
			w.idle.Add(-1)
			return
		}
		select {
		case job = <-w.jobs:
			w.idle.Add(-1)
		case <-ctx.Done():
			return
		}
	}
}

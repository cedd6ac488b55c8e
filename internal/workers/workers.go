// Package workers runs jobs in goroutines that are reused: a new goroutine would spend more time on growing its stack
// than on a typical job of the hub.
package workers

import "sync/atomic"

// Pool runs each job at once, in a goroutine of its own. The number of goroutines is not limited; some wait for
// another job when they are done. Its methods may be called from any goroutine.
type Pool struct {
	jobs  chan func()
	idle  atomic.Int32
	keeps int32
	ended <-chan struct{}
}

// New returns a pool in which up to keeps goroutines wait for jobs, until ended is closed.
func New(keeps int32, ended <-chan struct{}) *Pool {
	return &Pool{jobs: make(chan func()), keeps: keeps, ended: ended}
}

// Run never waits. waited says that a waiting goroutine has taken the job, which then begins as soon as the caller
// lets others run.
func (p *Pool) Run(job func()) (waited bool) {
	select {
	case p.jobs <- job:
		return true
	default:
		go p.work(job)
		return false
	}
}

func (p *Pool) work(job func()) {
	for {
		job()
		if p.idle.Add(1) > p.keeps {
			p.idle.Add(-1)
			return
		}
		select {
		case job = <-p.jobs:
			p.idle.Add(-1)
		case <-p.ended:
			return
		}
	}
}

package storm

import (
	"bytes"
	"context"
	"fmt"
	"time"
)

// callPause is the time between the beginnings of two calls of the one caller,
// if the first is answered by then.
const callPause = 3 * time.Millisecond

// quietCalls is how many calls are made before the storm; tests make fewer.
var quietCalls = 600

// callLimit is how long a call may take; it fails then.
const callLimit = 10 * time.Second

// callee is who calls the tools: an MCP client by a hub, or a bare one itself.
type callee interface {
	// echo begins a call of an echoing tool. answered is called once, by another
	// goroutine and not at all if nothing more comes.
	echo(tool, text string, answered answerFunc) error
	// gone is closed when no answers can come any more.
	gone() <-chan struct{}
}

// answerFunc is told what came: whether it is the echo, and the message, whose
// memory is its own for the time of the call.
type answerFunc func(right bool, msg []byte, at time.Time)

// caller calls echoing tools, one call at a time.
type caller struct {
	by    callee
	names []string
	next  int

	took    samples
	failed  int
	why     error         // of the last that failed
	overdue []chan answer // of calls that were given up
}

// answer is what came of a call.
type answer struct {
	took  time.Duration
	right bool
	msg   []byte
}

// call makes one call and checks the echo.
func (k *caller) call() {
	k.next++
	name, text := k.names[k.next%len(k.names)], fmt.Sprintf("say %d", k.next)
	answered := make(chan answer, 1)
	begin := time.Now()
	err := k.by.echo(name, text, func(right bool, msg []byte, at time.Time) {
		answered <- answer{at.Sub(begin), right, bytes.Clone(msg[:min(len(msg), 300)])}
	})
	if err != nil {
		k.failed, k.why = k.failed+1, err
		return
	}
	select {
	case a := <-answered:
		if !a.right {
			k.failed, k.why = k.failed+1, fmt.Errorf("%s was answered by %s", name, a.msg)
			return
		}
		k.took = append(k.took, a.took)
	case <-k.by.gone():
		k.failed, k.why = k.failed+1, fmt.Errorf("the other side hung up during a call of %s", name)
	case <-time.After(callLimit):
		k.failed, k.why = k.failed+1, fmt.Errorf("%s was not answered in %v", name, callLimit)
		k.overdue = append(k.overdue, answered)
	}
}

// late says of the calls that were given up how many were answered after all,
// the slowest after how long, and how many never were.
func (k *caller) late() (late int, slowest time.Duration, never int) {
	for _, answered := range k.overdue {
		select {
		case a := <-answered:
			late, slowest = late+1, max(slowest, a.took)
		default:
			never++
		}
	}
	return late, slowest, never
}

// until calls until ctx ends or n calls are made; n 0 is no limit.
func (k *caller) until(ctx context.Context, n int) {
	for i := 0; n == 0 || i < n; i++ {
		begin := time.Now()
		k.call()
		select {
		case <-ctx.Done():
			return
		case <-k.by.gone():
			return
		case <-time.After(callPause - time.Since(begin)):
		}
	}
}

// take gives what was measured so far, and begins anew.
func (k *caller) take() samples {
	s := k.took
	k.took = nil
	return s
}

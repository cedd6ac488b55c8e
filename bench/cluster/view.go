package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"

	"webmcphub/bench/cluster/agent"
)

// View is a client of a gateway that lists at each list_changed, as agents' programs do.
type View struct {
	Gateway int
	Agent   *agent.Agent

	mu    sync.Mutex
	seen  seen
	dirty chan struct{} // capacity 1: the list has changed
	done  sync.WaitGroup
	end   context.CancelFunc
}

// seen is what a view has seen of its gateway by now.
type seen struct {
	list      *agent.List   // the last one, nil if there is none
	came      time.Time     // when list came
	took      time.Duration // to read it
	lists     int           // how many came
	changedAt time.Time     // when list_changed last came
	err       error         // why it last failed
	more      chan struct{} // closed when list is another one
}

// NewView begins to follow the list of a gateway.
func NewView(ctx context.Context, gateway int, a *agent.Agent) *View {
	v := &View{Gateway: gateway, Agent: a, seen: seen{more: make(chan struct{})}, dirty: make(chan struct{}, 1)}
	ctx, v.end = context.WithCancel(ctx)
	v.done.Go(func() { v.listen(ctx) })
	v.done.Go(func() { v.follow(ctx) })
	return v
}

// Close ends the following.
func (v *View) Close() {
	v.end()
	v.done.Wait()
	v.Agent.Close()
}

// listen hears of changes, and comes back where the stream broke.
func (v *View) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := v.Agent.Listen(ctx, v.changed)
		v.failed(err)
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// changed notes that the server said so.
func (v *View) changed() {
	v.mu.Lock()
	v.seen.changedAt = time.Now()
	v.mu.Unlock()
	v.Again()
}

// Again has the list be asked for once more.
func (v *View) Again() {
	select {
	case v.dirty <- struct{}{}:
	default:
	}
}

func (v *View) failed(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen.err = err
}

func (v *View) follow(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-v.dirty:
		}
		begun := time.Now()
		list, err := v.Agent.List(ctx)
		if err != nil {
			v.failed(err)
			if sleep(ctx, 50*time.Millisecond) == nil {
				v.Again()
			}
			continue
		}
		v.mu.Lock()
		was := v.seen
		v.seen = seen{list, time.Now(), time.Since(begun), was.lists + 1, was.changedAt, nil, make(chan struct{})}
		v.mu.Unlock()
		close(was.more)
	}
}

func (v *View) now() seen {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.seen
}

// Forget has the view know no list until another one comes: its gateway was started again.
func (v *View) Forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seen.list = nil
}

// Name is the server's name of a page's tool, "" if it isn't listed.
func (v *View) Name(own string) string {
	if list := v.now().list; list != nil {
		return list.Names[own]
	}
	return ""
}

// Await waits for a list that is right, and gives when the first one came.
func (v *View) Await(ctx context.Context, right func(*agent.List) error) (time.Time, error) {
	for {
		now := v.now()
		err := fmt.Errorf("nothing was listed (%w)", context.Cause(ctx))
		if now.list != nil {
			if err = right(now.list); err == nil {
				return now.came, nil
			}
		}
		select {
		case <-now.more:
		case <-ctx.Done():
			if now.err != nil {
				return now.came, fmt.Errorf("gateway %d: %w; its client last failed by: %w", v.Gateway, err, now.err)
			}
			return now.came, fmt.Errorf("gateway %d: %w", v.Gateway, err)
		}
	}
}

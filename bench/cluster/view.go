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
	list  *agent.List
	came  time.Time // when list came
	took  time.Duration
	lists int
	told  time.Time     // when list_changed last came
	err   error         // why it last failed
	more  chan struct{} // closed and replaced when list is another one
	dirty chan struct{} // capacity 1: the list has changed
	done  sync.WaitGroup
	end   context.CancelFunc
}

// NewView begins to follow the list of a gateway.
func NewView(ctx context.Context, gateway int, a *agent.Agent) *View {
	v := &View{Gateway: gateway, Agent: a, more: make(chan struct{}), dirty: make(chan struct{}, 1)}
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
	v.told = time.Now()
	v.mu.Unlock()
	v.Again()
}

// Told is when the server last said that its list is another one.
func (v *View) Told() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.told
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
	v.err = err
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
		v.list, v.came, v.took, v.err = list, time.Now(), time.Since(begun), nil
		v.lists++
		close(v.more)
		v.more = make(chan struct{})
		v.mu.Unlock()
	}
}

// Last is the last list, nil if there is none, and when it came.
func (v *View) Last() (*agent.List, time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.list, v.came
}

// Forget has the view know no list until another one comes: its gateway was started again.
func (v *View) Forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.list = nil
}

// Took is how long the last list took to be read, and how many were.
func (v *View) Took() (time.Duration, int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.took, v.lists
}

// Name is the server's name of a page's tool, "" if it isn't listed.
func (v *View) Name(own string) string {
	if list, _ := v.Last(); list != nil {
		return list.Names[own]
	}
	return ""
}

// Await waits for a list that is right, and gives when the first one came.
func (v *View) Await(ctx context.Context, right func(*agent.List) error) (time.Time, error) {
	for {
		v.mu.Lock()
		list, came, more, failed := v.list, v.came, v.more, v.err
		v.mu.Unlock()
		err := fmt.Errorf("nothing was listed (%w)", context.Cause(ctx))
		if list != nil {
			if err = right(list); err == nil {
				return came, nil
			}
		}
		select {
		case <-more:
		case <-ctx.Done():
			if failed != nil {
				return came, fmt.Errorf("gateway %d: %w; its client last failed by: %w", v.Gateway, err, failed)
			}
			return came, fmt.Errorf("gateway %d: %w", v.Gateway, err)
		}
	}
}

package tab

import (
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/registry"
)

// An Address is all that callers share with a tab: how it is reached, and its end.
type Address struct {
	PID        *actor.PID
	Supervisor *actor.PID // the actor that says whether the tab is there

	once     sync.Once
	gone     chan struct{}
	why      func(tool string) registry.Result // set before gone is closed
	released chan struct{}
	heard    sync.Once // closes released
}

// NewAddress is of a tab that supervisor owns. Its PID is set before anybody has it.
func NewAddress(supervisor *actor.PID) *Address {
	return &Address{Supervisor: supervisor, gone: make(chan struct{}), released: make(chan struct{})}
}

// Gone is closed when calls can no longer reach the tab.
func (a *Address) Gone() <-chan struct{} { return a.gone }

// Released is closed, after Gone, when the page has heard of all that it had to hear:
// the calls that were given up.
func (a *Address) Released() <-chan struct{} { return a.released }

// Ended is the answer to a call that the tab's end cut short. It may be called
// when Gone is closed.
func (a *Address) Ended(tool string) registry.Result { return a.why(tool) }

// end says that calls can no longer reach the tab, and why. The first word counts.
func (a *Address) end(why func(tool string) registry.Result) {
	a.once.Do(func() {
		a.why = why
		close(a.gone)
	})
}

func (a *Address) release() { a.heard.Do(func() { close(a.released) }) }

// An Intake bounds what stands in a tab's mailbox, and in the registry actor's
// because of it. It is shared by the tab and those who send to it.
type Intake struct {
	info     atomic.Pointer[Info] // the newest, until the tab takes it
	reported atomic.Bool          // a report of the tab waits for the registry actor
	backlog  atomic.Int64         // bytes of events that wait for the tab
	flooded  atomic.Bool          // they were too many; no more are passed on
}

// Info is what a browser says of a tab without being attached to it.
type Info struct{ URL, Title string }

// Told is called by the registry actor when it has a report.
func (i *Intake) Told() { i.reported.Store(false) }

// NewInfo tells a tab of its target's new title or address. One message waits at a
// time, the newest counts.
func (i *Intake) NewInfo(root *actor.RootContext, a *Address, info Info) {
	if i.info.Swap(&info) == nil {
		root.Send(a.PID, infoChanged{})
	}
}

// MaxBacklog is how many bytes of events may wait for a tab. A page that sends more
// is taken up anew, as one whose actor panicked.
const MaxBacklog = 64 << 20

// Add counts bytes of events, and says whether they may be passed on, or whether
// this was the first that was too much.
func (i *Intake) Add(bytes int64) (pass, first bool) {
	switch {
	case i.flooded.Load():
		return false, false
	case i.backlog.Add(bytes) > MaxBacklog:
		return false, !i.flooded.Swap(true)
	}
	return true, false
}

// Took gives back bytes that the tab has taken.
func (i *Intake) Took(bytes int64) { i.backlog.Add(-bytes) }

// Flooded says whether events are no longer passed on.
func (i *Intake) Flooded() bool { return i.flooded.Load() }

// Waiting is how many bytes of events wait.
func (i *Intake) Waiting() int64 { return i.backlog.Load() }

package tab

import (
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/registry"
)

// Address has what callers share with a tab: the way to reach it, and how it ended.
type Address struct {
	PID        *actor.PID
	Supervisor *actor.PID // the actor that says whether the tab is there

	once     sync.Once
	gone     chan struct{}
	why      func(tool string) registry.Result // set before gone is closed
	released chan struct{}
	heard    sync.Once // closes released
}

// NewAddress returns the address of a tab that supervisor owns. The caller sets PID before anybody else uses it.
func NewAddress(supervisor *actor.PID) *Address {
	return &Address{Supervisor: supervisor, gone: make(chan struct{}), released: make(chan struct{})}
}

// Gone returns a channel that is closed when calls can no longer reach the tab.
func (a *Address) Gone() <-chan struct{} { return a.gone }

// Released returns a channel that is closed after Gone, when the hub has told the page which calls it gives up.
func (a *Address) Released() <-chan struct{} { return a.released }

// Ended returns the result of a call that the tab's end has cut short. It may be called once Gone is closed.
func (a *Address) Ended(tool string) registry.Result { return a.why(tool) }

// end closes Gone and sets the reason. Only the first call counts.
func (a *Address) end(why func(tool string) registry.Result) {
	a.once.Do(func() {
		a.why = why
		close(a.gone)
	})
}

func (a *Address) release() { a.heard.Do(func() { close(a.released) }) }

// FlowControl limits how much waits in a tab's mailbox, and in the registry actor's mailbox because of that tab. The
// tab and the senders of its messages share it.
type FlowControl struct {
	info     atomic.Pointer[Info] // the newest Info, until the tab takes it
	reported atomic.Bool          // a report of the tab waits in the registry actor's mailbox
	backlog  atomic.Int64         // how many bytes of events wait for the tab
	flooded  atomic.Bool          // too many bytes waited, so no more events are passed on
}

// Info is what a browser reports about a tab even while the hub is not attached to it.
type Info struct{ URL, Title string }

// Reported is called by the registry actor when it has received a report.
func (f *FlowControl) Reported() { f.reported.Store(false) }

// NewInfo tells a tab about its target's new title or address. At most one message waits in the mailbox; it brings
// the newest Info.
func (f *FlowControl) NewInfo(root *actor.RootContext, a *Address, info Info) {
	if f.info.Swap(&info) == nil {
		root.Send(a.PID, infoChanged{})
	}
}

// MaxBacklog bounds the bytes of events that may wait for a tab. If a page sends more, another actor takes the tab
// over, as after a panic.
const MaxBacklog = 64 << 20

// Add counts the bytes of an event. pass says whether the event may be passed on. firstTooMany says that this event is
// the first one that may not.
func (f *FlowControl) Add(bytes int64) (pass, firstTooMany bool) {
	switch {
	case f.flooded.Load():
		return false, false
	case f.backlog.Add(bytes) > MaxBacklog:
		return false, !f.flooded.Swap(true)
	}
	return true, false
}

// Took subtracts the bytes of an event that the tab has taken.
func (f *FlowControl) Took(bytes int64) { f.backlog.Add(-bytes) }

// Flooded says whether events are no longer passed on.
func (f *FlowControl) Flooded() bool { return f.flooded.Load() }

// Waiting returns how many bytes of events wait.
func (f *FlowControl) Waiting() int64 { return f.backlog.Load() }

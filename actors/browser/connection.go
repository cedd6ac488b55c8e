package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// connection is the state of the connection to Chrome.
type connection struct {
	ctx    context.Context // the context of dialling
	cancel context.CancelFunc

	attempt     *attempt        // the newest attempt to reach Chrome; nil before the first
	serial      int             // counts attempts and connections; messages of older ones are dropped
	conn        *cdpclient.Conn // nil while there is none
	backoff     time.Duration
	retry       *time.Timer
	lastFailure string

	crash          *crash    // set from a crash of Chrome until its tabs are open again; else nil
	reopened       time.Time // when Chrome was last started with the tabs that were open before
	defaultContext string    // Chrome's default browser context; "" if Chrome doesn't report it
}

// dialling stands for an attempt to reach Chrome, which the Actor awaits ([supervisor.Supervisor.Await]).
type dialling struct{}

// attempt is an attempt to reach Chrome. It is settled once: by its goroutine, which then sends its result to the
// actor, or by the actor, which then has given the attempt up.
type attempt struct {
	settled atomic.Bool
	first   string      // the address that [ReopenAddress] returns
	opened  atomic.Bool // ReopenAddress has returned first
}

func (a *attempt) settle() (first bool) { return !a.settled.Swap(true) }

// dial tries to reach Chrome. With launch, it starts a Chrome if there is none.
func (b *Actor) dial(launch bool) {
	b.serial++
	b.Await(dialling{})
	_, first := b.reopens()
	o, a, serial := b.reach, &attempt{first: first}, b.serial
	b.attempt = a
	ctx := context.WithValue(b.ctx, dialStatusKey{}, func(status string) { b.ToSelf(dialStatus{serial, status}) })
	ctx = context.WithValue(ctx, reopensKey{}, a)
	go func() {
		wire, err := o.Dialer.Dial(ctx)
		if err != nil && launch && o.Launcher != nil {
			wire, err = o.Launcher.Dial(ctx)
		}
		switch givenUp := !a.settle(); {
		case givenUp && err == nil:
			_ = wire.Close()
		case givenUp:
		case err != nil:
			b.ToSelf(dialFailed{err, launch})
		default:
			b.ToSelf(connected{wire})
		}
	}()
}

// dialStatusKey is the context key of the function that takes a dial's status texts.
type dialStatusKey struct{}

// SetDialStatus sets the browser's status to what a [Dialer] waits for, until its Dial returns. ctx is the context of
// Dial; with another context, SetDialStatus does nothing.
func SetDialStatus(ctx context.Context, status string) {
	if set, ok := ctx.Value(dialStatusKey{}).(func(string)); ok {
		set(status)
	}
}

// dialStatus handles a status text of a dial that is still under way.
func (b *Actor) dialStatus(m dialStatus) {
	if m.serial == b.serial && b.conn == nil && b.Awaits(dialling{}) && !b.Stopping() && m.status != b.status.Status {
		b.tellStatus(m.status)
	}
}

// giveUpDial makes the actor stop waiting for an attempt that is under way, because a Dialer may notice late, or
// never, that its context has ended.
func (b *Actor) giveUpDial() {
	if b.attempt != nil && b.attempt.settle() {
		b.StopAwaiting(dialling{})
	}
}

func (b *Actor) dialFailed(m dialFailed) {
	b.StopAwaiting(dialling{})
	if b.Stopping() {
		return
	}
	if !m.launch && b.wantsLaunch() { // a caller asked for a launch during this attempt
		b.dial(true)
		return
	}
	b.logFailure(m.err)
	b.answerWaiting(supervisor.Answer{Err: m.err})
	if b.reach.OnNeed { // the next order tries again
		b.tellStatus(m.err.Error())
		return
	}
	b.redialLater(m.err)
}

// logFailure logs each reason as a warning only once, not at every attempt.
func (b *Actor) logFailure(err error) {
	level := slog.LevelWarn
	if err.Error() == b.lastFailure {
		level = slog.LevelDebug
	}
	b.lastFailure = err.Error()
	b.Log.Log(b.ctx, level, "Chrome could not be reached; trying again", "err", err, "in", b.backoff)
}

func (b *Actor) redialLater(why error) {
	b.tellStatus(why.Error())
	if b.reach.Lazy {
		return
	}
	serial := b.serial
	b.retry = time.AfterFunc(b.backoff, func() { b.ToSelf(redial{serial}) })
	b.backoff = min(2*b.backoff, MaxBackoff)
}

// redialIfIdle tries again after a panic, if nothing else leads to a connection.
func (b *Actor) redialIfIdle() {
	if b.conn == nil && !b.Awaits(dialling{}) {
		b.redialLater(supervisor.ErrInternal)
	}
}

func (b *Actor) connected(m connected) {
	b.StopAwaiting(dialling{})
	if b.Stopping() { // the actor was stopped meanwhile
		_ = m.wire.Close()
		return
	}
	serial := b.serial
	b.tabs = supervisor.NewTabs[target](&b.Supervisor)
	b.conn = cdpclient.NewConn(m.wire, func(m cdpclient.Message) { b.ToSelf(received{serial, m}) })
	b.Log.Info("connected to Chrome")
	b.startedAgain()
	b.tellStatus("")
	b.info, b.ready = supervisor.BrowserInfo{}, false
	b.askStrip()
	b.conn.Post("", cdpclient.BrowserGetVersion, nil, versionReply{})
	b.conn.Post("", "Target.getBrowserContexts", nil, contextsReply{})
	const discover = `{"discover":true,"filter":[{"type":"page"}]}`
	if b.Explicit {
		b.conn.Post("", cdpclient.TargetSetDiscoverTargets, json.RawMessage(discover), attachReply{})
		return
	}
	b.conn.Post("", cdpclient.TargetSetDiscoverTargets, json.RawMessage(discover), cdpclient.TargetSetDiscoverTargets)
	b.conn.Post("", "Target.setAutoAttach",
		json.RawMessage(`{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,"filter":[{"type":"page"}]}`),
		attachReply{})
}

func (b *Actor) receive(m cdpclient.Message) {
	switch m := m.(type) {
	case cdpclient.Event:
		if !b.gather(m) {
			b.event(m)
		}
	case cdpclient.Reply:
		b.reply(m)
	case cdpclient.Closed:
		b.lost(m.Err)
	}
}

func (b *Actor) reply(r cdpclient.Reply) {
	if o, ok := r.Tag.(*supervisor.Order); ok {
		b.carriedOut(o, r)
		return
	}
	if errors.Is(r.Err, cdpclient.ErrConnClosed) {
		return // a Closed follows
	}
	b.backoff, b.lastFailure = FirstBackoff, "" // Chrome answers, so it isn't one that hangs up at once
	if r.Err != nil {
		b.Log.Error("Chrome refused a command", "command", fmt.Sprintf("%T%v", r.Tag, r.Tag), "err", r.Err)
	}
	switch tag := r.Tag.(type) {
	case versionReply:
		b.named(r)
	case contextsReply:
		b.contexts(r)
	case reopenReply:
		b.reopenedTab(tag.tab, r)
	case stripReply:
		b.stripped(r)
	case windowReply:
		b.windowIs(r, tag.place)
	case attachReply:
		b.gathered(false)
	case gatheredReply:
		b.gathered(true)
	case cdp.Attaching:
		b.attachAnswered(tag, r.Err)
	}
}

// lost withdraws everything of a Chrome that is gone, and tries to reach it again.
func (b *Actor) lost(err error) {
	quit := b.reach.OnNeed && errors.Is(err, cdpclient.ErrQuit)
	b.leaveClosed(whyLostAgain) // tabs of an earlier Chrome stay closed
	if quit {
		b.Log.Info("Chrome was closed; it is started again when it is needed", "why", err)
		if quitErr, ok := errors.AsType[cdpclient.Quit](err); ok {
			err = errors.New(quitErr.Why + needsAnother)
		} else {
			err = errors.New(closed)
		}
	} else {
		b.Log.Warn("the connection to Chrome was lost; reconnecting", "err", err)
		again := ""
		if errors.Is(err, cdpclient.ErrCrashed) && b.tabs.Len() > 0 {
			b.crashed()
			n, _ := b.reopens()
			again = fmt.Sprintf("; %d of the %d tabs are opened again by their addresses, with new tabIds, and what "+
				"was entered in them is lost",
				n, b.tabs.Len())
		}
		err = fmt.Errorf("the connection to Chrome was lost (%v) and is being re-established%s; try again in a moment",
			err,
			again)
	}
	b.tellStatus(err.Error()) // before the tools go, so that a client that misses one learns why
	b.ready = false
	b.answerWaiting(supervisor.Answer{Err: err})
	if _, conn := b.letGo(registry.EndedByLoss); conn != nil {
		go conn.Close() // a launched Chrome may take a while to end
	}
	if !quit {
		b.redialLater(err)
	}
}

// letGo ends all tabs and removes the connection. It returns the connection, which the caller closes, or nil if there
// is none.
func (b *Actor) letGo(why func(tool string) registry.Result) ([]*tab.Address, *cdpclient.Conn) {
	tabs, conn := b.tabs.CloseAll(why), b.conn
	b.conn = nil
	b.serial++
	return tabs, conn
}

package launch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"webmcphub/cdpclient"
)

// adoptTimeout is how long a Chrome may take to answer the process that takes it over.
const adoptTimeout = 10 * time.Second

// Ends are the hub's ends of a Chrome's debugging pipe, in the process that launched Chrome, or duplicates of them.
// Chrome lives as long as any process holds the ends. Only one process at a time may use them; see [Adopt].
type Ends struct {
	From, To *os.File // from Chrome, and to Chrome
	PID      int      // Chrome's process
	Owners   int      // how many processes have used the ends so far
}

// Close closes both ends.
func (e Ends) Close() error { return errors.Join(e.To.Close(), e.From.Close()) }

// adoption holds the state for passing a Chrome from one process to the next.
type adoption struct {
	ends     Ends
	outlives bool      // Options.Outlives
	adopted  bool      // Chrome is no child of this process
	began    string    // processStart, if adopted
	watching sync.Once // starts to watch the process, if adopted
}

// Each owner uses ids for its commands from its own range of idsPerOwner ids, so that it ignores late replies to other
// owners. After maxOwners owners the ranges begin again, because Chrome accepts only ids below 2³¹.
const (
	idsPerOwner = 1 << 24
	maxOwners   = 1 << 6
)

// lastID returns the number below the ids for the commands of this owner's connection.
func (e Ends) lastID() int { return (e.Owners-1)%maxOwners*idsPerOwner + adoptIDs }

// adoptIDs is how many of an owner's ids are reserved for [Adopt] and [Start].
const adoptIDs = 1 << 16

// Adopt takes over a Chrome that another process launched and no longer uses. The returned Chrome owns the ends. On an
// error Adopt closes the ends, after it has made Chrome quit, or killed it if it didn't answer within 10 s.
//
// The previous owner may have been killed at any moment. So Adopt terminates a message that the owner had begun, drops
// Chrome's messages to it, ends its sessions, and lets popups run that Chrome had paused for it.
func Adopt(ctx context.Context, ends Ends, profile string, log *slog.Logger) (*Chrome, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	ends.Owners = max(ends.Owners, 1) + 1
	c := &Chrome{Wire: cdpclient.NewPipeWire(ends.From, ends.To), PID: ends.PID, UserDataDir: profile, log: log,
		adoption: adoption{ends: ends, outlives: true, adopted: true, began: processStart(ends.PID)},
		exited:   make(chan struct{})}
	ctx, cancel := context.WithTimeoutCause(ctx, adoptTimeout, fmt.Errorf("no answer within %s", adoptTimeout))
	defer cancel()
	if err := c.within(ctx, c.takeOver); err != nil {
		if ctx.Err() != nil {
			_ = c.Close() // Chrome hangs
		}
		c.quit() // so that the profile becomes free, even if others hold the ends
		_ = c.Wire.Close()
		select {
		case <-c.Exited(): // so that another Chrome can be started on the profile
		case <-time.After(quitting):
		}
		return nil, fmt.Errorf("take over Chrome (process %d): %w", c.PID, err)
	}
	return c, nil
}

// takeOver ends the sessions, messages and pauses that the previous owner left in Chrome.
func (c *Chrome) takeOver() error {
	if err := c.Wire.Write(nil); err != nil { // terminates a message that the owner had begun
		return err
	}
	id := c.ends.lastID() - adoptIDs
	ask := func(method string, params, out any) error {
		id++
		return c.ask(id, method, params, out)
	}
	if err := ask(cdpclient.BrowserGetVersion, struct{}{}, &c.Version); err != nil { // everything before this reply was for the previous owner
		return err
	}
	if err := ask(cdpclient.TargetSetAutoAttach, cdpclient.SetAutoAttachParams{Flatten: true}, nil); err != nil {
		return err
	}
	if err := ask(cdpclient.TargetSetDiscoverTargets, cdpclient.SetDiscoverTargetsParams{}, nil); err != nil {
		return err
	}
	var all cdpclient.GetTargetsResult
	if err := ask(cdpclient.TargetGetTargets, allTargets{[]cdpclient.TargetFilterEntry{{}}}, &all); err != nil {
		return err
	}
	for _, t := range all.TargetInfos {
		for n := 0; t.Attached && n < maxLeftSessions; n++ {
			if ask(cdpclient.TargetDetachFromTarget, ofTarget{TargetID: t.TargetID}, nil) != nil {
				break // there are none, or none for this owner
			}
		}
		if t.Type != cdpclient.TypePage || t.URL != "" {
			continue
		}
		// If a popup was paused before it began to load, it stays paused when the session for which it was paused is
		// detached.
		var at cdpclient.AttachedToTarget
		if ask("Target.attachToTarget", ofTarget{TargetID: t.TargetID, Flatten: true}, &at) == nil {
			id++
			if err := c.Wire.Write(fmt.Appendf(nil, `{"id":%d,"method":%q,"sessionId":%q}`, id,
				cdpclient.RuntimeRunIfWaitingForDebugger, at.SessionID)); err != nil {
				return err
			}
			if err := ask(cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: at.SessionID},
				nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxLeftSessions limits how many sessions with one target takeOver ends.
const maxLeftSessions = 32

type allTargets struct {
	Filter []cdpclient.TargetFilterEntry `json:"filter"`
}

type ofTarget struct {
	TargetID string `json:"targetId"`
	Flatten  bool   `json:"flatten,omitempty"`
}

// Ends returns the ends of the pipe that this process uses.
func (c *Chrome) Ends() Ends { return c.ends }

// LastID returns the number below the ids for commands to this Chrome. Commands of earlier owners of the pipe may
// still be answered.
func (c *Chrome) LastID() uint64 { return uint64(c.ends.lastID()) }

// Leave closes this process's ends and returns at once. Chrome lives on if another process holds its ends, and quits
// otherwise.
func (c *Chrome) Leave() error {
	c.once.Do(func() { c.err = c.Wire.Close() })
	return c.err
}

// quit makes Chrome quit even if other processes hold its ends.
func (c *Chrome) quit() {
	if !c.outlives {
		return
	}
	_ = c.ends.To.SetWriteDeadline(time.Now().Add(time.Second)) // Chrome may hang
	_ = c.Wire.Write(fmt.Appendf(nil, `{"id":%d,"method":%q}`, c.ends.lastID(), cdpclient.BrowserClose))
}

// watch closes exited when an adopted Chrome is gone. Such a Chrome isn't this process's child, so this process can't
// wait for it.
func (c *Chrome) watch() {
	if !c.adopted {
		return
	}
	c.watching.Do(func() {
		go func() {
			for processLives(c.PID) && processStart(c.PID) == c.began { // otherwise the id belongs to another process
				time.Sleep(20 * time.Millisecond)
			}
			close(c.exited)
		}()
	})
}

package share

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// errTaken means that another process has the lock.
var errTaken = errors.New("the lock is taken")

// TakenError means that another process has this Chrome and can't be joined.
type TakenError struct {
	PID int // the other process's id, or 0 if it is unknown
	Why string

	hangs bool // the other process doesn't answer, but may answer later
}

func (e *TakenError) Error() string {
	who := "another webmcp-hub"
	if e.PID != 0 {
		who += fmt.Sprintf(" (process %d)", e.PID)
	}
	return who + " has this Chrome and can't be joined: " + e.Why
}

// role is what a process is for the hub. An owner has the lock and the socket. A guest has a link to the owner. A
// process with neither is on its own.
type role struct {
	unlock   func()
	listener net.Listener
	guest    *link
}

// takeRole takes the owner's role if it is free, and otherwise a guest's.
func (p hubPaths) takeRole(ctx context.Context, o *Options) (role, error) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	tooLong := time.Now().Add(o.patience)
	for next := lookAgain; ; next = min(2*next, lookAgainMax) {
		select {
		case <-pause.C:
		case <-ctx.Done():
			return role{}, context.Cause(ctx)
		}
		s, err := p.look(ctx, o)
		if !errors.Is(err, errSilent) {
			return s, err
		}
		if time.Now().After(tooLong) {
			return role{}, p.silent(err)
		}
		// The owner may be starting or ending.
		pause.Reset(next)
	}
}

// errSilent means that another process has the lock and didn't answer.
var errSilent = errors.New("it doesn't answer")

// look makes one attempt of takeRole.
func (p hubPaths) look(ctx context.Context, o *Options) (role, error) {
	s, err := p.own()
	if err == nil && len(o.lacks) > 0 {
		s.leave()
		select {
		case <-o.after(equalsFirst):
		case <-ctx.Done():
		}
		s, err = p.own()
	}
	if err != errTaken {
		return s, err
	}
	s.guest, err = p.join(ctx, o)
	if taken := (*TakenError)(nil); err == nil || errors.As(err, &taken) {
		return s, err
	}
	return role{}, fmt.Errorf("%w (%v)", errSilent, err)
}

// silent returns the error about an owner that hangs.
func (p hubPaths) silent(err error) *TakenError {
	pid, how := p.owner(), ""
	if pid != 0 { // kill 0 would end the shell in which it is typed
		how = fmt.Sprintf(" (kill %d, then kill -9 %d)", pid, pid)
	}
	return &TakenError{PID: pid, hangs: true, Why: fmt.Sprintf("%v; it may be stopped or hang: continue it or end "+
		"it%s, and this one continues", err, how)}
}

func (p hubPaths) own() (role, error) {
	unlock, err := p.acquire()
	if err != nil {
		return role{}, err
	}
	listener, err := p.listen()
	if err != nil {
		unlock()
		return role{}, err
	}
	return role{unlock: unlock, listener: listener}, nil
}

func (p hubPaths) join(ctx context.Context, o *Options) (*link, error) {
	var d net.Dialer
	ctx, cancel := context.WithTimeout(ctx, handshake)
	defer cancel()
	conn, err := d.DialContext(ctx, "unix", p.socket)
	if err != nil {
		return nil, err
	}
	l, err := o.joinOwner(ctx, conn)
	if err == nil && o.OwnerOnly != "" {
		err = &TakenError{PID: l.pid, Why: o.OwnerOnly}
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return l, nil
}

// leave gives up the role.
func (s role) leave() {
	if s.listener != nil {
		_ = s.listener.Close()
	}
	if s.unlock != nil {
		s.unlock()
	}
	if s.guest != nil {
		s.guest.close()
	}
}

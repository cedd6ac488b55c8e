package share

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// ErrNobody means that no process owns a hub for this Chrome.
var ErrNobody = errors.New("no webmcp-hub runs for this Chrome")

// A Visitor is one more client of a hub that another process owns. Unlike a guest, it needs no settings in common
// with the owner, and it never takes the owner's place: it looks, calls and leaves. It carries MCP messages, one per
// line. Its methods may be called concurrently as those of a [net.Conn].
type Visitor struct {
	PID int // the owner's process id

	conn net.Conn
	in   *bufio.Reader
	rest []byte // the unread rest of the current line
}

// Visit joins the hub with this key. view is as in Options.View; for what view doesn't say, the visitor sees what the
// owner's client sees, and nil says nothing. The error is [ErrNobody] if there is no hub, and a [TakenError] if the
// owner admits nobody or doesn't answer.
func Visit(ctx context.Context, key string, view json.RawMessage) (*Visitor, error) {
	return visit(ctx, "", key, view)
}

func visit(ctx context.Context, dir, key string, view json.RawMessage) (*Visitor, error) {
	p, err := newHubPaths(dir, key)
	if err != nil {
		return nil, err
	}
	return p.visit(ctx, view)
}

// Running returns the ids of this user's processes that own a hub, in ascending order, including those that don't
// answer.
func Running() ([]int, error) { return running("") }

func running(dir string) (pids []int, err error) {
	points, err := meetingPointsIn(dir)
	for _, p := range points {
		pids = append(pids, p.owner())
	}
	slices.Sort(pids)
	return pids, err
}

// VisitProcess joins the hub that this process owns, as [Visit] does.
func VisitProcess(ctx context.Context, pid int, view json.RawMessage) (*Visitor, error) {
	return visitProcess(ctx, "", pid, view)
}

func visitProcess(ctx context.Context, dir string, pid int, view json.RawMessage) (*Visitor, error) {
	points, err := meetingPointsIn(dir)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(points, func(p hubPaths) bool { return p.owner() == pid })
	if i < 0 {
		return nil, ErrNobody
	}
	return points[i].visit(ctx, view)
}

// meetingPointsIn returns the meeting points at which somebody listens.
func meetingPointsIn(dir string) (there []hubPaths, err error) {
	if dir == "" {
		if dir, err = defaultDir(); err != nil {
			return nil, err
		}
	}
	if err := private(dir); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	sockets, err := filepath.Glob(filepath.Join(dir, "*.sock"))
	for _, socket := range sockets {
		p := hubPathsAt(strings.TrimSuffix(socket, ".sock"))
		if conn, err := net.DialTimeout("unix", socket, handshake); err == nil {
			_ = conn.Close()
			there = append(there, p)
		}
	}
	return there, err
}

func (p hubPaths) visit(ctx context.Context, view json.RawMessage) (*Visitor, error) {
	ctx, cancel := context.WithTimeout(ctx, handshake)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", p.socket)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, ErrNobody
	}
	if err != nil {
		return nil, err
	}
	v := &Visitor{PID: p.owner(), conn: conn, in: bufio.NewReaderSize(conn, maxHello)}
	w, err := greet(ctx, conn, v.in, hello{View: view}) // whatever the owner's settings are
	taken := (*TakenError)(nil)
	switch {
	case err == nil:
		v.PID = w.PID
		return v, nil
	case errors.As(err, &taken):
		taken.PID = cmp.Or(taken.PID, v.PID)
	default:
		err = &TakenError{PID: v.PID, Why: fmt.Sprintf("it doesn't answer (%v); end it, which is to close the client "+
			"that started it, and try again", err)}
	}
	_ = conn.Close()
	return nil, err
}

// Read reads MCP messages until the owner or Close ends them, which returns [io.EOF]. It leaves out what owners send
// guests besides MCP messages.
func (v *Visitor) Read(b []byte) (int, error) {
	for len(v.rest) == 0 {
		line, err := wholeLine(v.in)
		if errors.Is(err, net.ErrClosed) {
			err = io.EOF // the visitor left
		}
		if err != nil {
			return 0, err
		}
		var message struct{ JSONRPC string }
		if json.Unmarshal(bytes.TrimSpace(line), &message) == nil && message.JSONRPC != "" {
			v.rest = line
		}
	}
	n := copy(b, v.rest)
	v.rest = v.rest[n:]
	return n, nil
}

func (v *Visitor) Write(b []byte) (int, error) { return v.conn.Write(b) }

// Close leaves the hub.
func (v *Visitor) Close() error { return v.conn.Close() }

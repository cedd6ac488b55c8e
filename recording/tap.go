package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry/sanitize"
)

// ownID begins the ids of the recorder's own requests.
const ownID = `"webmcp-hub-record-`

// Tap stands between a client and a hub: the hub reads from in and writes to out by what it
// returns.
//
// Whenever the hub says that its tools have changed, the recorder asks for them, too, if in
// is a pipe: its request is put between two of the client's messages, is marked as one by
// which the client reads nothing, and its answer doesn't reach the client. So a recording
// has tools that the client didn't ask for.
func (r *Recorder) Tap(in io.Reader, out io.Writer) (io.Reader, io.Writer) {
	t := &tap{recorder: r, in: in, out: out}
	t.deadline, _ = in.(interface{ SetReadDeadline(time.Time) error })
	return (*tapIn)(t), (*tapOut)(t)
}

// tap is one client.
type tap struct {
	recorder *Recorder
	in       io.Reader
	deadline interface{ SetReadDeadline(time.Time) error } // nil: in can't be interrupted
	out      io.Writer

	rest   []byte // of what the client wrote: a line that isn't whole
	given  []byte // of a request of ours: what the hub has not read yet
	within bool   // the hub has read a part of a line of the client's

	held []byte // of what the hub wrote: a line that isn't whole

	mu      sync.Mutex // guards what follows; nothing blocks under it
	due     bool       // the recorder has to ask
	pending string     // the id of its request that is under way; "" for none
	number  int
	again   bool            // the tools changed since
	meta    json.RawMessage // of the client's last request, by protocol 2026-07-28
}

type (
	tapIn  tap
	tapOut tap
)

// Read reads what the client says, and between its messages what the recorder asks.
func (t *tapIn) Read(p []byte) (int, error) {
	for {
		if len(t.given) == 0 && !t.within {
			t.given = (*tap)(t).request()
		}
		if len(t.given) > 0 {
			n := copy(p, t.given)
			t.given = t.given[n:]
			return n, nil
		}
		n, err := t.in.Read(p)
		if n > 0 {
			t.within = p[n-1] != '\n'
			(*tap)(t).copied(p[:n])
		}
		if err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
			_ = t.deadline.SetReadDeadline(time.Time{})
			if err = nil; n == 0 {
				continue
			}
		}
		return n, err
	}
}

// copied takes what the client wrote.
func (t *tap) copied(part []byte) {
	whole := part
	if len(t.rest) > 0 || part[len(part)-1] != '\n' {
		t.rest = append(t.rest, part...)
		end := bytes.LastIndexByte(t.rest, '\n') + 1
		if end == 0 {
			return
		}
		whole = t.rest[:end]
		defer func() { t.rest = append([]byte(nil), t.rest[end:]...) }()
	}
	t.recorder.take(client, whole)
	if bytes.Contains(whole, []byte("/protocolVersion")) {
		t.noteMeta(whole)
	}
}

// noteMeta keeps the _meta that requests of protocol 2026-07-28 need.
func (t *tap) noteMeta(lines []byte) {
	for message := range bytes.Lines(lines) {
		if meta := jsonrpc.Member(jsonrpc.Member(message, "params"), "_meta"); jsonrpc.IsObject(meta) && json.Valid(meta) {
			t.mu.Lock()
			t.meta = bytes.Clone(meta)
			t.mu.Unlock()
		}
	}
}

// changed notes that the tools have changed.
func (t *tap) changed() {
	t.mu.Lock()
	now := !t.due && t.pending == ""
	t.due, t.again = t.due || now, t.again || !now && t.pending != ""
	t.mu.Unlock()
	if now {
		t.interrupt()
	}
}

// interrupt has a read that waits for the client return.
func (t *tap) interrupt() {
	if t.deadline != nil {
		_ = t.deadline.SetReadDeadline(time.Unix(1, 0))
	}
}

// request is the recorder's own, if one is due.
func (t *tap) request() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.due {
		return nil
	}
	t.number++
	t.due, t.pending = false, ownID+strconv.Itoa(t.number)+`"`
	meta := jsonrpc.Rewrite(t.meta, func(name string, is json.RawMessage) json.RawMessage {
		if strings.HasPrefix(name, "io.modelcontextprotocol/") {
			return is
		}
		return nil // such as a token for progress
	})
	params := `{"_meta":{"` + sanitize.PeekKey + `":true`
	if len(meta) > len("{}") {
		params += "," + string(meta[1:])
	} else {
		params += "}"
	}
	return append(jsonrpc.Request(json.RawMessage(t.pending), listTools, json.RawMessage(params+"}")).Bytes(), '\n')
}

// Write passes on what the hub says, but for its answers to the recorder.
func (t *tapOut) Write(p []byte) (int, error) {
	rest := p
	if len(t.held) > 0 || len(p) > 0 && p[len(p)-1] != '\n' {
		t.held = append(t.held, p...)
		end := bytes.LastIndexByte(t.held, '\n') + 1
		if end == 0 {
			return len(p), nil
		}
		rest = t.held[:end]
		t.held = append([]byte(nil), t.held[end:]...)
	}
	pass := (*tap)(t).hears(rest)
	if len(pass) == 0 {
		return len(p), nil
	}
	if _, err := t.out.Write(pass); err != nil {
		return 0, err
	}
	return len(p), nil
}

// hears takes whole lines of the hub's, and returns those that are for the client.
func (t *tap) hears(lines []byte) (pass []byte) {
	t.mu.Lock()
	pending := t.pending
	t.mu.Unlock()
	changed := bytes.Contains(lines, []byte(toolsChanged))
	if pending == "" && !changed {
		t.recorder.take(hub, lines)
		return lines
	}
	for message := range bytes.Lines(lines) {
		head := jsonrpc.Peek(message)
		if pending != "" && string(head.ID) == pending && head.Response {
			t.recorder.take(ours, message)
			t.answered()
			continue
		}
		t.recorder.take(hub, message)
		pass = append(pass, message...)
		if head.Method == toolsChanged {
			defer t.changed()
		}
	}
	return pass
}

// answered notes that the recorder has its answer, and asks again if it is old.
func (t *tap) answered() {
	t.mu.Lock()
	t.pending = ""
	again := t.again
	t.again = false
	t.mu.Unlock()
	if again {
		t.changed()
	}
}

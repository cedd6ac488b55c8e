package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A rawHub is a hub whose stdin and stdout the test holds itself, line by line.
type rawHub struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan string   // stdout; closed at its end
	exited chan struct{} // closed when the process has ended
	stderr *log
	last   int
	// changes counts the list_changed among the messages read so far.
	changes int
	// said is what the test wrote, and heard what it read, line by line.
	said, heard []string
}

// A message is one line of the hub's stdout.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int
		Message string
	} `json:"error"`
}

func (m message) is(id int) bool { return string(m.ID) == asJSON(id) }

func startRaw(t *testing.T, flags ...string) *rawHub {
	t.Helper()
	return startRawCommand(t, append([]string{"--log-level", "debug"}, flags...)...)
}

// startRawCommand starts the program with whatever arguments.
func startRawCommand(t *testing.T, args ...string) *rawHub {
	t.Helper()
	h := &rawHub{t: t, stderr: &log{}, lines: make(chan string, 10_000), exited: make(chan struct{})}
	h.cmd = exec.Command(hubUnderTest(t), args...)
	h.cmd.Stderr, h.cmd.Env = h.stderr, environ(t)
	h.cmd.WaitDelay = patience // a left-over Chrome would hold stderr open
	var err error
	if h.stdin, err = h.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := h.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(h.exited)
		lines := bufio.NewReader(stdout)
		for {
			line, err := lines.ReadString('\n')
			if line != "" {
				h.lines <- line
			}
			if err != nil {
				break
			}
		}
		close(h.lines)
		_ = h.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = h.stdin.Close()
		select {
		case <-h.exited:
		case <-time.After(patience):
			t.Error("the hub didn't end with its stdin")
			_ = h.cmd.Process.Kill()
			<-h.exited
		}
		h.stderr.check(t)
	})
	return h
}

func (h *rawHub) write(line string) {
	h.t.Helper()
	h.said = append(h.said, line)
	if _, err := io.WriteString(h.stdin, line+"\n"); err != nil {
		h.t.Fatalf("writing to the hub: %v", err)
	}
}

// read takes the next message; whatever isn't one has no business on stdout.
func (h *rawHub) read() message {
	h.t.Helper()
	select {
	case line, ok := <-h.lines:
		if !ok {
			h.t.Fatal("the hub's stdout ended")
		}
		h.heard = append(h.heard, line)
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" {
			h.t.Fatalf("not a message on stdout: %.300q", line)
		}
		if m.Method == "notifications/tools/list_changed" {
			h.changes++
		}
		return m
	case <-time.After(patience):
		h.t.Fatalf("the hub said nothing for %v", patience)
	}
	return message{}
}

// request sends a request and returns its id.
func (h *rawHub) request(method string, params any) int {
	h.t.Helper()
	h.last++
	h.write(asLine(map[string]any{"jsonrpc": "2.0", "id": h.last, "method": method, "params": params}))
	return h.last
}

func asLine(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// answer reads until the answer to a request and returns it.
func (h *rawHub) answer(id int) message {
	h.t.Helper()
	for {
		if m := h.read(); m.is(id) {
			return m
		}
	}
}

func (h *rawHub) ask(method string, params any) message {
	h.t.Helper()
	return h.answer(h.request(method, params))
}

func (h *rawHub) initialize() {
	h.t.Helper()
	m := h.ask("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "raw", "version": "0"},
	})
	if m.Error != nil || !strings.Contains(string(m.Result), `"listChanged":true`) {
		h.t.Fatalf("initialize: %s %v", m.Result, m.Error)
	}
	h.write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// listed says whether a tool whose name begins like this is in the list.
func (h *rawHub) listed(name string) bool {
	h.t.Helper()
	return strings.Contains(string(h.ask("tools/list", nil).Result), `"name":"`+name)
}

// waitListed lists after each list_changed until the tool is there.
func (h *rawHub) waitListed(name string) {
	h.t.Helper()
	seen := h.changes
	if !h.listed(name) {
		h.waitListedSince(seen, name)
	}
}

// waitListedAnew waits for the tool by a list_changed that is still to come.
func (h *rawHub) waitListedAnew(name string) {
	h.t.Helper()
	h.waitListedSince(h.changes, name)
}

func (h *rawHub) waitListedSince(seen int, name string) {
	h.t.Helper()
	for there := false; !there; {
		for h.changes == seen {
			h.read()
		}
		seen = h.changes
		there = h.listed(name)
	}
}

// waitExit waits until the process has ended and returns its exit code, or -1
// when a signal ended it.
func (h *rawHub) waitExit() int {
	h.t.Helper()
	select {
	case <-h.exited:
		return h.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		h.t.Fatalf("the hub hasn't ended after %v", patience)
	}
	return 0
}

func (h *rawHub) signal(s syscall.Signal) {
	h.t.Helper()
	if err := h.cmd.Process.Signal(s); err != nil {
		h.t.Fatal(err)
	}
}

// stop sends SIGSTOP and waits until each thread stands still. On a busy machine
// the process goes on until the thread that takes the signal is scheduled, and
// answers meanwhile.
func (h *rawHub) stop() {
	h.t.Helper()
	h.signal(syscall.SIGSTOP)
	poll(h.t, "the hub doesn't stop", func() bool {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", h.cmd.Process.Pid))
		for _, thread := range threads {
			stat, err := os.ReadFile(thread)
			if err == nil && !strings.Contains(string(stat), ") T ") {
				return false
			}
		}
		return true
	})
}

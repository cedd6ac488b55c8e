package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// Patience bounds every wait; it costs time only when something is broken.
const Patience = 30 * time.Second

// quiet is how long after the last list_changed none may come any more.
const quiet = 300 * time.Millisecond

// ErrNotSeen says that an agent couldn't reach a tab by this server in time: a
// figure, not a failure.
var ErrNotSeen = errors.New("the server doesn't show the tab")

// A Session is a running server and its only client, over stdio. Several goroutines may
// ask at a time; the rest is for one. Another reads.
type Session struct {
	cmd     *exec.Cmd
	Started time.Time
	in      io.WriteCloser
	stderr  *os.File

	mu      sync.Mutex
	id      int
	waiting map[int]chan answer // who waits, by the request's id

	changed chan struct{} // a token after list_changed, until somebody takes it
	changes atomic.Int64  // list_changed read so far
	ended   chan struct{} // closed when the process has ended
}

type answer struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// Start runs a server in a folder of its own, since some write files into it.
func Start(dir string, command []string) (*Session, error) {
	s := &Session{waiting: map[int]chan answer{}, changed: make(chan struct{}, 1), ended: make(chan struct{})}
	s.cmd = exec.Command(command[0], command[1:]...)
	s.cmd.Dir = dir
	var err error
	if s.stderr, err = os.CreateTemp(dir, "stderr-"); err != nil {
		return nil, err
	}
	s.cmd.Stderr = s.stderr
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.Started = time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go s.read(out)
	return s, nil
}

// read is the reader's goroutine.
func (s *Session) read(out io.Reader) {
	defer close(s.ended)
	lines := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var a answer
		if json.Unmarshal(line, &a) != nil {
			continue // some servers write greetings
		}
		switch {
		case a.Method == "notifications/tools/list_changed":
			s.changes.Add(1)
			select {
			case s.changed <- struct{}{}:
			default:
			}
		case a.Method == "" && a.ID != nil:
			s.mu.Lock()
			waiting := s.waiting[*a.ID]
			s.mu.Unlock()
			if waiting != nil {
				waiting <- a // the only one
			}
		}
	}
	_ = s.cmd.Wait()
}

// Said is the end of what the server wrote to stderr.
func (s *Session) Said() string {
	text, err := os.ReadFile(s.stderr.Name())
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}

// ask sends a request and waits for its result.
func (s *Session) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	mine := make(chan answer, 1)
	s.mu.Lock()
	s.id++
	id := s.id
	s.waiting[id] = mine
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.waiting, id)
		s.mu.Unlock()
	}()
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	select {
	case a := <-mine:
		if a.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, a.Error)
		}
		return a.Result, nil
	case <-s.ended:
		return nil, fmt.Errorf("%s: the server ended: %s", method, s.Said())
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: no answer: %w", method, ctx.Err())
	}
}

func (s *Session) send(message map[string]any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = s.in.Write(append(line, '\n'))
	return err
}

// Greet initializes the session.
func (s *Session) Greet(ctx context.Context) error {
	_, err := s.ask(ctx, "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "bench", "version": "1"}})
	if err != nil {
		return err
	}
	return s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

// A Tool is one of tools/list.
type Tool struct {
	Name string
	Text json.RawMessage // as it was listed
}

// List gives all tools.
func (s *Session) List(ctx context.Context) ([]Tool, error) {
	var tools []Tool
	for params := map[string]any{}; ; {
		result, err := s.ask(ctx, "tools/list", params)
		if err != nil {
			return nil, err
		}
		var page struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(result, &page); err != nil {
			return nil, err
		}
		for _, text := range page.Tools {
			var t struct {
				Name string `json:"name"`
			}
			if err := json.Unmarshal(text, &t); err != nil {
				return nil, err
			}
			tools = append(tools, Tool{t.Name, text})
		}
		if page.NextCursor == "" {
			return tools, nil
		}
		params["cursor"] = page.NextCursor
	}
}

// ListUntil lists the tools, after each list_changed and now and then, until ok
// says so or the time is up, which is ErrNotSeen.
func (s *Session) ListUntil(ctx context.Context, within time.Duration, ok func([]Tool) bool) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		tools, err := s.List(ctx)
		if ctx.Err() != nil {
			return ErrNotSeen
		}
		if err != nil || ok(tools) {
			return err
		}
		select {
		case <-s.changed:
		case <-again.C:
		case <-ctx.Done():
			return ErrNotSeen
		case <-s.ended:
			return fmt.Errorf("the server ended: %s", s.Said())
		}
	}
}

// A Reply is a tool's answer.
type Reply struct {
	Text    string // its texts, joined
	Image   []byte // the last picture
	IsError bool
}

// Do calls a tool.
func (s *Session) Do(ctx context.Context, name string, args any) (Reply, error) {
	result, err := s.ask(ctx, "tools/call", map[string]any{"name": name, "arguments": args})
	if err != nil {
		return Reply{}, err
	}
	var got struct {
		Content []struct {
			Text string
			Data []byte
		}
		IsError bool
	}
	if err := json.Unmarshal(result, &got); err != nil {
		return Reply{}, err
	}
	r := Reply{IsError: got.IsError}
	for _, c := range got.Content {
		r.Text += c.Text
		if len(c.Data) > 0 {
			r.Image = c.Data
		}
	}
	return r, nil
}

// Call calls a tool and gives its texts, joined.
func (s *Session) Call(ctx context.Context, name string, args any) (string, error) {
	r, err := s.Do(ctx, name, args)
	if err == nil && r.IsError {
		err = fmt.Errorf("%s answered with an error: %.500s", name, r.Text)
	}
	return r.Text, err
}

// End closes stdin and says how long the server took to end; one that doesn't is
// killed, and stayed.
func (s *Session) End(within time.Duration) (took time.Duration, stayed bool) {
	defer s.stderr.Close()
	begun := time.Now()
	_ = s.in.Close()
	select {
	case <-s.ended:
		return time.Since(begun), false
	case <-time.After(within):
		_ = s.cmd.Process.Kill()
		<-s.ended
		return 0, true
	}
}

// Calm waits until no list_changed has come for a while.
func (s *Session) Calm(ctx context.Context) error {
	for {
		select {
		case <-s.changed:
		case <-time.After(quiet):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Pid is the server's process.
func (s *Session) Pid() int { return s.cmd.Process.Pid }

// Signal sends the server's process a signal.
func (s *Session) Signal(signal os.Signal) error { return s.cmd.Process.Signal(signal) }

// Changes is how many list_changed have been read so far.
func (s *Session) Changes() int64 { return s.changes.Load() }

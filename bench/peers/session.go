package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// quiet is how long after the last list_changed none may come any more.
const quiet = 300 * time.Millisecond

// toEnd is how long a server may take to end.
const toEnd = 10 * time.Second

// A session is a running server and its only client, over stdio. Several goroutines may
// ask at a time; the rest is for one. Another reads.
type session struct {
	cmd     *exec.Cmd
	started time.Time
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

// startSession runs a server in a folder of its own, since some write files into it.
func startSession(dir string, command []string) (*session, error) {
	s := &session{waiting: map[int]chan answer{}, changed: make(chan struct{}, 1), ended: make(chan struct{})}
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
	s.started = time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go s.read(out)
	return s, nil
}

// read is the reader's goroutine.
func (s *session) read(out io.Reader) {
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

// stderrEnd is the end of what the server wrote to stderr.
func (s *session) stderrEnd() string {
	text, err := os.ReadFile(s.stderr.Name())
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}

// ask sends a request and waits for its result.
func (s *session) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
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
		return nil, fmt.Errorf("%s: the server ended: %s", method, s.stderrEnd())
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: no answer: %w", method, ctx.Err())
	}
}

func (s *session) send(message map[string]any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = s.in.Write(append(line, '\n'))
	return err
}

// greet initializes the session.
func (s *session) greet(ctx context.Context) error {
	_, err := s.ask(ctx, "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "bench", "version": "1"}})
	if err != nil {
		return err
	}
	return s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

// A tool is one of tools/list.
type tool struct {
	name string
	text json.RawMessage // as it was listed
}

// list gives all tools.
func (s *session) list(ctx context.Context) ([]tool, error) {
	var tools []tool
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
			tools = append(tools, tool{t.Name, text})
		}
		if page.NextCursor == "" {
			return tools, nil
		}
		params["cursor"] = page.NextCursor
	}
}

// listUntil lists the tools, after each list_changed and now and then, until ok
// says so; errNotSeen if it doesn't in time.
func (s *session) listUntil(ctx context.Context, ok func([]tool) bool) error {
	ctx, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		tools, err := s.list(ctx)
		if ctx.Err() != nil {
			return errNotSeen
		}
		if err != nil || ok(tools) {
			return err
		}
		select {
		case <-s.changed:
		case <-again.C:
		case <-ctx.Done():
			return errNotSeen
		case <-s.ended:
			return fmt.Errorf("the server ended: %s", s.stderrEnd())
		}
	}
}

// A reply is a tool's answer.
type reply struct {
	text    string // its texts, joined
	image   []byte // the last picture
	isError bool
}

// do calls a tool.
func (s *session) do(ctx context.Context, name string, args any) (reply, error) {
	result, err := s.ask(ctx, "tools/call", map[string]any{"name": name, "arguments": args})
	if err != nil {
		return reply{}, err
	}
	var got struct {
		Content []struct {
			Text string
			Data []byte
		}
		IsError bool
	}
	if err := json.Unmarshal(result, &got); err != nil {
		return reply{}, err
	}
	r := reply{isError: got.IsError}
	for _, c := range got.Content {
		r.text += c.Text
		if len(c.Data) > 0 {
			r.image = c.Data
		}
	}
	return r, nil
}

// call calls a tool and gives its texts, joined.
func (s *session) call(ctx context.Context, name string, args any) (string, error) {
	r, err := s.do(ctx, name, args)
	if err == nil && r.isError {
		err = fmt.Errorf("%s answered with an error: %.500s", name, r.text)
	}
	return r.text, err
}

// end closes stdin, and kills a server that doesn't end by that.
func (s *session) end() {
	defer s.stderr.Close()
	_ = s.in.Close()
	select {
	case <-s.ended:
	case <-time.After(toEnd):
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
}

// calm waits until no list_changed has come for a while.
func (s *session) calm(ctx context.Context) error {
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

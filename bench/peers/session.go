package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"
)

// patience bounds every wait; it costs time only when something is broken.
const patience = 30 * time.Second

// A session is a running server and its only client, over stdio. One goroutine
// uses it; another reads.
type session struct {
	cmd     *exec.Cmd
	started time.Time
	in      io.WriteCloser
	stderr  *os.File

	id      int
	answers chan answer
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

// start runs a server in a folder of its own, since some write files into it.
func start(dir string, command []string) (*session, error) {
	s := &session{answers: make(chan answer, 16), changed: make(chan struct{}, 1), ended: make(chan struct{})}
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
	defer close(s.answers)
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
			s.answers <- a
		}
	}
	_ = s.cmd.Wait()
}

// said is the end of what the server wrote to stderr.
func (s *session) said() string {
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
	s.id++
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		select {
		case a, ok := <-s.answers:
			switch {
			case !ok:
				return nil, fmt.Errorf("%s: the server ended: %s", method, s.said())
			case *a.ID != s.id:
				continue
			case a.Error != nil:
				return nil, fmt.Errorf("%s: %s", method, a.Error)
			}
			return a.Result, nil
		case <-ctx.Done():
			return nil, fmt.Errorf("%s: no answer: %w", method, ctx.Err())
		}
	}
}

func (s *session) send(message map[string]any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
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
// says so or the time is up, which is errNotSeen.
func (s *session) listUntil(ctx context.Context, within time.Duration, ok func([]tool) bool) error {
	ctx, cancel := context.WithTimeout(ctx, within)
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
			return fmt.Errorf("the server ended: %s", s.said())
		}
	}
}

// call calls a tool and gives its texts, joined.
func (s *session) call(ctx context.Context, name string, args any) (string, error) {
	result, err := s.ask(ctx, "tools/call", map[string]any{"name": name, "arguments": args})
	if err != nil {
		return "", err
	}
	var r struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return "", err
	}
	var text string
	for _, c := range r.Content {
		text += c.Text
	}
	if r.IsError {
		return "", fmt.Errorf("%s answered with an error: %.500s", name, text)
	}
	return text, nil
}

// end closes stdin and says how long the server took to end; one that doesn't is
// killed, and stayed.
func (s *session) end(within time.Duration) (took time.Duration, stayed bool) {
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

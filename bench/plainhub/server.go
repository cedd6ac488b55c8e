package plainhub

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
)

// Server is a [Sink] with the least of MCP.
type Server struct {
	interval time.Duration

	mu       sync.Mutex
	tools    map[string]*Tool
	list     json.RawMessage // nil if out of date
	sessions map[*session]bool
	cooling  bool // told less than an interval ago
	changed  bool // and changed since
}

// session is one client.
type session struct {
	out   chan []byte   // answers
	tell  chan struct{} // list_changed; capacity 1, so notifications merge
	ended chan struct{}
}

// NewServer notifies clients at once, and then once an interval; 0 is 10 ms.
func NewServer(interval time.Duration) *Server {
	if interval <= 0 {
		interval = 10 * time.Millisecond
	}
	return &Server{interval: interval, tools: map[string]*Tool{}, sessions: map[*session]bool{}}
}

// Add implements [Sink].
func (s *Server) Add(t *Tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools[t.Name] = t
	s.notify()
}

// Remove implements [Sink].
func (s *Server) Remove(names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range names {
		delete(s.tools, n)
	}
	s.notify()
}

// notify must be called with the mutex held.
func (s *Server) notify() {
	s.list = nil
	if s.cooling {
		s.changed = true
		return
	}
	s.cooling, s.changed = true, false
	for c := range s.sessions {
		select {
		case c.tell <- struct{}{}:
		default: // it hasn't been told of the last one yet
		}
	}
	time.AfterFunc(s.interval, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.cooling = false; s.changed {
			s.notify()
		}
	})
}

// listed serialises the list once per change.
func (s *Server) listed() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list == nil {
		out := []byte(`{"tools":[`)
		for i, name := range slices.Sorted(maps.Keys(s.tools)) {
			if i > 0 {
				out = append(out, ',')
			}
			t := s.tools[name]
			out = append(out, marshal(struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				InputSchema json.RawMessage `json:"inputSchema"`
			}{t.Name, t.Description, t.Schema})...)
		}
		s.list = append(out, "]}"...)
	}
	return s.list
}

func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null") // schemas are valid: they were laundered
	}
	return b
}

// ServeStdio serves one client of the hub until its input or ctx ends.
func (h *Hub) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := h.serv
	c := &session{out: make(chan []byte, 1024), tell: make(chan struct{}, 1), ended: make(chan struct{})}
	s.mu.Lock()
	s.sessions[c] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.sessions, c)
		s.mu.Unlock()
		close(c.ended)
	}()
	go c.write(out)
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		h.answer(ctx, c, line)
	}
}

// write is the session's writer.
func (c *session) write(out io.Writer) {
	w := bufio.NewWriterSize(out, 64<<10)
	for {
		select {
		case line := <-c.out:
			w.Write(line)
		case <-c.tell:
			w.WriteString(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n")
		case <-c.ended:
			return
		}
		if len(c.out) == 0 && w.Flush() != nil {
			return
		}
	}
}

func (h *Hub) answer(ctx context.Context, c *session, line []byte) {
	var r struct {
		ID     json.RawMessage
		Method string
		Params struct {
			ProtocolVersion string
			Name            string
			Arguments       json.RawMessage
		}
	}
	if json.Unmarshal(line, &r) != nil || r.ID == nil {
		return
	}
	reply := func(result json.RawMessage) {
		msg := make([]byte, 0, len(result)+64)
		msg = append(append(msg, `{"jsonrpc":"2.0","id":`...), r.ID...)
		msg = append(append(msg, `,"result":`...), result...)
		select {
		case c.out <- append(msg, "}\n"...):
		case <-ctx.Done():
		}
	}
	switch r.Method {
	case "initialize":
		reply(marshal(map[string]any{"protocolVersion": r.Params.ProtocolVersion,
			"capabilities": map[string]any{"tools": map[string]bool{"listChanged": true}},
			"serverInfo":   map[string]string{"name": "plain", "version": "1"}}))
	case "ping":
		reply([]byte("{}"))
	case "tools/list":
		reply(h.serv.listed())
	case "tools/call":
		h.serv.mu.Lock()
		t := h.serv.tools[r.Params.Name]
		h.serv.mu.Unlock()
		if t == nil {
			reply([]byte(`{"content":[{"type":"text","text":"there is no such tool"}],"isError":true}`))
			return
		}
		go func() { reply(h.Call(ctx, t, r.Params.Arguments)) }()
	}
}

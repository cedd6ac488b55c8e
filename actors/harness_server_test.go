package actors

import (
	"encoding/json"
	"sync"
	"testing/synctest"

	"webmcphub/cdpclient/cdptest"
)

// server is a page's own MCP server that can hold its answers back. What it
// answers is what it had when it was asked.
type server struct {
	*cdptest.MCPServer
	h     *testHub
	frame *cdptest.Frame

	mu    sync.Mutex
	asked map[string]int           // requests by method
	last  json.RawMessage          // the newest payload
	gates map[string]chan struct{} // by method: answers wait for it
	lose  string                   // the next answer to this method gets lost
}

// serve starts a page's own MCP server in a frame and waits for the hub to know it.
func (h *testHub) serve(f *cdptest.Frame, tools ...cdptest.Tool) *server {
	s := &server{MCPServer: cdptest.NewMCPServer(tools...), h: h, frame: f, asked: map[string]int{}, gates: map[string]chan struct{}{}}
	h.t.Cleanup(s.Stop)
	f.ServeMCP(s.handle)
	h.quiet()
	return s
}

// method is a payload's, or the whole payload if it is of the handshake.
func method(payload json.RawMessage) string {
	var r struct{ Method string }
	if json.Unmarshal(payload, &r) != nil {
		return string(payload)
	}
	return r.Method
}

func (s *server) handle(payload json.RawMessage) []json.RawMessage {
	m := method(payload)
	s.mu.Lock()
	s.asked[m]++
	s.last = payload
	gate := s.gates[m]
	lost := s.lose == m
	if lost {
		s.lose = ""
	}
	s.mu.Unlock()
	answers := s.Handle(payload)
	if lost {
		return nil
	}
	if gate != nil {
		<-gate
	}
	return answers
}

// hold keeps the answers to requests from now on back, until release is called.
func (s *server) hold(method string) (release func()) {
	gate := make(chan struct{})
	open := sync.OnceFunc(func() { close(gate) })
	s.h.t.Cleanup(open) // after a failure
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gates[method] = gate
	return func() {
		s.mu.Lock()
		if s.gates[method] == gate {
			delete(s.gates, method)
		}
		s.mu.Unlock()
		open()
		synctest.Wait()
	}
}

// loseNext has the next answer to method get lost.
func (s *server) loseNext(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lose = method
}

// requests counts the requests of a method.
func (s *server) requests(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[method]
}

// change replaces the server's tools and says so.
func (s *server) change(tools ...cdptest.Tool) {
	s.SetTools(tools...)
	s.frame.FromPage(cdptest.ListChanged)
	synctest.Wait()
}

const (
	stopped = `"mcp-server-stopped"`
	ready   = `"mcp-server-ready"`
)

// say sends any payload as the page's server.
func (s *server) say(payload string) {
	s.frame.FromPage(json.RawMessage(payload))
	synctest.Wait()
}

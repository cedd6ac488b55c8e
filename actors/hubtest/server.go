package hubtest

import (
	"encoding/json"
	"sync"
	"testing/synctest"

	"webmcphub/cdpclient/cdptest"
)

// Server is a page's own MCP server that can hold back its answers. An answer has what the server had when it was
// asked.
type Server struct {
	*cdptest.MCPServer
	H     *TestHub
	Frame *cdptest.Frame

	Mu    sync.Mutex
	Asked map[string]int           // requests by method
	Last  json.RawMessage          // the newest payload
	Gates map[string]chan struct{} // by method: answers wait for it
	lose  string                   // the next answer to this method gets lost
}

// Serve starts a page's own MCP server in a frame and waits for the hub to know it.
func (h *TestHub) Serve(f *cdptest.Frame, tools ...cdptest.Tool) *Server {
	return h.ServeAll(f, cdptest.NewMCPServer(tools...))
}

// ServeAll does the same as Serve for a server that offers more than tools.
func (h *TestHub) ServeAll(f *cdptest.Frame, all *cdptest.MCPServer) *Server {
	s := &Server{MCPServer: all, H: h, Frame: f, Asked: map[string]int{}, Gates: map[string]chan struct{}{}}
	h.T.Cleanup(s.Stop)
	f.ServeMCP(s.Handle)
	h.Quiet()
	return s
}

// Method returns a payload's method, or the whole payload if it belongs to the handshake.
func Method(payload json.RawMessage) string {
	var r struct{ Method string }
	if json.Unmarshal(payload, &r) != nil {
		return string(payload)
	}
	return r.Method
}

// Handle answers a payload, now or when its gate opens.
func (s *Server) Handle(payload json.RawMessage) []json.RawMessage {
	m := Method(payload)
	s.Mu.Lock()
	s.Asked[m]++
	s.Last = payload
	gate := s.Gates[m]
	lost := s.lose == m
	if lost {
		s.lose = ""
	}
	s.Mu.Unlock()
	answers := s.MCPServer.Handle(payload)
	if lost {
		return nil
	}
	if gate != nil {
		<-gate
	}
	return answers
}

// Hold holds back the answers to requests from now on, until release is called.
func (s *Server) Hold(method string) (release func()) {
	gate := make(chan struct{})
	open := sync.OnceFunc(func() { close(gate) })
	s.H.T.Cleanup(open) // after a failure
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Gates[method] = gate
	return func() {
		s.Mu.Lock()
		if s.Gates[method] == gate {
			delete(s.Gates, method)
		}
		s.Mu.Unlock()
		open()
		synctest.Wait()
	}
}

// LoseNext makes the next answer to method get lost.
func (s *Server) LoseNext(method string) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.lose = method
}

// Requests counts the requests of a method.
func (s *Server) Requests(method string) int {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Asked[method]
}

// Change replaces the server's tools and announces that.
func (s *Server) Change(tools ...cdptest.Tool) {
	s.SetTools(tools...)
	s.Frame.FromPage(cdptest.ListChanged)
	synctest.Wait()
}

// What a server of @mcp-b/global says when it stops, and when it is ready.
const (
	Stopped = `"mcp-server-stopped"`
	Ready   = `"mcp-server-ready"`
)

// Say sends any payload as the page's server.
func (s *Server) Say(payload string) {
	s.Frame.FromPage(json.RawMessage(payload))
	synctest.Wait()
}

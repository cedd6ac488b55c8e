package mcpserver

import (
	"bufio"
	"net/http"
	"strconv"
	"strings"
	"time"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/wire"
)

// sse writes server-sent events as the response to one HTTP request. It belongs to the goroutine that answers the
// request.
type sse struct {
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
	buffer  *bufio.Writer
}

func newSSE(w http.ResponseWriter) *sse {
	return &sse{w: w, control: http.NewResponseController(w)}
}

// begin sends the header, so that the client knows that it is connected.
func (s *sse) begin() error {
	if s.begun {
		return nil
	}
	s.begun = true
	s.buffer = bufio.NewWriterSize(s.w, 16<<10)
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-store")
	h.Set("X-Accel-Buffering", "no")
	_ = s.control.SetWriteDeadline(time.Now().Add(writeLimit))
	s.w.WriteHeader(http.StatusOK)
	return s.control.Flush()
}

// send writes events. It waits for a client that doesn't read, but no longer than [writeLimit].
func (s *sse) send(batch ...wire.Event) error {
	if err := s.begin(); err != nil {
		return err
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(writeLimit))
	for _, e := range batch {
		if e.Prime {
			s.buffer.WriteString("id: " + e.ID + "\ndata: \n\n")
			continue
		}
		s.buffer.WriteString("event: message\n")
		if e.ID != "" {
			s.buffer.WriteString("id: " + e.ID + "\n")
		}
		s.buffer.WriteString("data: ")
		s.buffer.Write(e.Message.Head)
		s.buffer.Write(e.Message.Body)
		s.buffer.WriteString("}\n\n")
	}
	return s.flush()
}

// comment writes a comment, which clients ignore.
func (s *sse) comment() error {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeLimit))
	s.buffer.WriteString(": \n\n")
	return s.flush()
}

func (s *sse) flush() error {
	if err := s.buffer.Flush(); err != nil { // it has the errors of all earlier writes
		return err
	}
	return s.control.Flush()
}

// writeJSON sends one message as a response of its own.
func writeJSON(w http.ResponseWriter, status int, f jsonrpc.Frame) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeLimit))
	if status == http.StatusNoContent {
		w.WriteHeader(status)
		return
	}
	if status == http.StatusServiceUnavailable && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", "60")
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(f.Size()-1))
	w.WriteHeader(status)
	for _, part := range [][]byte{f.Head, f.Body, []byte("}")} {
		if _, err := w.Write(part); err != nil {
			return // the client is gone
		}
	}
}

// accepts reports whether the Accept header allows a media type. Without the header all are allowed.
func accepts(req *http.Request, mediaType string) bool {
	values := req.Header.Values("Accept")
	if len(values) == 0 {
		return true
	}
	main, _, _ := strings.Cut(mediaType, "/")
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			part, _, _ = strings.Cut(part, ";")
			switch strings.ToLower(strings.TrimSpace(part)) {
			case mediaType, main + "/*", "*/*":
				return true
			}
		}
	}
	return false
}

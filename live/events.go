package live

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"
)

const (
	// updatePause is the shortest time between two updates for one viewer.
	updatePause = 100 * time.Millisecond
	// rest limits the cost of updates: a viewer waits at least rest times as long as the last update took to make. So
	// a storm of events takes only a small part of one processor.
	rest = 20
	// look is how often a viewer's update is made even if no change was reported. So viewers see changes that nobody
	// reports: those of clients and their focus.
	look = time.Second
	// alive is how often something is sent even if nothing changes, so that a broken connection is noticed.
	alive = 15 * time.Second
	// writeTime is how long a viewer may take to read an update.
	writeTime = 10 * time.Second
)

// events sends a viewer the sections that change.
func (s *Server) events(w http.ResponseWriter, r *http.Request, session string) {
	changed := s.store.join()
	if changed == nil {
		s.note(w, http.StatusServiceUnavailable, "Too many browsers follow this page",
			"Close some of its tabs, and reload this one.", "")
		return
	}
	defer s.store.leave(changed)
	w.Header().Set("Content-Type", "text/event-stream")
	filter := ReadFilter(r.URL.Query())
	ctx, leave := s.stay(r.Context(), session)
	defer leave()
	follow(ctx, s.log, changed, func(sent map[string][32]byte) ([]byte, error) {
		return s.update(filter, session, sent)
	}, writer(w))
}

// writer returns a function that writes to a viewer at once. The viewer has to read the text within [writeTime].
func writer(w http.ResponseWriter) func(text []byte) error {
	out := http.NewResponseController(w)
	return func(text []byte) error {
		if err := out.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		return out.Flush()
	}
}

// follow makes updates and writes them, until ctx ends or an update can't be written.
func follow(ctx context.Context, log *slog.Logger, changed <-chan struct{},
	update func(sent map[string][32]byte) ([]byte, error), write func([]byte) error) {
	sent := map[string][32]byte{}
	looks := time.NewTicker(look)
	defer looks.Stop()
	written := time.Now()
	for {
		began := time.Now()
		text, err := update(sent)
		if err != nil {
			log.Error("the live page can't be made", "err", err)
			return
		}
		if text == nil && began.Sub(written) > alive {
			text = []byte(": nothing new\n\n")
		}
		if text != nil {
			if write(text) != nil {
				return
			}
			written = time.Now()
		}
		pause := time.NewTimer(max(updatePause, rest*time.Since(began)))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return
		}
		select {
		case <-changed:
		case <-looks.C:
		case <-ctx.Done():
			return
		}
	}
}

// update returns an event with the sections that differ from those sent before, or nil if none does.
func (s *Server) update(f Filter, session string, sent map[string][32]byte) ([]byte, error) {
	return update(s.page(f, session), Sections, sent)
}

func update(p any, sections []string, sent map[string][32]byte) ([]byte, error) {
	parts := map[string]string{}
	for _, name := range sections {
		var b bytes.Buffer
		if err := Render(&b, name, p); err != nil {
			return nil, err
		}
		if sum := sha256.Sum256(b.Bytes()); sum != sent[name] {
			sent[name], parts[name] = sum, b.String()
		}
	}
	if len(parts) == 0 {
		return nil, nil
	}
	raw, err := json.Marshal(parts)
	return append(append([]byte("data: "), raw...), "\n\n"...), err
}

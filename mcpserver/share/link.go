package share

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
)

// link is the connection to whoever owns the hub.
type link struct {
	in  io.Reader
	out io.Writer
	// pid is the owner's process id, if the owner is another process; otherwise 0. view is the view that the owner
	// was told last.
	pid  int
	view json.RawMessage
	// rules says in words which rules the owner has that this process lacks.
	rules []string
	// files returns the files that have come since the last call; it is nil if none can come.
	files func() []*os.File
	// closeOut tells the owner that the client has gone. The owner's last answers may still come.
	closeOut func()
	close    func()
}

// linkToOwn returns a link within this process.
func linkToOwn(ctx context.Context, server Server) *link {
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	go func() {
		err := server.ServeStdio(ctx, theirIn, theirOut)
		_ = theirIn.CloseWithError(io.ErrClosedPipe)
		_ = theirOut.CloseWithError(err) // nil means the end of input
	}()
	return &link{
		in: ourIn, out: ourOut,
		closeOut: func() { _ = ourOut.Close() },
		close: func() {
			_ = ourOut.Close()
			_ = ourIn.Close()
		},
	}
}

// What a relay and an owner in another process send each other besides the client's messages; see control.go for the
// lines.

// passChanges sends changes of the client's view to owners that are other processes.
func (r *relay) passChanges(ctx context.Context) {
	for {
		var view json.RawMessage
		select {
		case view = <-r.o.Changes:
		case <-r.joined: // the view may have changed since this process said hello
			if r.o.View == nil {
				continue
			}
			view = r.o.View()
		case <-ctx.Done():
			return
		}
		r.mu.Lock()
		l := r.current
		r.mu.Unlock()
		if l != nil && l.pid != 0 && !bytes.Equal(view, l.view) {
			l.view = view
			_, _ = l.out.Write(append(append([]byte(viewPrefix), view...), '\n'))
		}
	}
}

// ownerLine handles a line from the owner itself, as opposed to a message from its hub.
func (r *relay) ownerLine(l *link, line []byte) {
	if state, ok := bytes.CutPrefix(line, []byte(statePrefix)); ok && soundLine(state, maxState) {
		r.handoff.setState(state)
		r.o.Logger.Debug("the owner has sent the state for its successor", "state", string(state))
	}
	if place, ok := bytes.CutPrefix(line, []byte(placePrefix)); ok && soundLine(place, maxView) {
		r.handoff.setPlace(place)
		r.o.Logger.Debug("the owner has sent where its client stands", "place", string(place))
	}
	if note, ok := bytes.CutPrefix(line, []byte(filesPrefix)); ok && l.files != nil {
		files := Files{Note: bytes.Clone(note)}
		if string(note) != noFiles { // the line may have been read together with the files of the next one
			files.Open = l.files()
		}
		if !files.sound() {
			files.Close()
			files = Files{}
		}
		r.handoff.hold(files)
		r.o.Logger.Debug("the owner has sent the files of its Chrome", "note", string(note), "files", len(files.Open))
	}
}

// cannotJoin is called with the reason why this process can't join the current owner. Unless that owner merely
// doesn't answer, it has a Chrome of its own, and the files that this process still holds must not keep the previous
// owner's Chrome alive.
func (r *relay) cannotJoin(taken *TakenError) {
	if !taken.hangs {
		r.handoff.drop()
	}
}

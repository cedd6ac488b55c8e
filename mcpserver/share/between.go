package share

import (
	"bytes"
	"context"
	"encoding/json"
)

// What a relay and an owner that is another process say to each other beside the
// client's messages; see control.go for the lines.

// passChanges tells owners that are other processes of the client's changed view.
func (r *relay) passChanges(ctx context.Context) {
	for {
		var view json.RawMessage
		select {
		case view = <-r.o.Changes:
		case <-r.joined: // it may have changed since this process said hello
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

// heardOwn handles what the owner itself says, as opposed to the messages of its hub.
func (r *relay) heardOwn(l *link, line []byte) {
	if will, ok := bytes.CutPrefix(line, []byte(willPrefix)); ok && soundLine(will, maxWill) {
		r.legacy.setWill(will)
		r.o.Logger.Debug("told what to go on with, should the owner end", "will", string(will))
	}
	if place, ok := bytes.CutPrefix(line, []byte(placePrefix)); ok && soundLine(place, maxView) {
		r.legacy.setPlace(place)
		r.o.Logger.Debug("told where its client stands", "place", string(place))
	}
	if note, ok := bytes.CutPrefix(line, []byte(filesPrefix)); ok && l.files != nil {
		files := Files{Note: bytes.Clone(note)}
		if string(note) != noFiles { // whose line may be read together with the next one's files
			files.Open = l.files()
		}
		if !files.sound() {
			files.Close()
			files = Files{}
		}
		r.legacy.hold(files)
		r.o.Logger.Debug("given what the owner's Chrome is reached by", "note", string(note), "files", len(files.Open))
	}
}

// cannotJoin is told why this process can't join the present owner. Unless that owner
// merely doesn't answer, it has a Chrome of its own, and the files that this process
// still holds must not keep the previous owner's Chrome alive.
func (r *relay) cannotJoin(taken *TakenError) {
	if !taken.hangs {
		r.legacy.drop()
	}
}

package recording

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"

	"webmcphub/internal/jsonrpc"
)

// These limit a recording.
const (
	// minSize has room for a header and for the line that says that the file is full.
	minSize = 4 << 10
	// maxWaiting is how many bytes of messages may wait to be written.
	maxWaiting = 64 << 20
	// delay is how long messages are collected before they are written.
	delay = 10 * time.Millisecond
	// share is how many messages are processed before callers get a turn: about 80 µs.
	share = 32
)

// Options say what to record, and where.
type Options struct {
	Path    string
	MaxSize int64 // in bytes
	Mask    Mask
	Names   []string // further parameters that are secret
	Emails  bool     // addresses of e-mail are secret, too
	By      string   // the program and its version
	Logger  *slog.Logger
}

// side says who sent a message.
type side byte

const (
	client side = iota
	hub
	ours // the hub's answer to the recorder's own request
)

// A Recorder is an open file. It stands between a client and a hub.
type Recorder struct {
	mu      sync.Mutex // guards what follows; nothing blocks under it
	texts   []byte     // of the waiting messages
	waiting []waiting
	lost    int // messages lost since the last line about that
	closed  bool

	wake chan struct{} // filled when something waits
	end  chan struct{} // closed by Close
	over chan struct{} // closed when everything is written
	log  *slog.Logger
	once sync.Once
}

// waiting is a message whose text ends at to.
type waiting struct {
	at   time.Time
	from side
	to   int
}

// Create starts a file. It keeps an existing recording as PATH.1, and replaces an older one there, unless the
// existing recording has no messages. It returns an error if a file with either name is no recording, and leaves that
// file alone.
func Create(o Options) (*Recorder, error) {
	o.MaxSize = max(o.MaxSize, minSize)
	if err := putAside(o.Path); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(o.Path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the recording can't be written: %w", err)
	}
	begin := time.Now()
	lines := newLineWriter(file, begin, o)
	lines.batch = append(jsonrpc.MustEncode(Header{Recording: Version, By: o.By,
		At: begin.UTC().Truncate(time.Microsecond), Mask: o.Mask}), '\n')
	lines.size = int64(len(lines.batch))
	if lines.write() {
		return nil, fmt.Errorf("the recording can't be written: %w", errors.Join(lines.err, file.Close()))
	}
	r := &Recorder{wake: make(chan struct{}, 1), end: make(chan struct{}), over: make(chan struct{}), log: o.Logger}
	go r.run(lines)
	return r, nil
}

// putAside renames an earlier recording. It doesn't keep one without messages, because a client that starts its
// servers twice would otherwise lose the recording before.
func putAside(path string) error {
	there, hasMessages, err := look(path)
	switch {
	case err != nil || !there:
		return err
	case !hasMessages:
		err = os.Remove(path)
	default:
		if _, _, err = look(path + ".1"); err == nil {
			err = os.Rename(path, path+".1")
		}
	}
	if err != nil {
		return fmt.Errorf("the existing recording can't be renamed: %w", err)
	}
	return nil
}

// look reports whether a recording exists, and whether it has messages. It returns an error if the file is no
// recording.
func look(path string) (there, hasMessages bool, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, false, nil
	case err != nil:
		return false, false, fmt.Errorf("the recording can't be written: %w", err)
	case !info.Mode().IsRegular():
		return false, false, fmt.Errorf("%s is not a regular file: name a new file for the recording",
			path)
	case info.Size() == 0:
		return true, false, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return false, false, fmt.Errorf("the existing recording can't be read: %w", err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	const start = `{"recording":`
	if begin, _ := in.Peek(len(start)); string(begin) != start {
		return false, false, fmt.Errorf("%s exists already, and is not a recording: name another file", path)
	}
	err = bufio.ErrBufferFull
	for errors.Is(err, bufio.ErrBufferFull) { // to the end of the header
		_, err = in.ReadSlice('\n')
	}
	_, over := in.Peek(1)
	return true, err == nil && over == nil, nil
}

// take copies messages, which are whole lines. It never blocks.
func (r *Recorder) take(from side, lines []byte) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	for message := range bytes.Lines(lines) {
		message = bytes.TrimSpace(message)
		switch {
		case len(message) == 0 || r.closed:
			continue
		case len(r.texts)+len(message) > maxWaiting:
			r.lost++
			continue
		}
		r.texts = append(r.texts, message...)
		r.waiting = append(r.waiting, waiting{now, from, len(r.texts)})
	}
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Close writes what waits and closes the file. Later messages are not recorded.
func (r *Recorder) Close() {
	r.once.Do(func() {
		r.mu.Lock()
		r.closed = true
		r.mu.Unlock()
		close(r.end)
	})
	<-r.over
}

// run is the only goroutine that writes.
func (r *Recorder) run(lines *lineWriter) {
	defer close(r.over)
	var texts []byte
	var all []waiting
	pause := time.NewTimer(delay)
	for open := true; open; {
		select {
		case <-r.wake:
			pause.Reset(delay)
			select {
			case <-pause.C:
			case <-r.end:
			}
		case <-r.end:
			open = false
		}
		var lost int
		r.mu.Lock()
		r.texts, texts = texts[:0], r.texts
		r.waiting, all = all[:0], r.waiting
		r.lost, lost = 0, r.lost
		r.mu.Unlock()
		wasFull := lines.full
		from := 0
		lines.mask.tools.forget(lost > 0)
		for i, w := range all {
			if i%share == share-1 {
				runtime.Gosched() // so that calls get the processor before everything is written
			}
			lines.message(w.at, w.from, texts[from:w.to])
			from = w.to
		}
		if lost > 0 {
			lines.lost(lost)
		}
		if lines.write() {
			r.log.Error("the recording can't be written; the session continues without it", "err", lines.err)
		}
		if lines.full && !wasFull {
			r.log.Warn("the recording has reached its limit; the session continues without it", "bytes", lines.max)
		}
		if cap(texts) > 1<<20 {
			texts = nil
		}
	}
	if err := errors.Join(lines.file.Sync(), lines.file.Close()); err != nil {
		r.log.Warn("the recording was not closed well", "err", err)
	}
}

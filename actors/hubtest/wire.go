package hubtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"webmcphub/actors/browser"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
)

// ChromeDialer reaches the fake Chrome, or fails as the test says.
type ChromeDialer struct {
	Chrome *cdptest.Browser
	Says   string // what a dial says that it waits for; "" for nothing. Set before the hub starts

	mu    sync.Mutex
	fail  func(attempt int) error   // nil: reach Chrome
	Hold  chan struct{}             // an attempt waits for it, whatever its context says
	edit  func(msg []byte) [][]byte // what is read instead of a message
	stall string                    // a message with this in it, and all behind it, waits for release
	gate  chan struct{}             // closed by release
	dials []time.Time
	wires []*tap
	start func(address func() string) // see Crashing
	end   error                       // what connections end with then
}

// Dial is the hub's.
func (d *ChromeDialer) Dial(ctx context.Context) (cdpclient.Wire, error) {
	d.mu.Lock()
	d.dials = append(d.dials, time.Now())
	n, fail, hold := len(d.dials), d.fail, d.Hold
	d.mu.Unlock()
	if d.Says != "" {
		browser.SetDialStatus(ctx, d.Says)
	}
	if hold != nil {
		<-hold
	}
	if fail != nil {
		if err := fail(n); err != nil {
			return nil, err
		}
	}
	d.mu.Lock()
	start := d.start
	d.mu.Unlock()
	if start != nil {
		start(func() string { return browser.ReopenAddress(ctx) })
	}
	w := &tap{Wire: d.Current().Connect(), d: d, closed: make(chan struct{})}
	d.mu.Lock()
	d.wires = append(d.wires, w)
	d.mu.Unlock()
	return w, nil
}

// Current returns the Chrome that the next dial reaches.
func (d *ChromeDialer) Current() *cdptest.Browser {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.Chrome
}

// Replace makes the next dial reach another Chrome.
func (d *ChromeDialer) Replace(b *cdptest.Browser) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Chrome = b
}

// Crashing has connections end as that to a Chrome does which the hub started and which crashes. Each dial from now on
// calls start, which asks for the address that the next Chrome is to open if it starts one.
func (d *ChromeDialer) Crashing(start func(address func() string)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.start, d.end = start, cdpclient.ErrCrashed
}

// EndingWith makes connections end with another error than [ChromeDialer.Crashing] does.
func (d *ChromeDialer) EndingWith(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.end = err
}

// Attempts returns the times of all dials.
func (d *ChromeDialer) Attempts() []time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]time.Time(nil), d.dials...)
}

// FailWith makes dials fail with the errors that f returns. Attempts are counted from 1.
func (d *ChromeDialer) FailWith(f func(attempt int) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = f
}

// Editing replaces each message that Chrome sends by what f returns.
func (d *ChromeDialer) Editing(f func(msg []byte) [][]byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.edit = f
}

// Dropping loses the messages that contain text.
func (d *ChromeDialer) Dropping(text string) {
	d.Editing(func(msg []byte) [][]byte {
		if bytes.Contains(msg, []byte(text)) {
			return nil
		}
		return [][]byte{msg}
	})
}

// StallAt holds back the next message that contains text, and all later ones, until release is called.
func (d *ChromeDialer) StallAt(text string) (release func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	gate := make(chan struct{})
	d.stall, d.gate = text, gate
	return sync.OnceFunc(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.stall = ""
		close(gate)
	})
}

// Close ends all stalling, for the end of a test.
func (d *ChromeDialer) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stall, d.fail = "", func(int) error { return errors.New("the test is over") }
	for _, w := range d.wires {
		w.once.Do(func() { close(w.closed) })
	}
}

// Open returns how many wires the hub has not closed.
func (d *ChromeDialer) Open() (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range d.wires {
		select {
		case <-w.closed:
		default:
			n++
		}
	}
	return n
}

// tap is a wire whose incoming messages the test can hold back, change or lose.
type tap struct {
	cdpclient.Wire
	d      *ChromeDialer
	next   [][]byte // used by the reader only
	closed chan struct{}
	once   sync.Once
}

func (w *tap) Read() ([]byte, error) {
	for {
		if len(w.next) > 0 {
			msg := w.next[0]
			w.next = w.next[1:]
			return msg, nil
		}
		msg, err := w.Wire.Read()
		w.d.mu.Lock()
		if err != nil && w.d.start != nil {
			err = fmt.Errorf("%w (%w)", w.d.end, err)
		}
		if err != nil {
			w.d.mu.Unlock()
			return nil, err
		}
		edit, gate := w.d.edit, w.d.gate
		if w.d.stall == "" || !bytes.Contains(msg, []byte(w.d.stall)) {
			gate = nil
		}
		w.d.mu.Unlock()
		if gate != nil {
			select {
			case <-gate:
			case <-w.closed:
				return nil, io.ErrClosedPipe
			}
		}
		if edit == nil {
			return msg, nil
		}
		w.next = edit(msg)
	}
}

func (w *tap) Close() error {
	w.once.Do(func() { close(w.closed) })
	return w.Wire.Close()
}

// logbook records what is logged.
type logbook struct {
	mu      sync.Mutex
	records []slog.Record
}

func (l *logbook) Enabled(context.Context, slog.Level) bool { return true }
func (l *logbook) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *logbook) WithGroup(string) slog.Handler            { return l }

func (l *logbook) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, r)
	return nil
}

// Count counts the records of at least level that contain text.
func (l *logbook) Count(level slog.Level, text string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.records {
		if r.Level >= level && strings.Contains(r.Message, text) {
			n++
		}
	}
	return n
}

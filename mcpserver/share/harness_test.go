package share

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"webmcphub/internal/jsonrpc"
)

// enough is how long tests wait for what should come at once.
const enough = time.Minute

// fakeHub answers a few methods. tools/call is never answered; held methods
// are answered by other hubs only.
type fakeHub struct {
	name     string
	held     string
	bye      string      // said to a client that has gone
	received chan string // every line; nil where a test asks for none of them
	stopped  atomic.Int32
	left     atomic.Int32 // it was stopped and others held its files

	mu     sync.Mutex
	views  []string // of its guests
	places []string // likewise
	moved  []func(json.RawMessage)
	state  string
	files  Files
	owner  Owner
}

func newFakeHub(name string) *fakeHub {
	return &fakeHub{name: name, received: make(chan string, 10_000)}
}

func (f *fakeHub) Stop(held bool) {
	f.stopped.Add(1)
	if held {
		f.left.Add(1)
	}
}

func (f *fakeHub) Files() Files {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.files
}

// hear keeps a line for the test, until ctx ends where it keeps too many already.
func (f *fakeHub) hear(ctx context.Context, line string) {
	if f.received == nil {
		return
	}
	select {
	case f.received <- line:
	case <-ctx.Done():
	}
}

// movers tell its guests where their clients stand.
func (f *fakeHub) movers() []func(json.RawMessage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.moved)
}

func (f *fakeHub) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ended := make(chan error, 1)
	go func() { ended <- f.serve(ctx, in, out) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (f *fakeHub) ServeGuest(ctx context.Context, g Guest, in io.Reader, out io.Writer) error {
	f.mu.Lock()
	f.views = append(f.views, string(g.View))
	f.places = append(f.places, string(g.Place))
	f.moved = append(f.moved, g.Moved)
	f.mu.Unlock()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for {
			select {
			case view := <-g.Changes:
				f.hear(watching, "view "+string(view))
			case <-watching.Done():
				return
			}
		}
	}()
	return f.ServeStdio(ctx, in, out)
}

func (f *fakeHub) State() json.RawMessage {
	f.mu.Lock()
	defer f.mu.Unlock()
	return json.RawMessage(f.state)
}

func (f *fakeHub) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	messages := jsonrpc.NewLineReader(in, 1<<20)
	for {
		line, err := messages.Next()
		if err == io.EOF {
			if f.bye != "" {
				_, err = io.WriteString(out, f.bye+"\n")
				return err
			}
			return nil
		}
		if err != nil {
			return err
		}
		f.hear(ctx, string(line))
		if a := f.answer(line); a != "" {
			if _, err := io.WriteString(out, a+"\n"); err != nil {
				return err
			}
		}
	}
}

func (f *fakeHub) answer(line []byte) string {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal(line, &m) != nil {
		return `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"garbage"}}`
	}
	switch {
	case m.Method == "ask me":
		return `{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}}`
	case m.ID == nil, m.Method == "", m.Method == "tools/call", m.Method == f.held:
		return ""
	case m.Method == "initialize":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{}}}}`, m.ID)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"hub":%q}}`, m.ID, f.name)
}

// process stands for a webmcp-hub process with its client.
type process struct {
	t       *testing.T
	hub     *fakeHub
	started atomic.Bool // it has come to own the hub
	in      *io.PipeWriter
	said    chan string // to the client; closed at the end
	kill    context.CancelFunc
	ended   chan struct{}
	err     error
	log     *logBuffer
}

type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func newDir(t *testing.T) string { return filepath.Join(t.TempDir(), "d") }

func start(t *testing.T, dir, name string, change ...func(*process, *Options)) *process {
	t.Helper()
	p := &process{t: t, hub: newFakeHub(name), said: make(chan string, 10_000), ended: make(chan struct{}), log: &logBuffer{}}
	o := Options{
		Key: "one Chrome", tuning: tuning{dir: dir}, MaxLine: 1000,
		Logger: slog.New(slog.NewTextHandler(p.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Start: func(owner Owner) (Hub, error) {
			p.hub.mu.Lock()
			p.hub.owner = owner
			p.hub.mu.Unlock()
			if p.started.Swap(true) {
				t.Errorf("%s was started twice", name)
			}
			return p.hub, nil
		},
	}
	for _, c := range change {
		c(p, &o)
	}
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	p.in = stdin
	ctx, cancel := context.WithCancel(context.Background())
	p.kill = cancel
	go func() {
		defer close(p.said)
		for messages := jsonrpc.NewLineReader(stdout, 1<<20); ; {
			line, err := messages.Next()
			if err != nil {
				return
			}
			p.said <- string(line)
		}
	}()
	go func() {
		defer close(p.ended)
		p.err = Run(ctx, o, in, out)
		_ = in.Close()
		_ = out.Close()
	}()
	t.Cleanup(func() {
		p.kill()
		<-p.ended
		if t.Failed() {
			t.Logf("%s logged:\n%s", name, p.log)
		}
	})
	return p
}

func (p *process) write(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatalf("%s's input: %v", p.hub.name, err)
	}
}

func (p *process) read() string {
	p.t.Helper()
	select {
	case line, ok := <-p.said:
		if !ok {
			p.t.Fatalf("%s has ended: %v", p.hub.name, p.err)
		}
		return line
	case <-time.After(enough):
		p.t.Fatalf("%s says nothing", p.hub.name)
	}
	return ""
}

func (p *process) want(lines ...string) {
	p.t.Helper()
	for _, want := range lines {
		if got := p.read(); got != want {
			p.t.Errorf("%s's client got\n%s, want\n%s", p.hub.name, got, want)
		}
	}
}

// whoami asks which hub serves this process's client.
func (p *process) whoami() string {
	p.t.Helper()
	p.write(`{"jsonrpc":"2.0","id":"who","method":"whoami"}`)
	var m struct {
		ID     string
		Result struct{ Hub string }
	}
	if line := p.read(); json.Unmarshal([]byte(line), &m) != nil || m.ID != "who" {
		p.t.Fatalf("%s's client got %s", p.hub.name, line)
	}
	return m.Result.Hub
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"me"}}}`
const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func (p *process) initialize() {
	p.t.Helper()
	p.write(initialize)
	p.want(`{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{}}}}`)
	p.write(initialized)
}

// logs waits until the process has logged that so many times.
func (p *process) logs(text string, times int) {
	p.t.Helper()
	for begun := time.Now(); strings.Count(p.log.String(), text) < times; {
		if time.Since(begun) > enough {
			p.t.Fatalf("%s didn't log %q %d times", p.hub.name, text, times)
		}
		runtime.Gosched()
	}
}

// servedBy asks until another hub than the one that ended answers.
func (p *process) servedBy() (hub string) {
	p.t.Helper()
	for hub == "" { // asked just when the last one ended
		hub = p.whoami()
	}
	return hub
}

// wait waits for the process's end.
func (p *process) wait() error {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(enough):
		p.t.Fatalf("%s doesn't end", p.hub.name)
	}
	return p.err
}

// hears waits until a hub is told what begins like this.
func (f *fakeHub) hears(t *testing.T, line string) {
	t.Helper()
	select {
	case got := <-f.received:
		if got != line {
			t.Errorf("%s received\n%s, want\n%s", f.name, got, line)
		}
	case <-time.After(enough):
		t.Fatalf("%s doesn't hear %s", f.name, line)
	}
}

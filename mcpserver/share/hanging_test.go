package share

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// standIn answers every request with why its client can't have a hub.
type standIn struct{ why func() error }

func (s standIn) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ended := make(chan error, 1)
	go func() {
		messages := bufio.NewScanner(in)
		for messages.Scan() {
			var m struct{ ID json.RawMessage }
			if json.Unmarshal(messages.Bytes(), &m) == nil && m.ID != nil {
				said, _ := json.Marshal(s.why().Error())
				fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"hub":%s}}`+"\n", m.ID, said)
			}
		}
		ended <- messages.Err()
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func standsIn(_ *process, o *Options) {
	o.StandIn = func(why func() error) Server { return standIn{why} }
	o.beat = 50 * time.Millisecond
}

// until asks which hub serves the client, again and again.
func (p *process) until(want string) {
	p.t.Helper()
	var got string
	for end := time.Now().Add(enough); time.Now().Before(end); {
		p.write(`{"jsonrpc":"2.0","id":"who","method":"whoami"}`)
		for {
			line := p.read()
			var m struct {
				ID     string
				Result struct{ Hub string }
			}
			if json.Unmarshal([]byte(line), &m) == nil && m.ID == "who" {
				got = m.Result.Hub
				break
			}
		}
		if got == want || len(want) > 1 && strings.Contains(got, want) {
			return
		}
	}
	p.t.Fatalf("%s is served by %q, want %q", p.hub.name, got, want)
}

// TestAClientIsServedWhoseHubDiffers: it is told why, and has its hub as soon
// as the other one has gone.
func TestAClientIsServedWhoseHubDiffers(t *testing.T) {
	dir := newDir(t)
	set := func(value string) func(*process, *Options) {
		return func(_ *process, o *Options) { o.Settings = []Setting{{"--naming", value}} }
	}
	a := start(t, dir, "a", set("webmcp"))
	a.whoami()
	b := start(t, dir, "b", set("mcpb"), standsIn)
	b.write(initialize)
	if got := b.read(); !strings.Contains(got, "it has --naming webmcp, this one mcpb") || !strings.Contains(got, fmt.Sprint(os.Getpid())) {
		t.Errorf("initialize was answered %s", got)
	}
	b.until("it has --naming webmcp")
	if b.started.Load() {
		t.Error("a second hub was started")
	}
	_ = a.in.Close()
	if err := a.wait(); err != nil {
		t.Error(err)
	}
	b.until("b")
	b.kill()
	if err := b.wait(); err != nil || b.hub.stopped.Load() != 1 {
		t.Errorf("%v, stopped %d times", err, b.hub.stopped.Load())
	}
	// One that never gets there ends with its client.
	c := start(t, dir, "c", set("webmcp"))
	c.whoami()
	d := start(t, dir, "d", set("mcpb"), standsIn)
	d.until("it has --naming webmcp")
	_ = d.in.Close()
	if err := d.wait(); err != nil || d.started.Load() {
		t.Errorf("%v, started: %v", err, d.started.Load())
	}
}

// TestAnOwnerWithoutRulesTakesOver: a client with rules is never served by it, not even what was asked of the owner
// before, which had the rules. It is served again where they hold.
func TestAnOwnerWithoutRulesTakesOver(t *testing.T) {
	dir := newDir(t)
	rules := func(deny string) func(*process, *Options) {
		return func(p *process, o *Options) {
			p.hub.held = "tools/list"
			o.Settings, o.Rules = []Setting{{"--deny", deny}}, [][]string{{"--deny"}}
		}
	}
	a := start(t, dir, "a", rules("bank"))
	a.whoami()
	strict := start(t, dir, "strict", rules("bank"), standsIn, func(p *process, _ *Options) { p.said = make(chan string) })
	strict.initialize()
	strict.until("a")
	free := start(t, dir, "free", rules(""), standsIn)
	free.initialize()
	free.until("a")
	// A client that doesn't read what became of its calls keeps its process from being the first to take over. What
	// only reads is asked again of the next owner.
	for id := range 3 {
		strict.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"pay"}}`, id))
	}
	strict.write(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`)
	for range 4 {
		<-a.hub.received
	}
	a.kill()
	free.until("free")
	for range 3 {
		if got := strict.read(); !strings.Contains(got, lostText) {
			t.Errorf("a call was answered %s", got)
		}
	}
	strict.until("it has --deny not set, this one bank")
	strict.write(`{"jsonrpc":"2.0","id":"buy","method":"tools/call","params":{"name":"buy"}}`)
	if got := strict.read(); !strings.Contains(got, `"id":"buy"`) || !strings.Contains(got, "it has --deny not set") {
		t.Errorf("a call was answered %s", got)
	}
	for len(free.hub.received) > 0 {
		if line := <-free.hub.received; strings.Contains(line, `"tools/`) {
			t.Errorf("the owner without rules was asked by the client with rules: %s", line)
		}
	}
	free.kill()
	strict.until("strict")
}

// gate holds up the bytes of an owner's connections, as a process does that is
// stopped.
type gate struct {
	net.Listener
	open chan chan struct{} // holds the channel that is closed while they may pass
}

func newGate() *gate {
	g := &gate{open: make(chan chan struct{}, 1)}
	c := make(chan struct{})
	close(c)
	g.open <- c
	return g
}

func (g *gate) stop() { <-g.open; g.open <- make(chan struct{}) }

func (g *gate) carryOn() { c := <-g.open; close(c); g.open <- c }

func (g *gate) pass() {
	c := <-g.open
	g.open <- c
	<-c
}

func (g *gate) Accept() (net.Conn, error) {
	conn, err := g.Listener.Accept()
	if err != nil {
		return nil, err
	}
	g.pass()
	return gated{conn.(*net.UnixConn), g}, nil
}

type gated struct {
	*net.UnixConn
	gate *gate
}

func (c gated) Read(p []byte) (int, error) {
	n, err := c.UnixConn.Read(p)
	c.gate.pass()
	return n, err
}

func (c gated) Write(p []byte) (int, error) {
	c.gate.pass()
	return c.UnixConn.Write(p)
}

// TestAnOwnerThatHangs: its guests notice within the bound and say so, and go on
// with it when it continues.
func TestAnOwnerThatHangs(t *testing.T) {
	dir := newDir(t)
	g := newGate()
	a := start(t, dir, "a", func(_ *process, o *Options) { o.wrap = func(l net.Listener) net.Listener { g.Listener = l; return g } })
	a.whoami()
	b := start(t, dir, "b", standsIn)
	b.initialize()
	b.until("a")
	// A call that takes long is no sign of hanging.
	b.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`)
	for range 20 {
		b.until("a")
	}
	g.stop()
	begun := time.Now()
	if got := b.read(); !strings.Contains(got, `"id":1`) || !strings.Contains(got, "doesn't answer") || !strings.Contains(got, fmt.Sprintf("kill -9 %d", os.Getpid())) || !strings.Contains(got, `"isError":true`) {
		t.Errorf("the call was answered %s", got)
	}
	t.Logf("noticed after %v", time.Since(begun))
	b.until("doesn't answer")
	if b.started.Load() {
		t.Error("a second hub was started while the first one may go on")
	}
	g.carryOn()
	b.until("a")
	b.whoami()
}

// TestAnOwnerThatHangsWhereThereMayBeSeveral: the guest has a hub of its own then.
func TestAnOwnerThatHangsWhereThereMayBeSeveral(t *testing.T) {
	dir := newDir(t)
	g := newGate()
	several := func(_ *process, o *Options) { o.ManyHubs = true }
	a := start(t, dir, "a", several, func(_ *process, o *Options) { o.wrap = func(l net.Listener) net.Listener { g.Listener = l; return g } })
	a.whoami()
	b := start(t, dir, "b", several, standsIn)
	b.initialize()
	b.until("a")
	g.stop()
	b.until("b")
	g.carryOn()
}

func TestViewsOfGuests(t *testing.T) {
	dir := newDir(t)
	a := start(t, dir, "a", func(_ *process, o *Options) {
		o.CheckView = func(v json.RawMessage) error {
			if strings.Contains(string(v), "bad") {
				return errors.New("it is bad")
			}
			return nil
		}
	})
	a.whoami()
	changes := make(chan json.RawMessage)
	b := start(t, dir, "b", func(_ *process, o *Options) {
		o.View, o.Changes = func() json.RawMessage { return json.RawMessage(`{"mode":"focus"}`) }, changes
	})
	b.whoami()
	a.hub.mu.Lock()
	if len(a.hub.views) != 1 || a.hub.views[0] != `{"mode":"focus"}` {
		t.Errorf("the owner has the views %q", a.hub.views)
	}
	a.hub.mu.Unlock()
	for len(a.hub.received) > 0 {
		<-a.hub.received
	}
	changes <- json.RawMessage(`"bad"`)
	changes <- json.RawMessage(`{"unlisted":true}`)
	a.hub.hears(t, `view {"unlisted":true}`)
	// What its client says is never taken for the process's own word.
	b.write(`#view {"mode":"all"}`)
	a.hub.hears(t, `#view {"mode":"all"}`) // as garbage
	b.want(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"garbage"}}`)

	c := start(t, dir, "c", func(_ *process, o *Options) {
		o.View = func() json.RawMessage { return json.RawMessage(`"bad"`) }
	})
	var taken *TakenError
	if err := c.wait(); !errors.As(err, &taken) || !strings.Contains(err.Error(), "it is bad") {
		t.Errorf("got %v", err)
	}
}

// TestTheStateOfAnOwner reaches whoever takes its place, however it ends.
func TestTheStateOfAnOwner(t *testing.T) {
	dir := newDir(t)
	a := start(t, dir, "a", func(p *process, _ *Options) { p.hub.state = `"first"` })
	a.whoami()
	b := start(t, dir, "b")
	b.initialize()
	b.whoami()
	a.hub.mu.Lock()
	a.hub.state = `"last"`
	changed := a.hub.owner.StateChanged
	a.hub.mu.Unlock()
	changed()
	b.logs("last", 1) // the relay says what it was told
	a.kill()
	b.until("b")
	b.hub.mu.Lock()
	defer b.hub.mu.Unlock()
	if got := string(b.hub.owner.Previous); got != `"last"` {
		t.Errorf("the previous state is %s", got)
	}
}

// TestLinesBesideMessages: they never come between the parts of a message.
func TestLinesBesideMessages(t *testing.T) {
	var out bytes.Buffer
	w := newGuestWriter(&out)
	for _, part := range []string{`{"a`, `":1}`, "\n", "{}\n", `{"b":2}` + "\n" + `{"c`} {
		w.note(pong, ownLine{})
		if err := w.flush(); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, part)
	}
	for _, state := range []string{"1", "2"} {
		w.note(statePrefix, ownLine{rest: []byte(state)})
		_ = w.flush()
	}
	_, _ = io.WriteString(w, "\":3}\n")
	for _, line := range []string{`{"a":1}`, `{}`, `{"b":2}`, `{"c":3}`, pong, "#will 2"} {
		if !strings.Contains("\n"+out.String(), "\n"+line+"\n") {
			t.Errorf("%q lacks %s", out.String(), line)
		}
	}
	if strings.Contains(out.String(), "#will 1") {
		t.Error("an old state was sent")
	}

	var received []string
	long := strings.Repeat("x", 100)
	g := &guestReader{in: bufio.NewReaderSize(strings.NewReader("#ping\n{\"a\":\"#\"}\n#"+long+"\n "+long+"\n#ping\n{\"half"), 16), onOwnLine: func(line []byte) { received = append(received, string(line)) }}
	got, err := io.ReadAll(g)
	if want := "{\"a\":\"#\"}\n " + long + "\n{\"half"; err != nil || string(got) != want || fmt.Sprint(received) != "[#ping #ping]" {
		t.Errorf("got %q, %q, %v", got, received, err)
	}
}

package share

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestStartsAtOnceHaveOneOwner(t *testing.T) {
	for range 20 {
		dir := newDir(t)
		var all []*process
		for i := range 6 {
			all = append(all, start(t, dir, fmt.Sprint("hub", i)))
		}
		owner := ""
		for _, p := range all {
			if got := p.whoami(); owner == "" {
				owner = got
			} else if got != owner {
				t.Fatalf("%s is served by %s, the first by %s", p.hub.name, got, owner)
			}
		}
		for _, p := range all {
			if p.started.Load() != (p.hub.name == owner) {
				t.Errorf("%s started: %v; the owner is %s", p.hub.name, p.started.Load(), owner)
			}
		}
		for _, p := range all { // not above: who is left when the owner ends takes over
			p.kill()
		}
		for _, p := range all {
			if err := p.wait(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestAnotherTakesOver(t *testing.T) {
	dir := newDir(t)
	a := start(t, dir, "a", func(p *process, _ *Options) { p.hub.held = "tools/list" })
	a.whoami()
	b, c := start(t, dir, "b"), start(t, dir, "c")
	for _, p := range []*process{b, c} {
		p.initialize()
		if got := p.whoami(); got != "a" {
			t.Fatalf("%s is served by %s", p.hub.name, got)
		}
	}
	// b has a call and a list in flight, and the owner asks it something.
	b.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay"}}`)
	b.write(`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
	b.write(`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"x"}}`)
	b.want(`{"jsonrpc":"2.0","id":3,"result":{"hub":"a"}}`) // answered, so not lost
	b.write(`{"jsonrpc":"2.0","id":4,"method":"ask me"}`)
	b.want(`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}}`)
	b.write(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"cancelled"}}`)
	b.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	b.whoami()

	a.kill()
	if err := a.wait(); err != nil || a.hub.stopped.Load() != 1 {
		t.Errorf("the owner ended with %v, stopped %d times", err, a.hub.stopped.Load())
	}
	b.want(
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Error: `+lostText+`."}],"isError":true}}`,
		`{"jsonrpc":"2.0","id":4,"error":{"code":-32000,"message":"`+lostText+`"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"the webmcp-hub that asked has ended"}}`,
	)
	// In any order: the list, from the new owner, and that the lists changed.
	left := map[string]bool{
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`:   true,
		`{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`: true,
	}
	owner := b
	for range 3 {
		line := b.read()
		if strings.HasPrefix(line, `{"jsonrpc":"2.0","id":"l","result":`) {
			if strings.Contains(line, `"hub":"c"`) {
				owner = c
			}
		} else if !left[line] {
			t.Errorf("b's client got %s", line)
		}
		delete(left, line)
	}
	c.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`)

	b.write(`{"jsonrpc":"2.0","id":7,"result":{"too":"late"}}`) // must not reach the new owner
	for _, p := range []*process{b, c} {
		if got := p.whoami(); got != owner.hub.name {
			t.Errorf("%s is served by %s", p.hub.name, got)
		}
		if p.started.Load() != (p == owner) {
			t.Errorf("%s started: %v", p.hub.name, p.started.Load())
		}
	}
	received := map[string]int{}
	for len(owner.hub.received) > 0 {
		received[<-owner.hub.received]++
	}
	for line, n := range map[string]int{
		`{"jsonrpc":"2.0","id":"webmcp-hub-again-0","method":"initialize","params":{"clientInfo":{"name":"me"}}}`: 2,
		initialized: 2,
		`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`:      1,
		`{"jsonrpc":"2.0","id":"who","method":"whoami"}`:        2,
		`{"jsonrpc":"2.0","id":7,"result":{"too":"late"}}`:      0,
		`{"jsonrpc":"2.0","id":4,"method":"ask me"}`:            0,
		`{"jsonrpc":"2.0","id":3,"method":"resources/read"}`:    0,
		`{"jsonrpc":"2.0","id":"x","method":"nothing of this"}`: 0,
	} {
		if received[line] != n {
			t.Errorf("the new owner received %s %d times, want %d", line, received[line], n)
		}
	}

	// Once more: the last one is served by its own hub.
	owner.kill()
	_ = owner.wait()
	last := b
	if owner == b {
		last = c
	}
	last.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`)
	if got := last.whoami(); got != last.hub.name {
		t.Errorf("%s is served by %s", last.hub.name, got)
	}
	_ = last.in.Close()
	if err := last.wait(); err != nil || last.hub.stopped.Load() != 1 {
		t.Errorf("the last one ended with %v, stopped %d times", err, last.hub.stopped.Load())
	}
}

// TestTakeoverDuringInitialize: the answer that didn't come comes from the next owner.
func TestTakeoverDuringInitialize(t *testing.T) {
	dir := newDir(t)
	a := start(t, dir, "a", func(p *process, _ *Options) { p.hub.held = "initialize" })
	a.whoami()
	b := start(t, dir, "b")
	b.whoami()
	b.write(initialize)
	a.hub.hears(t, `{"jsonrpc":"2.0","id":"who","method":"whoami"}`)
	a.hub.hears(t, `{"jsonrpc":"2.0","id":"who","method":"whoami"}`)
	a.hub.hears(t, initialize)
	a.kill()
	b.want(`{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{}}}}`)
	if got := b.whoami(); got != "b" { // and no list_changed before it
		t.Errorf("served by %s", got)
	}
}

func TestAnOwnerStaysForItsGuests(t *testing.T) {
	dir := newDir(t)
	a := start(t, dir, "a")
	a.whoami()
	b := start(t, dir, "b")
	b.whoami()
	_ = a.in.Close()
	for range 3 {
		if got := b.whoami(); got != "a" {
			t.Fatalf("served by %s", got)
		}
	}
	c := start(t, dir, "c") // may still join
	if got := c.whoami(); got != "a" {
		t.Fatalf("served by %s", got)
	}
	_ = b.in.Close()
	if err := b.wait(); err != nil {
		t.Error(err)
	}
	select {
	case <-a.ended:
		t.Fatal("the owner didn't stay")
	default:
	}
	_ = c.in.Close()
	if err := c.wait(); err != nil {
		t.Error(err)
	}
	if err := a.wait(); err != nil || a.hub.stopped.Load() != 1 {
		t.Errorf("the owner ended with %v, stopped %d times", err, a.hub.stopped.Load())
	}
	if d := start(t, dir, "d"); d.whoami() != "d" {
		t.Error("the next one doesn't own the hub")
	}
}

// TestAnOwnerThatStopsLetsNobodyIn, so that its guests don't come back to it.
func TestAnOwnerThatStopsLetsNobodyIn(t *testing.T) {
	p, err := newHubPaths(newDir(t), "one Chrome")
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.own()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	log := slog.New(slog.DiscardHandler)
	h, err := openHost(ctx, Options{Logger: log, Start: func(Owner) (Hub, error) { return newFakeHub("a"), nil }}, s, Owner{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if g, _ := h.admit(nil, hello{}); g != nil {
		t.Error("a guest was let in")
	}
	h.close(ctx)
}

// TestAClientThatGoesHearsItsLastAnswers, also by way of the relay.
func TestAClientThatGoesHearsItsLastAnswers(t *testing.T) {
	dir := newDir(t)
	bye := func(p *process, _ *Options) { p.hub.bye = `{"jsonrpc":"2.0","id":"last","result":{}}` }
	a := start(t, dir, "a", bye)
	a.whoami()
	b, c := start(t, dir, "b", bye), start(t, dir, "c", bye)
	b.whoami()
	c.whoami()
	_ = b.in.Close()
	b.want(`{"jsonrpc":"2.0","id":"last","result":{}}`)
	if err := b.wait(); err != nil {
		t.Error(err)
	}
	a.kill()
	for c.whoami() != "c" { // the first question may have been lost with a
	}
	_ = c.in.Close()
	c.want(`{"jsonrpc":"2.0","id":"last","result":{}}`)
	if err := c.wait(); err != nil {
		t.Error(err)
	}
}

func TestGarbageFromAClient(t *testing.T) {
	dir := newDir(t)
	a := start(t, dir, "a")
	a.whoami()
	b := start(t, dir, "b")
	garbage := `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"garbage"}}`
	for _, line := range []string{"nonsense", "[]", `{"id":9,"method":"tools/call"`, "\x00\xff", `"text"`} {
		b.write(line)
		if line != "" {
			b.want(garbage)
		}
	}
	b.write(`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 1000) + `"}`)
	b.want(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is longer than 1000 bytes and was skipped"}}`)
	for _, line := range []string{`{}`, `{"method":4}`, `{"id":[1],"method":"initialize","params":3}`, `{"id":1,"id":2,"method":"x"}`, `{"result":1,"id":5}`} {
		b.write(line)
	}
	for b.read() != `{"jsonrpc":"2.0","id":2,"result":{"hub":"a"}}` {
	}
	for _, p := range []*process{a, b} {
		for {
			p.write(`{"jsonrpc":"2.0","id":"end","method":"whoami"}`)
			if p.read() == `{"jsonrpc":"2.0","id":"end","result":{"hub":"a"}}` {
				break
			}
		}
	}
}

// TestAGuestThatDoesNotRead holds up nobody, and ends when it is told to.
func TestAGuestThatDoesNotRead(t *testing.T) {
	dir := newDir(t)
	deaf := func(p *process, _ *Options) { p.hub.received = nil }
	a := start(t, dir, "a", deaf)
	a.whoami()
	var writing sync.WaitGroup
	t.Cleanup(writing.Wait) // when b has ended
	b := start(t, dir, "b", deaf, func(p *process, _ *Options) { p.said = make(chan string) })
	writing.Go(func() {
		for {
			if _, err := fmt.Fprintln(b.in, `{"jsonrpc":"2.0","id":1,"method":"whoami"}`); err != nil {
				return
			}
		}
	})
	for range 500 {
		a.whoami()
	}
	a.kill()
	if err := a.wait(); err != nil {
		t.Error(err)
	}
	b.kill()
	<-b.said // its last message stuck in the test's own pipe
	go func() {
		for range b.said {
		}
	}()
	if err := b.wait(); err != nil {
		t.Error(err)
	}
}

func TestSettingsMustBeTheSame(t *testing.T) {
	dir := newDir(t)
	set := func(value string, several bool) func(*process, *Options) {
		return func(_ *process, o *Options) {
			o.Settings, o.ManyHubs = []Setting{{"--mode", value}, {"--long", strings.Repeat("x", 100_000)}}, several
		}
	}
	a := start(t, dir, "a", set("all", false))
	a.whoami()
	b := start(t, dir, "b", set("focus", false))
	var taken *TakenError
	if err := b.wait(); !errors.As(err, &taken) || taken.PID == 0 || !strings.Contains(err.Error(), "it has --mode all, this one focus") {
		t.Errorf("got %v", err)
	}
	if c := start(t, dir, "c", set("focus", true)); c.whoami() != "c" || !strings.Contains(c.log.String(), "it has --mode all, this one focus") {
		t.Errorf("c is not on its own, or doesn't say why: %s", c.log)
	}
	if d := start(t, dir, "d", set("all", false)); d.whoami() != "a" {
		t.Error("d didn't join")
	}
	if e := start(t, dir, "e", func(_ *process, o *Options) { o.Key = "another Chrome" }); e.whoami() != "e" {
		t.Error("another Chrome was taken for the same")
	}
	if f := start(t, dir, "f", func(_ *process, o *Options) { o.Off = true }); f.whoami() != "f" {
		t.Error("one that doesn't share was made to")
	}
}

// TestRules: a process without rules joins an owner that has some, and says so. One with rules joins only an owner with
// the same.
func TestRules(t *testing.T) {
	dir := newDir(t)
	set := func(deny, flow string) func(*process, *Options) {
		return func(_ *process, o *Options) {
			o.Settings = []Setting{{"--naming", "webmcp"}, {"--allow", ""}, {"--deny", deny}, {"--flow", flow}}
			o.Rules = [][]string{{"--allow", "--deny"}, {"--flow"}}
		}
	}
	a := start(t, dir, "a", set("bank", "ask"))
	a.whoami()
	for name, rules := range map[string][2]string{"b": {"", "off"}, "c": {"bank", "off"}, "d": {"", "ask"}} {
		p := start(t, dir, name, set(rules[0], rules[1]))
		if got := p.whoami(); got != "a" {
			t.Errorf("%s is served by %s", name, got)
		}
		if said := p.log.String(); (rules[0] == "") != strings.Contains(said, "it has --deny bank") {
			t.Errorf("%s says %s", name, said)
		}
	}
	for _, rules := range [][2]string{{"shop", "off"}, {"", "enforce"}} {
		var taken *TakenError
		if err := start(t, dir, "refused", set(rules[0], rules[1])).wait(); !errors.As(err, &taken) {
			t.Errorf("with %v: %v", rules, err)
		}
	}
}

// TestGuestsWithTheRulesTakeOverFirst: a guest without the owner's rules lets one that has them take over, and joins
// it. If there is none, it takes over itself, and says that the rules don't hold any more.
func TestGuestsWithTheRulesTakeOverFirst(t *testing.T) {
	dir, waited := newDir(t), make(chan time.Time)
	with := func(deny string) func(*process, *Options) {
		return func(_ *process, o *Options) {
			o.Settings, o.Rules = []Setting{{"--deny", deny}}, [][]string{{"--deny"}}
			o.after = func(time.Duration) <-chan time.Time { return waited }
		}
	}
	const gone = "which no longer hold for any client: it has --deny bank"
	a := start(t, dir, "a", with("bank"))
	a.whoami()
	b, c := start(t, dir, "b", with("")), start(t, dir, "c", with("bank"))
	for _, p := range []*process{b, c} {
		if got := p.whoami(); got != "a" {
			t.Fatalf("%s is served by %s", p.hub.name, got)
		}
	}
	a.kill()
	_ = a.wait()
	if got := c.servedBy(); got != "c" {
		t.Errorf("c is served by %s", got)
	}
	close(waited)
	if got := b.servedBy(); got != "c" || strings.Contains(b.log.String(), gone) {
		t.Errorf("b is served by %s, logged %s", got, b.log)
	}
	c.kill()
	_ = c.wait()
	if got := b.servedBy(); got != "b" || !strings.Contains(b.log.String(), gone) {
		t.Errorf("b is served by %s, logged %s", got, b.log)
	}
}

// TestTwoVersions: after an update, old and new run side by side. They share a hub where that enforces what each asks
// for. Otherwise the refusal says to restart the older one's clients, and not to change flags.
func TestTwoVersions(t *testing.T) {
	dir := newDir(t)
	of := func(version string, settings ...Setting) func(*process, *Options) {
		return func(_ *process, o *Options) {
			o.Version, o.Settings = version, append([]Setting{{"--mode", "all"}}, settings...)
		}
	}
	a := start(t, dir, "a", of("1.0.0", Setting{"--gone", "[]"}))
	a.whoami()
	for name, more := range map[string][]Setting{"b": nil, "c": {{"--new", "false"}}} {
		p := start(t, dir, name, of("1.1.0", more...))
		if got := p.whoami(); got != "a" {
			t.Errorf("%s is served by %s", name, got)
		}
		if said := p.log.String(); !strings.Contains(said, "version 1.0.0, this one 1.1.0") {
			t.Errorf("%s doesn't say that versions differ: %s", name, said)
		}
	}
	for _, more := range [][]Setting{{{"--new", "true"}}, {{"--gone", "[x]"}}} {
		var taken *TakenError
		err := start(t, dir, "refused", of("1.1.0", more...)).wait()
		if !errors.As(err, &taken) || !strings.Contains(err.Error(), "it is version 1.0.0, this one 1.1.0") ||
			!strings.Contains(err.Error(), "restart the clients") || strings.Contains(err.Error(), "same flags") {
			t.Errorf("with %v: %v", more, err)
		}
	}
	err := start(t, dir, "refused", of("1.0.0", Setting{"--new", "true"})).wait()
	if err == nil || strings.Contains(err.Error(), "version") || !strings.Contains(err.Error(), "Start both with the same flags") {
		t.Errorf("of the same version: %v", err)
	}
}

func TestHubThatCannotStart(t *testing.T) {
	dir := newDir(t)
	broken := errors.New("no Chrome")
	a := start(t, dir, "a", func(_ *process, o *Options) { o.Start = func(Owner) (Hub, error) { return nil, broken } })
	if err := a.wait(); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if b := start(t, dir, "b"); b.whoami() != "b" {
		t.Error("the lock was not given back")
	}
}

func TestOwnerThatDoesNotAnswer(t *testing.T) {
	dir := newDir(t)
	p, err := newHubPaths(dir, "one Chrome")
	if err != nil {
		t.Fatal(err)
	}
	release, err := p.acquire() // and no socket
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	a := start(t, dir, "a", func(_ *process, o *Options) { o.patience = 50 * time.Millisecond })
	var taken *TakenError
	if err := a.wait(); !errors.As(err, &taken) || !strings.Contains(err.Error(), "doesn't answer") {
		t.Errorf("got %v", err)
	}
	b := start(t, dir, "b") // which is told to stop while it looks
	b.kill()
	if err := b.wait(); err != nil {
		t.Error(err)
	}
}

// TestAViewThatChangesWhileItJoins reaches the owner: hello had the old one, and
// there was nobody yet to tell the change.
func TestAViewThatChangesWhileItJoins(t *testing.T) {
	changes := make(chan json.RawMessage)
	r := newRelay(Options{Logger: slog.New(slog.DiscardHandler), Changes: changes, View: func() json.RawMessage { return json.RawMessage(`"new"`) }}, io.Discard)
	ctx, stop := context.WithCancel(t.Context())
	var tasks sync.WaitGroup
	tasks.Go(func() { r.passChanges(ctx) })
	changes <- json.RawMessage(`"new"`) // after the hello
	changes <- json.RawMessage(`"new"`) // the first one has been dealt with
	in, theirs := io.Pipe()
	hear, out := io.Pipe()
	l := &link{in: in, out: out, pid: 1, view: json.RawMessage(`"old"`), closeOut: func() {}, close: func() { _ = in.Close() }}
	tasks.Go(func() { _ = r.pass(ctx, l) })
	line, err := bufio.NewReader(hear).ReadString('\n')
	if line != viewPrefix+`"new"`+"\n" {
		t.Errorf("the owner is told %q %v", line, err)
	}
	stop()
	_ = theirs.Close()
	_ = hear.Close()
	tasks.Wait()
}

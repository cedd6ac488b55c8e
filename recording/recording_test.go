package recording

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"webmcphub/internal/jsonrpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// between is a client and a hub with a recorder between them, each held by the test.
type between struct {
	t        *testing.T
	path     string
	recorder *Recorder
	client   *os.File // what the client writes to
	hears    *bufio.Reader
	hub      io.Writer
	read     *bufio.Reader // what the hub reads
}

func record(t *testing.T, set ...func(*Options)) *between {
	t.Helper()
	o := Options{Path: filepath.Join(t.TempDir(), "session.jsonl"), MaxSize: 100 << 20, Mask: Secrets, By: "test",
		Logger: slog.New(slog.DiscardHandler)}
	for _, s := range set {
		s(&o)
	}
	r, err := Create(o)
	if err != nil {
		t.Fatal(err)
	}
	toHub, client, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	toClient, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in, hub := r.Tap(toHub, out)
	t.Cleanup(func() {
		r.Close()
		for _, f := range []*os.File{toHub, client, toClient, out} {
			_ = f.Close()
		}
	})
	return &between{t, o.Path, r, client, bufio.NewReader(toClient), hub, bufio.NewReader(in)}
}

// says has the client say something, which the hub reads as it is.
func (b *between) says(message string) {
	b.t.Helper()
	if _, err := io.WriteString(b.client, message+"\n"); err != nil {
		b.t.Fatal(err)
	}
	if got := b.reads(); got != message {
		b.t.Fatalf("the hub reads %s, and the client said %s", got, message)
	}
}

func (b *between) reads() string {
	b.t.Helper()
	line, err := b.read.ReadString('\n')
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

// answers has the hub say something, which the client reads as it is.
func (b *between) answers(message string) {
	b.t.Helper()
	b.writes(message)
	line, err := b.hears.ReadString('\n')
	if err != nil || line != message+"\n" {
		b.t.Fatalf("the client reads %s (%v), and the hub said %s", line, err, message)
	}
}

func (b *between) writes(message string) {
	b.t.Helper()
	if _, err := io.WriteString(b.hub, message+"\n"); err != nil {
		b.t.Fatal(err)
	}
}

// session ends the recording and reads it.
func (b *between) session() (*Session, string) {
	b.t.Helper()
	b.recorder.Close()
	text, err := os.ReadFile(b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	s, err := Read(bytes.NewReader(text))
	if err != nil {
		b.t.Fatalf("%v in\n%s", err, text)
	}
	return s, string(text)
}

// said are the lines of a session in short.
func said(s *Session) (all []string) {
	for _, l := range s.Lines {
		switch {
		case l.Client != nil:
			all = append(all, "> "+string(l.Client))
		case l.Hub != nil:
			all = append(all, "< "+string(l.Hub))
		default:
			all = append(all, "= "+string(l.Tools))
		}
	}
	return all
}

const (
	toolA   = `{"name":"a","inputSchema":{"type":"object","properties":{"hidden":{"type":"string","format":"password"}}}}`
	toolB   = `{"name":"b", "description":"with  blanks <&>"}`
	changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
)

// What was said is read as it was said, byte for byte; each definition is written once; and
// the tools are there after a change that the client didn't ask about.
func TestASession(t *testing.T) {
	b := record(t)
	want := []string{
		`> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`< {"jsonrpc":"2.0","id":1,"result":{"tools":[` + toolA + `,` + toolB + `]}}`,
		`> {"jsonrpc":"2.0","id":"x","method":"tools/call","params":{ "name":"b", "arguments":{"q":"1"} }}`,
		`< {"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"a  \u003c"}]}}`,
		`< ` + changed,
		`= {"tools":[` + toolB + `],"nextCursor":"n"}`,
		`> {"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`< {"jsonrpc":"2.0","id":2,"result":{"tools":[` + toolB + `,` + toolA + `],"resultType":"complete"}}`,
	}
	for _, w := range want {
		switch w[0] {
		case '>':
			b.says(w[2:])
		case '<':
			b.answers(w[2:])
		default:
			ask := b.reads() // with nothing from the client
			if want := `{"jsonrpc":"2.0","id":"webmcp-hub-record-1","method":"tools/list","params":{"_meta":{"webmcp-hub/peek":true}}}`; ask != want {
				t.Fatalf("the recorder asks %s", ask)
			}
			b.writes(`{"jsonrpc":"2.0","id":"webmcp-hub-record-1","result":` + w[2:] + `}`)
		}
	}
	s, text := b.session()
	if got := said(s); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if strings.Count(text, "with  blanks") != 1 || s.By != "test" || s.Mask != Secrets || s.Cut || s.Full || s.Lost != 0 {
		t.Errorf("the file is\n%s", text)
	}
	if info, err := os.Stat(b.path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// Requests by protocol 2026-07-28 say in each which it is; so does the recorder's.
func TestTheRecorderSpeaksTheClientsProtocol(t *testing.T) {
	b := record(t)
	b.says(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":1}}}`)
	b.answers(changed)
	if ask := b.reads(); !strings.HasSuffix(ask, `"params":{"_meta":{"webmcp-hub/peek":true,"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`) {
		t.Errorf("the recorder asks %s", ask)
	}
	b.answers(changed) // before its answer, which is old then
	b.writes(`{"jsonrpc":"2.0","id":"webmcp-hub-record-1","result":{"tools":[]}}`)
	if ask := b.reads(); !strings.Contains(ask, "webmcp-hub-record-2") {
		t.Errorf("the recorder asks %s", ask)
	}
}

// A message may come in pieces, and the recorder's own request never cuts one.
func TestPieces(t *testing.T) {
	b := record(t)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`
	if _, err := io.WriteString(b.client, call[:20]); err != nil {
		t.Fatal(err)
	}
	if got, err := b.read.Peek(20); err != nil || string(got) != call[:20] {
		t.Fatal(string(got), err)
	}
	b.answers(changed)
	if _, err := io.WriteString(b.client, call[20:]+"\n"); err != nil {
		t.Fatal(err)
	}
	if got := b.reads(); got != call {
		t.Fatalf("the hub reads %s", got)
	}
	if got := b.reads(); !strings.Contains(got, "webmcp-hub-record-1") {
		t.Fatalf("then it reads %s", got)
	}
	for _, part := range []string{`{"jsonrpc":"2.0","id":1,`, `"result":{}}` + "\n" + `{"jsonrpc"`, `:"2.0","id":"webmcp-hub-record-1","result":{"tools":[]}}` + "\n"} {
		if _, err := io.WriteString(b.hub, part); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := b.session()
	if got, want := strings.Join(said(s), "\n"), "< "+changed+"\n> "+call+"\n< {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n= {\"tools\":[]}"; got != want {
		t.Errorf("got\n%s", got)
	}
}

// No secret gets into the file, wherever it stands.
func TestSecrets(t *testing.T) {
	b := record(t, func(o *Options) { o.Names = []string{"member"} })
	b.says(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	b.answers(`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + toolA + `]}}`)
	b.says(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","arguments":{"password":"hush-1","list":[{"apiKey":{"deep":"hush-2"}}],"hidden":"hush-3","member":"hush-4","card_number":40001234,"q":"kept"},"_meta":{"progressToken":7}}}`)
	b.answers(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"you\":\"said hush-1, hush-2, hush-3 and 40001234\"}"}],"structuredContent":{"hush-1":"x hush-4","n":40001234}}}`)
	b.answers(`{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{}}`)
	b.says(`{"jsonrpc":"2.0","id":9,"result":{"action":"accept","content":{"pin":"hush-5"}}}`)
	s, text := b.session()
	got := said(s)
	if want := `> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","arguments":{"password":"[masked]","list":[{"apiKey":"[masked]"}],"hidden":"[masked]","member":"[masked]","card_number":"[masked]","q":"kept"},"_meta":{"progressToken":7}}}`; got[2] != want {
		t.Errorf("got  %s\nwant %s", got[2], want)
	}
	// A member's name stays, because what reads results asks for it.
	if want := `< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"you\":\"said [masked], [masked], [masked] and [masked]\"}"}],"structuredContent":{"hush-1":"x [masked]","n":"[masked]"}}}`; got[3] != want {
		t.Errorf("got  %s\nwant %s", got[3], want)
	}
	if strings.Contains(text, "hush-5") {
		t.Errorf("what a person answered is in the file: %s", text)
	}
}

// With everything masked, arguments are their hash, as in the audit log.
func TestEverythingMasked(t *testing.T) {
	b := record(t, func(o *Options) { o.Mask = Everything })
	b.says(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","arguments":{"q": "tea"}}}`)
	b.says(`{"jsonrpc":"2.0","id":9,"result":{"action":"accept","content":{"name":"Ann"}}}`)
	s, text := b.session()
	if strings.Contains(text, "tea") || strings.Contains(text, "Ann") {
		t.Errorf("arguments are in the file: %s", text)
	}
	if got, want := string(s.Lines[0].Client), `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}`; got != want || s.Lines[0].Hash != jsonrpc.HashArguments([]byte(`{"q":"tea"}`)) {
		t.Errorf("got %s, %s", got, s.Lines[0].Hash)
	}
}

// However a file is cut off, what is before is read.
func TestACutFile(t *testing.T) {
	b := record(t)
	b.says(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	b.answers(`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + toolA + `]}}`)
	_, text := b.session()
	header := strings.IndexByte(text, '\n') + 1
	for n := header; n <= len(text); n++ {
		s, err := Read(strings.NewReader(text[:n]))
		if err != nil {
			t.Fatalf("cut after %d: %v", n, err)
		}
		whole := text[n-1] == '\n'
		if s.Cut == whole && !strings.HasSuffix(text[:n], "}") || len(s.Lines) < strings.Count(text[header:n], "\n") {
			t.Errorf("cut after %d: %d lines, cut %t", n, len(s.Lines), s.Cut)
		}
	}
	for text, want := range map[string]string{
		"": "empty", "\n": "empty", "{}\n": "no recording", `{"recording":2}`: "version 2", `{"recordi`: "no recording", "{\"recording\":2}\n": "version 2",
		"{\"recording\":1}\n{\n{}\n": "line 2", "{\"recording\":1}\n{\"ms\":1,\"tools\":[3]}\n": "no tool 3", "{\"recording\":1}\n{\"recording\":1}\n": "another recording",
	} {
		_, err := Read(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// A file never grows beyond its limit, and says that it was reached.
func TestTheLimit(t *testing.T) {
	b := record(t, func(o *Options) { o.MaxSize = minSize })
	for i := range 200 {
		b.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}`, i))
	}
	s, text := b.session()
	if !s.Full || len(text) > minSize || len(s.Lines) < 20 {
		t.Errorf("%d bytes, %d lines, full %t", len(text), len(s.Lines), s.Full)
	}
}

// What comes faster than it can be written is counted.
func TestWhatIsLostIsSaid(t *testing.T) {
	b := record(t)
	big := []byte(`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", maxWaiting/2) + `"}`)
	r := &Recorder{wake: make(chan struct{}, 1)}
	for range 3 {
		r.take(hub, big)
	}
	if r.lost != 2 || len(r.waiting) != 1 {
		t.Errorf("%d are lost, %d wait", r.lost, len(r.waiting))
	}
	b.recorder.mu.Lock()
	b.recorder.lost = 3
	b.recorder.mu.Unlock()
	if s, text := b.session(); s.Lost != 3 {
		t.Errorf("%d are lost in\n%s", s.Lost, text)
	}
}

// A message that is longer than a line that can be read is left out, and counted.
func TestAMessageLongerThanALine(t *testing.T) {
	r := newLineWriter(nil, time.Now(), Options{MaxSize: 1 << 40, Mask: Secrets})
	r.message(time.Now(), hub, []byte(`{"jsonrpc":"2.0","method":"`+strings.Repeat("x", maxLine)+`"}`))
	if !strings.HasSuffix(string(r.batch), `"lost":1}`+"\n") || len(r.batch) > 100 {
		t.Errorf("%d bytes are written", len(r.batch))
	}
}

// An earlier recording is put aside, and what is none is left alone.
func TestAFileThatIsThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	for _, by := range []string{"first", "second", "third"} {
		r, err := Create(Options{Path: path, By: by})
		if err != nil {
			t.Fatal(err)
		}
		r.take(client, []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"))
		r.Close()
	}
	for range 2 { // nothing is said in these, which replace each other
		r, err := Create(Options{Path: path + "-probe", By: "probe"})
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	if _, err := os.Stat(path + "-probe.1"); !os.IsNotExist(err) {
		t.Errorf("one in which nothing was said is kept: %v", err)
	}
	for name, by := range map[string]string{path: "third", path + ".1": "second"} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := Read(f); err != nil || s.By != by {
			t.Errorf("%s is by %v, %v", name, s, err)
		}
		_ = f.Close()
	}
	other := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(other, []byte("my notes"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{other, dir} {
		if _, err := Create(Options{Path: name}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := os.WriteFile(path+".1", []byte("my notes"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(Options{Path: path}); err == nil || !strings.Contains(err.Error(), path+".1") {
		t.Errorf("beside a file of mine: got %v", err)
	}
	for name, want := range map[string]string{path: `"by":"third"`, path + ".1": "my notes"} {
		if text, _ := os.ReadFile(name); !strings.Contains(string(text), want) {
			t.Errorf("%s was changed: %q", name, text)
		}
	}
	if text, _ := os.ReadFile(other); string(text) != "my notes" {
		t.Errorf("it was changed: %q", text)
	}
}

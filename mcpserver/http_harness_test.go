package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/wire"
)

const testToken = "a-token-for-tests"

// web is a hub that serves HTTP, and its clients.
type web struct {
	*hub
	url    string
	client *http.Client
	stop   context.CancelCauseFunc
	served chan error
}

// onWire serves on a real loopback address.
func (h *hub) onWire(t *testing.T, set ...func(*HTTPOptions)) *web {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return h.onListener(t, l, nil, set...)
}

// onPipes serves on pipes, for use in a synctest bubble.
func (h *hub) onPipes(t *testing.T, set ...func(*HTTPOptions)) (*web, *pipes) {
	p := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	return h.onListener(t, p, p.dial, set...), p
}

func (h *hub) onListener(t *testing.T, l net.Listener, dial func(context.Context, string, string) (net.Conn, error), set ...func(*HTTPOptions)) *web {
	o := HTTPOptions{Token: testToken}
	for _, s := range set {
		s(&o)
	}
	transport := &http.Transport{DialContext: dial}
	w := &web{hub: h, url: "http://" + l.Addr().String() + HTTPPath, client: &http.Client{Transport: transport}, served: make(chan error, 1)}
	var ctx context.Context
	ctx, w.stop = context.WithCancelCause(context.Background())
	go func() { w.served <- h.ServeStreamableHTTP(ctx, l, o) }()
	t.Cleanup(func() {
		w.stop(wire.ErrSessionOver)
		if err := <-w.served; err != nil {
			t.Errorf("ServeStreamableHTTP: %v", err)
		}
		transport.CloseIdleConnections()
	})
	return w
}

// pipes is a listener on net.Pipe.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
	case <-ctx.Done():
	}
	return nil, errors.New("nobody listens")
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8808} }

// answer is the response to one HTTP request.
type answer struct {
	status int
	header http.Header
	body   string
}

// do sends a request with the token and the headers of a good client, to which
// changes are made: "Name: value", or "Name" to leave one out.
func (w *web) do(ctx context.Context, method, body string, headers ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, w.url, strings.NewReader(body))
	if err != nil {
		w.t.Error(err)
		return nil, err
	}
	req.Header = http.Header{
		"Authorization": {"Bearer " + testToken},
		"Accept":        {"application/json, text/event-stream"},
		"Content-Type":  {"application/json"},
	}
	for _, line := range headers {
		name, value, found := strings.Cut(line, ": ")
		switch {
		case !found:
			req.Header.Del(name)
		case name == "Host":
			req.Host = value
		default:
			req.Header.Set(name, value)
		}
	}
	return w.client.Do(req)
}

func (w *web) send(method, body string, headers ...string) answer {
	w.t.Helper()
	resp, err := w.do(context.Background(), method, body, headers...)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, strings.TrimSpace(string(raw))}
}

// visitor is one client with a session.
type visitor struct {
	*web
	headers []string
	stream  *eventReader
}

// visit begins a session and opens its event stream.
func (w *web) visit() *visitor {
	w.t.Helper()
	v := w.begin()
	v.listen()
	return v
}

// begin begins a session.
func (w *web) begin() *visitor {
	w.t.Helper()
	a := w.send("POST", initialize)
	key := a.header.Get("Mcp-Session-Id")
	if a.status != 200 || key == "" {
		w.t.Fatalf("initialize: %+v", a)
	}
	v := &visitor{web: w, headers: []string{"Mcp-Session-Id: " + key, "Mcp-Protocol-Version: 2025-11-25"}}
	if a := v.send(initialized); a.status != 202 {
		w.t.Fatalf("initialized: %+v", a)
	}
	return v
}

func (v *visitor) send(body string) answer {
	v.t.Helper()
	return v.web.send("POST", body, v.headers...)
}

// list gives the names of the client's list.
func (v *visitor) list() (names []string) {
	v.t.Helper()
	return listNames(v.t, v.send(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`))
}

func listNames(t testing.TB, a answer) (names []string) {
	t.Helper()
	var r struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(a.body), &r); err != nil || a.status != 200 {
		t.Fatalf("tools/list: %v %+v", err, a)
	}
	for _, tool := range r.Result.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func (v *visitor) wantList(names ...string) {
	v.t.Helper()
	if got := v.list(); !slices.Equal(got, names) {
		v.t.Errorf("the list is %q, want %q", got, names)
	}
}

func (v *visitor) call(name, args string) string {
	v.t.Helper()
	return said(v.t, v.send(callLine("1", name, args)).body)
}

// eventReader reads an event stream.
type eventReader struct {
	t      testing.TB
	cancel context.CancelFunc
	over   chan struct{}

	mu     sync.Mutex
	events []string // the data
	lastID string
}

// listen opens the session's event stream and reads it until it ends.
func (v *visitor) listen(headers ...string) *eventReader {
	v.t.Helper()
	v.stream = v.web.listen("GET", "", append(slices.Clone(v.headers), headers...)...)
	return v.stream
}

func (w *web) listen(method, body string, headers ...string) *eventReader {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w.t.Cleanup(cancel)
	resp, err := w.do(ctx, method, body, headers...)
	if err != nil {
		w.t.Fatal(err)
	}
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		w.t.Fatalf("no event stream: %v %v", resp.Status, resp.Header)
	}
	r := &eventReader{t: w.t, cancel: cancel, over: make(chan struct{})}
	go func() {
		defer close(r.over)
		defer resp.Body.Close()
		r.read(resp.Body)
	}()
	return r
}

func (r *eventReader) read(in io.Reader) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 2*wire.KeptBytes)
	for lines.Scan() {
		r.mu.Lock()
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && data != "" {
			r.events = append(r.events, data)
		}
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			r.lastID = id
		}
		r.mu.Unlock()
	}
}

// take waits until all is quiet and gives the events that came since the last time.
func (r *eventReader) take() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	events := r.events
	r.events = nil
	return events
}

// expect compares the events that came with want, without provenance.
func (r *eventReader) expect(want ...string) {
	r.t.Helper()
	got := r.take()
	for i := range got {
		got[i] = provenance.ReplaceAllString(got[i], "")
	}
	if !slices.Equal(got, want) {
		r.t.Errorf("got:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// hangUp closes the stream as a client does that goes away.
func (r *eventReader) hangUp() {
	r.cancel()
	<-r.over
}

// modern is a request of protocol 2026-07-28 and its headers.
func modern(id, method, params string) (body string, headers []string) {
	var p map[string]json.RawMessage
	if err := json.Unmarshal([]byte(params), &p); err != nil {
		panic(err)
	}
	p["_meta"] = json.RawMessage(`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`)
	raw, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	headers = []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
	if name := p["name"]; name != nil {
		headers = append(headers, "Mcp-Name: "+string(bytes.Trim(name, `"`)))
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, raw), headers
}

// rpc gives the code and the message of the JSON-RPC error in a body.
func (a answer) rpc() string {
	var r struct{ Error *jsonrpc.Error }
	if err := json.Unmarshal([]byte(a.body), &r); err != nil || r.Error == nil {
		return "no error: " + a.body
	}
	return fmt.Sprintf("%d %d %s", a.status, r.Error.Code, r.Error.Message)
}

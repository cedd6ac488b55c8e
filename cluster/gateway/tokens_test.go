package gateway_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
	"webmcphub/mcpserver"
)

const begins = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"1"}}}`

// front is a gateway's port.
type front struct {
	t      *testing.T
	at     string
	router *gateway.TokenRouter
}

// tokens is a tenant whose tokens these are.
func tokens(tenant string, tokens ...string) (g gateway.Tenant) {
	g.Name = tenant
	for _, token := range tokens {
		g.Tokens = append(g.Tokens, sha256.Sum256([]byte(token)))
	}
	return g
}

func openFront(t *testing.T, g *gateway.Gateway, all ...gateway.Tenant) *front {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g.SetTenants(all)
	f := &front{t, "http://" + l.Addr().String(), g.NewTokenRouter(mcpserver.HTTPOptions{})}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() {
		over <- mcpserver.ServeEachOverHTTP(ctx, l, mcpserver.HTTPOptions{Prefix: gateway.BrowsersPath}, f.router.Whom, f.router.Close, logger(t))
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-over; err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return f
}

// reply is what came for one HTTP request.
type reply struct {
	status int
	header http.Header
	body   string
}

func (f *front) send(method, path, token, body string, headers ...string) reply {
	f.t.Helper()
	r, err := f.try(context.Background(), method, path, token, body, headers...)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

func (f *front) try(ctx context.Context, method, path, token, body string, headers ...string) (r reply, err error) {
	req, err := http.NewRequestWithContext(ctx, method, f.at+path, strings.NewReader(body))
	if err != nil {
		return r, err
	}
	req.Header = http.Header{"Authorization": {"Bearer " + token}, "Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return r, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, string(text)}, err
}

// visitor is a client with a session.
type visitor struct {
	*front
	token, session string
}

func (f *front) visit(token string) visitor {
	f.t.Helper()
	r := f.send("POST", "/mcp", token, begins)
	if r.status != 200 {
		f.t.Fatalf("initialize: %+v", r)
	}
	return visitor{f, token, "Mcp-Session-Id: " + r.header.Get("Mcp-Session-Id")}
}

func (v visitor) ask(method, params string) reply {
	v.t.Helper()
	return v.send("POST", "/mcp", v.token, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params), v.session)
}

func (v visitor) sees(name string) bool {
	v.t.Helper()
	r := v.ask("tools/list", `{}`)
	if r.status != 200 {
		v.t.Fatalf("tools/list: %+v", r)
	}
	return strings.Contains(r.body, name)
}

// gives gets a browser by HTTP, which the store may still have to learn of.
func (f *front) gives(token, request string) (handle string) {
	f.t.Helper()
	late := time.After(patience)
	for {
		r := f.send("POST", "/browsers", token, request)
		var given gateway.Given
		if err := json.Unmarshal([]byte(r.body), &given); err == nil && r.status == 201 && given.Node == "one" && given.Until != "" {
			return given.Browser
		}
		select {
		case <-late:
			f.t.Fatalf("no browser: %+v", r)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (f *front) refuses(r reply, status int, reason string) {
	f.t.Helper()
	var why gateway.Refused
	if err := json.Unmarshal([]byte(r.body), &why); err != nil || r.status != status || why.Reason != reason || why.Error == "" {
		f.t.Errorf("got %+v, want %d for the reason %s", r, status, reason)
	}
}

const (
	ofX, ofY = "the-token-of-the-tenant-x", "the-token-of-the-tenant-y"
	newOfX   = "the-next-token-of-the-tenant-x"
)

// Two tenants on one port: each has its own browsers, lists and sessions, whether it acquires by HTTP or by
// the tool.
func TestTenantsOverHTTP(t *testing.T) {
	c := leasetest.NewMemory()
	lender(t, c, "shop.test")
	store := c.Open(leases.Options{Name: "gate", Candidate: true}, logger(t))
	g := shared(t, "gate", store)
	f := openFront(t, g, tokens("x", ofX), tokens("y", ofY))
	x, y := f.visit(ofX), f.visit(ofY)

	if r := f.send("POST", "/mcp", "nobody's-token-at-all", begins); r.status != 401 || r.header.Get("WWW-Authenticate") == "" {
		t.Errorf("a wrong token: %+v", r)
	}
	if r := f.send("POST", "/browsers", "nobody's-token-at-all", ""); r.status != 401 {
		t.Errorf("a wrong token gets %+v", r)
	}
	if r := f.send("POST", "/browsers", ofX, "", "Origin: https://evil.example"); r.status != 403 {
		t.Errorf("a web page gets %+v", r)
	}
	if r := f.send("POST", "/browsersX", ofX, ""); r.status != 404 {
		t.Errorf("another path gives %+v", r)
	}
	stolen := visitor{f, ofY, x.session}
	if r := stolen.ask("tools/list", `{}`); r.status != 404 {
		t.Errorf("x's session with y's token: %+v", r)
	}

	handle := f.gives(ofX, `{"wait":20}`)
	if r := x.ask("tools/call", fmt.Sprintf(`{"name":"open_tab","arguments":{"url":"http://shop.test/","browser":%q}}`, handle)); strings.Contains(r.body, `"isError":true`) {
		t.Fatalf("open_tab: %s", r.body)
	}
	late := time.Now().Add(patience)
	for !x.sees("shop_test") {
		if time.Now().After(late) {
			t.Fatal("x doesn't see its page's tool")
		}
	}
	if y.sees("shop_test") {
		t.Error("y sees x's tool")
	}
	f.refuses(f.send("POST", "/browsers", ofY, `{"wait":0}`), 503, "none")
	f.refuses(f.send("POST", "/browsers", ofY, `{"labels":["no=such"]}`), 409, "labels")
	f.refuses(f.send("POST", "/browsers", ofY, `{"label":"typo"}`), 400, "request")
	for _, wait := range []string{"-1", "601", "1e300"} {
		f.refuses(f.send("POST", "/browsers", ofY, `{"wait":`+wait+`}`), 400, "request")
		r := y.ask("tools/call", `{"name":"acquire_browser","arguments":{"wait":`+wait+`}}`)
		if !strings.Contains(r.body, `"isError":true`) && !strings.Contains(r.body, `"error"`) {
			t.Errorf("acquire_browser waits %s s: %s", wait, r.body)
		}
	}
	f.refuses(f.send("DELETE", "/browsers/"+url.PathEscape(handle), ofY, ""), 404, "lease")
	store.Limit(leases.Limits{Tenants: map[string]leases.Quota{"x": {Browsers: 1}}})
	r := reply{}
	for time.Now().Before(late) && !strings.Contains(r.body, `"quota"`) {
		r = f.send("POST", "/browsers", ofX, `{"wait":0}`)
	}
	f.refuses(r, 409, "quota")
	if r := x.ask("tools/call", `{"name":"acquire_browser","arguments":{"wait":0}}`); !strings.Contains(r.body, handle) || !strings.Contains(r.body, "quota") {
		t.Errorf("the tool knows nothing of what HTTP gave: %s", r.body)
	}
	if r := f.send("DELETE", "/browsers/"+url.PathEscape(handle), ofX, ""); r.status != 204 {
		t.Errorf("DELETE: %+v", r)
	}
	again := f.gives(ofY, `{"wait":20}`)
	if r := y.ask("tools/call", fmt.Sprintf(`{"name":"release_browser","arguments":{"browser":%q}}`, again)); strings.Contains(r.body, `"isError":true`) {
		t.Errorf("release_browser: %s", r.body)
	}
}

// A request for a browser ends with its HTTP request: what is free then is free for the next one.
func TestWishEndsWithItsRequest(t *testing.T) {
	c := leasetest.NewMemory()
	lender(t, c)
	store := c.Open(leases.Options{Name: "gate", Candidate: true}, logger(t))
	f := openFront(t, shared(t, "gate", store), tokens("x", ofX), tokens("y", ofY))
	f.gives(ofX, `{"wait":20}`)
	waits := func(want int) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		met := false
		store.Watch(ctx, func(p leases.Snapshot) {
			if met = met || p.WaitingCount["y"] == want; met {
				cancel()
			}
		})
		if !met {
			t.Fatalf("there never were %d that wait", want)
		}
	}
	ctx, leave := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		_, err := f.try(ctx, "POST", "/browsers", ofY, `{"wait":600}`)
		over <- err
	}()
	waits(1)
	leave()
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	waits(0)
}

// A token that is taken away ends its sessions, and no others; so does a tenant that is.
func TestRotationAndRemoval(t *testing.T) {
	c := leasetest.NewMemory()
	store := c.Open(leases.Options{Name: "gate", Candidate: true}, logger(t))
	g := shared(t, "gate", store)
	f := openFront(t, g, tokens("x", ofX), tokens("y", ofY))
	old, y := f.visit(ofX), f.visit(ofY)
	g.SetTenants([]gateway.Tenant{tokens("x", ofX, newOfX), tokens("y", ofY)})
	next := f.visit(newOfX)
	if r := old.ask("ping", `{}`); r.status != 200 {
		t.Errorf("the old token beside the new one: %+v", r)
	}
	stream := f.stream(old)
	g.SetTenants([]gateway.Tenant{tokens("x", newOfX), tokens("y", ofY)})
	<-stream
	if r := old.ask("ping", `{}`); r.status != 401 {
		t.Errorf("the old token: %+v", r)
	}
	if r := (visitor{f, newOfX, old.session}).ask("ping", `{}`); r.status != 404 {
		t.Errorf("the old token's session: %+v", r)
	}
	yStream := f.stream(y)
	g.SetTenants([]gateway.Tenant{tokens("x", newOfX)})
	<-yStream
	if r := y.ask("ping", `{}`); r.status != 401 {
		t.Errorf("a tenant that there is no longer: %+v", r)
	}
	if r := next.ask("ping", `{}`); r.status != 200 {
		t.Errorf("x's new session: %+v", r)
	}
	if !slices.Equal([]bool{f.router.Whom("") == nil, f.router.Whom(newOfX) == nil}, []bool{true, false}) {
		t.Error("without a token somebody comes in")
	}
}

// Tenants may be set while the port closes: nobody comes in any more.
func TestSetTenantsAfterClose(t *testing.T) {
	g := startGatewayOf(t, "gate", func(o *gateway.Options) { o.Tenants = []gateway.Tenant{tokens("x", ofX)} })
	router := g.NewTokenRouter(mcpserver.HTTPOptions{})
	router.Close(errors.New("the port closes"))
	g.SetTenants([]gateway.Tenant{tokens("x", ofX, newOfX)})
	if router.Whom(ofX) != nil || router.Whom(newOfX) != nil {
		t.Error("x comes in")
	}
}

// stream opens a session's event stream, and tells when it has ended.
func (f *front) stream(v visitor) (over chan struct{}) {
	f.t.Helper()
	req, err := http.NewRequest("GET", f.at+"/mcp", nil)
	if err != nil {
		f.t.Fatal(err)
	}
	name, session, _ := strings.Cut(v.session, ": ")
	req.Header = http.Header{"Authorization": {"Bearer " + v.token}, "Accept": {"text/event-stream"}, name: {session}}
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != 200 {
		f.t.Fatal(err, resp)
	}
	over = make(chan struct{})
	go func() {
		defer close(over)
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
	}()
	return over
}

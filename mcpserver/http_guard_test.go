package mcpserver

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestHTTPGuard(t *testing.T) {
	h := newHub(t, echo)
	w := h.onWire(t, func(o *HTTPOptions) { o.Origins = []string{"https://client.example/"} })
	port := w.url[strings.LastIndex(w.url, ":") : len(w.url)-len(HTTPPath)]
	open := h.onWire(t, func(o *HTTPOptions) { o.Token = "" })
	openPort := open.url[strings.LastIndex(open.url, ":") : len(open.url)-len(HTTPPath)]
	named := h.onWire(t, func(o *HTTPOptions) { o.Names = []string{"Gateway.webmcp.svc", "[2001:db8::1]"} })
	openNamed := h.onWire(t, func(o *HTTPOptions) { o.Token, o.Names = "", []string{"gateway.webmcp.svc"} })
	for _, c := range []struct {
		name   string
		web    *web
		header string
		want   string // the beginning of the error, or "ok"
	}{
		{"a good request", w, "X: y", "ok"},
		{"by a name that it was told of", named, "Host: gateway.webmcp.svc", "ok"},
		{"by that name, at another port", named, "Host: GATEWAY.webmcp.svc:8080", "ok"},
		{"by an IPv6 address that it was told of", named, "Host: [2001:db8::1]:8080", "ok"},
		{"by that address without a port", named, "Host: [2001:db8::1]", "ok"},
		{"by a name below it", named, "Host: evil.gateway.webmcp.svc", "403 "},
		{"a web page by a name that it was told of", named, "Origin: https://gateway.webmcp.svc", "403 "},
		{"by such a name where no token is needed", openNamed, "Host: gateway.webmcp.svc", "403 "},
		{"by name", w, "Host: localhost" + port, "ok"},
		{"by another loopback address", w, "Host: 127.9.9.9" + port, "ok"},
		{"by IPv6", w, "Host: [::1]" + port, "ok"},
		{"rebound DNS", w, "Host: evil.example" + port, "403 -32000 the Host header names evil.example:"},
		{"a name that looks like ours", w, "Host: localhost.evil.example" + port, "403 "},
		{"another port", w, "Host: 127.0.0.1:1", "403 "},
		{"no port", w, "Host: localhost", "403 "},
		{"an address on the network", w, "Host: 192.168.1.1" + port, "403 "},
		{"a web page", w, "Origin: https://evil.example", "403 -32000 web pages of the origin https://evil.example may not"},
		{"a page without an origin", w, "Origin: null", "403 "},
		{"a local page", w, "Origin: http://localhost:6274", "ok"},
		{"an allowed page", w, "Origin: https://client.example", "ok"},
		{"an allowed page's name", w, "Origin: https://client.example.evil.example", "403 "},
		{"no token", w, "Authorization", "401 -32000 this server asks for a bearer token"},
		{"another scheme", w, "Authorization: Basic " + testToken, "401 "},
		{"a wrong token", w, "Authorization: Bearer " + testToken + "x", "401 -32000 the bearer token is wrong"},
		{"an empty token", w, "Authorization: Bearer ", "401 "},
		{"the scheme in small letters", w, "Authorization: bearer " + testToken, "ok"},
		{"no token needed", open, "Authorization", "ok"},
		{"a local page where no token is needed", open, "Origin: http://localhost:3000", "403 "},
		{"our own origin where no token is needed", open, "Origin: http://127.0.0.1" + openPort, "ok"},
		{"our own origin by another name", open, "Origin: http://localhost" + openPort, "403 "},
		{"our own origin by another scheme", open, "Origin: https://127.0.0.1" + openPort, "403 "},
		{"rebound DNS where no token is needed", open, "Host: evil.example" + openPort, "403 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := c.web.send("POST", initialize, c.header)
			got := a.rpc()
			if c.want == "ok" && a.status != 200 || c.want != "ok" && !strings.HasPrefix(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if c.web == open && strings.Contains(got, "--allow-host") {
				t.Errorf("it advises what goes with a token only: %s", got)
			}
			challenge := a.header.Get("WWW-Authenticate")
			if (a.status == 401) != strings.HasPrefix(challenge, "Bearer ") {
				t.Errorf("%d with challenge %q", a.status, challenge)
			}
			if a.status != 200 && a.header.Get("Mcp-Session-Id") != "" {
				t.Error("a session was begun")
			}
		})
	}
}

func TestHTTPPreflight(t *testing.T) {
	w := newHub(t, echo).onWire(t)
	ask := []string{"Authorization", "Access-Control-Request-Method: POST"}
	a := w.send("OPTIONS", "", append(ask, "Origin: http://127.0.0.1:6274")...)
	if a.status != 204 || a.header.Get("Access-Control-Allow-Origin") != "http://127.0.0.1:6274" || !strings.Contains(a.header.Get("Access-Control-Allow-Headers"), "Mcp-Session-Id") {
		t.Errorf("%+v", a)
	}
	a = w.send("OPTIONS", "", append(ask, "Origin: https://evil.example")...)
	if a.status != 403 || a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%+v", a)
	}
}

func TestHTTPBadRequests(t *testing.T) {
	h := newHub(t, echo)
	w := h.onWire(t, func(o *HTTPOptions) { o.MaxBody = 1000 })
	v := w.begin()
	session, version := v.headers[0], v.headers[1]
	list, listHeaders := modern("5", "tools/list", "{}")
	listHeaders = listHeaders[:len(listHeaders):len(listHeaders)]
	for _, c := range []struct {
		name, method, body string
		headers            []string
		want               string
	}{
		{"not JSON", "POST", "{", nil, "400 -32700 the message is not valid JSON"},
		{"nothing", "POST", " \n", nil, "400 -32600 the body must be"},
		{"a batch", "POST", "[" + ping + "]", nil, "400 -32600 JSON-RPC batches"},
		{"another type", "POST", ping, []string{"Content-Type: text/plain"}, "415 -32600 the Content-Type"},
		{"too long", "POST", `{"x":"` + strings.Repeat("x", 1000) + `"}`, nil, "413 -32600 the message is longer than 1000 bytes"},
		{"no session", "POST", ping, nil, "400 -32600 the Mcp-Session-Id header is missing"},
		{"an unknown session", "POST", ping, []string{"Mcp-Session-Id: nonsense"}, "404 -32000 there is no such session"},
		{"an unknown version", "POST", ping, []string{session, "Mcp-Protocol-Version: 1999-01-01"}, "400 -32600 unsupported protocol version 1999-01-01"},
		{"PUT", "PUT", "", nil, "405 -32600 MCP is spoken with"},
		{"GET without a session", "GET", "", nil, "400 -32600 the Mcp-Session-Id"},
		{"GET that takes JSON", "GET", "", []string{session, "Accept: application/json"}, "406 -32600 the event stream"},
		{"GET of the newest protocol", "GET", "", []string{"Mcp-Protocol-Version: 2026-07-28"}, "405 -32600 protocol 2026-07-28 has no GET"},
		{"DELETE of the newest protocol", "DELETE", "", []string{"Mcp-Protocol-Version: 2026-07-28"}, "405 -32600 protocol 2026-07-28 has no sessions"},
		{"DELETE of an unknown session", "DELETE", "", []string{"Mcp-Session-Id: x"}, "404 "},
		{"no such method", "POST", `{"jsonrpc":"2.0","id":1,"method":"nonsense"}`, []string{session}, "200 -32601 "},

		{"no header for the version", "POST", list, nil, "400 -32020 the Mcp-Protocol-Version header must name"},
		{"no version in the body", "POST", ping, []string{"Mcp-Protocol-Version: 2026-07-28"}, "400 -32602 _meta must name the protocol version"},
		{"two versions", "POST", list, []string{version}, "400 -32020 the Mcp-Protocol-Version header says 2025-11-25, but _meta says 2026-07-28"},
		{"no Mcp-Method", "POST", list, listHeaders[:1], "400 -32020 "},
		{"another Mcp-Method", "POST", list, append(listHeaders, "Mcp-Method: tools/call"), "400 -32020 "},
		{"resuming", "POST", list, append(listHeaders, "Last-Event-ID: 1"), "400 -32020 streams of protocol 2026-07-28 can't be resumed"},
		{"a version to come", "POST", strings.ReplaceAll(list, "2026-07-28", "2030-01-01"), append(listHeaders, "Mcp-Protocol-Version: 2030-01-01"), "400 -32022 unsupported protocol version 2030-01-01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := w.send(c.method, c.body, c.headers...).rpc(); !strings.HasPrefix(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	w.url += "/elsewhere"
	if got := w.send("GET", "", "Authorization").rpc(); !strings.HasPrefix(got, "404 -32000 there is nothing here") {
		t.Error(got)
	}
}

func TestHTTPBeyondThisComputerNeedsAToken(t *testing.T) {
	l := &pipes{closed: make(chan struct{})}
	beyond := boundTo{l, &net.TCPAddr{IP: net.IPv4zero, Port: 8808}}
	err := newHub(t, echo).ServeStreamableHTTP(context.Background(), beyond, HTTPOptions{})
	if err == nil || !strings.Contains(err.Error(), "needs a token") {
		t.Error(err)
	}
	<-l.closed
}

type boundTo struct {
	*pipes
	addr net.Addr
}

func (b boundTo) Addr() net.Addr { return b.addr }

// TestHTTPWatchers: those who watch the hub read with GET; probes need no token, and web
// pages get nothing.
func TestHTTPWatchers(t *testing.T) {
	h := newHub(t, echo)
	w := h.onWire(t, func(o *HTTPOptions) {
		o.Watch = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { _, _ = w.Write([]byte("told " + req.URL.Path)) })
	})
	none := h.onWire(t)
	port := w.url[strings.LastIndex(w.url, ":") : len(w.url)-len(HTTPPath)]
	for _, c := range []struct {
		name         string
		web          *web
		method, path string
		header       string
		want         int
	}{
		{"figures", w, "GET", MetricsPath, "X: y", 200},
		{"figures without the token", w, "GET", MetricsPath, "Authorization", 401},
		{"the pressure", w, "GET", PressurePath, "X: y", 200},
		{"the pressure without the token", w, "GET", PressurePath, "Authorization", 401},
		{"a probe", w, "GET", HealthPath, "Authorization", 200},
		{"another probe", w, "HEAD", ReadyPath, "Authorization", 200},
		{"something else than reading", w, "POST", HealthPath, "X: y", 405},
		{"rebound DNS", w, "GET", HealthPath, "Host: evil.example" + port, 403},
		{"a web page", w, "GET", MetricsPath, "Origin: http://localhost:3000", 403},
		{"a web page's picture", w, "GET", HealthPath, "Sec-Fetch-Site: cross-site", 403},
		{"a person's browser", w, "GET", HealthPath, "Sec-Fetch-Site: none", 200},
		{"where nobody watches", none, "GET", HealthPath, "X: y", 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			to := *c.web
			to.url = strings.TrimSuffix(to.url, HTTPPath) + c.path
			a := to.send(c.method, "", c.header)
			if told := strings.Contains(a.body, "told "+c.path); a.status != c.want || told != (c.want == 200 && c.method == "GET") {
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
}

package mcpserver

import (
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry/sanitize"
)

// refusal describes why an HTTP request is not served.
type refusal struct {
	status int
	code   int // code of the JSON-RPC error in the body
	text   string
	data   json.RawMessage
}

// refusef makes a refusal whose JSON-RPC code follows from the status.
func refusef(status int, format string, args ...any) *refusal {
	code := jsonrpc.CodeInvalidRequest
	if status >= 500 || status == http.StatusUnauthorized || status == http.StatusForbidden ||
		status == http.StatusNotFound {
		code = jsonrpc.CodeServer
	}
	return &refusal{status: status, code: code, text: jsonrpc.Errorf(code, format, args...).Message}
}

// write sends the refusal, as the answer to the request with this id if there is one.
func (r *refusal) write(w http.ResponseWriter, id json.RawMessage) {
	writeJSON(w, r.status, jsonrpc.Failure(id, &jsonrpc.Error{Code: r.code, Message: r.text, Data: r.data}))
}

// httpGuard decides which requests may reach the hub. Web pages that the user visits must not: they can send requests to
// loopback addresses and, through DNS rebinding, even make these look like requests to their own sites.
type httpGuard struct {
	options HTTPOptions
	port    string
	tokens  bool   // the listener requires tokens, so names and loopback origins are allowed
	source  string // where clients get their token
	prefix  string // prefix of further paths besides [HTTPPath]; "" for none
}

func newHTTPGuard(bound net.Addr, o HTTPOptions) httpGuard {
	g := httpGuard{options: o, tokens: o.Token != "", source: "the hub's log says where to find"}
	if tcp, ok := bound.(*net.TCPAddr); ok {
		g.port = strconv.Itoa(tcp.Port)
	}
	return g
}

// check refuses a request, or returns nil. It doesn't check the token. It may set headers of the answer.
func (g httpGuard) check(w http.ResponseWriter, req *http.Request) *refusal {
	if !g.goodHost(req) {
		return g.wrongHost(req)
	}
	if origins, sent := req.Header["Origin"]; sent {
		if len(origins) != 1 || !g.goodOrigin(origins[0], req.Host) {
			return refusef(http.StatusForbidden, "web pages of the origin %s may not speak to this server; "+
				"--allow-http-origin allows it", sanitize.Text(strings.Join(origins, ", "), 200))
		}
		w.Header().Set("Vary", "Origin")
		w.Header().Set("Access-Control-Allow-Origin", origins[0])
		w.Header().Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate")
	}
	switch {
	case req.URL.Path != HTTPPath && (g.prefix == "" || !below(req.URL.Path, g.prefix)):
		for prefix, why := range g.options.Missing {
			if below(req.URL.Path, prefix) {
				return refusef(http.StatusNotFound, "%s", why)
			}
		}
		return refusef(http.StatusNotFound, "there is nothing here; MCP is at %s", HTTPPath)
	case req.Method == http.MethodOptions && req.Header.Get("Access-Control-Request-Method") != "":
		w.Header().Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
		w.Header().Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, Last-Event-ID, "+
			"Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name")
		return &refusal{status: http.StatusNoContent}
	}
	return nil
}

// below reports whether a path is prefix or below it.
func below(path, prefix string) bool { return strings.HasPrefix(path+"/", prefix+"/") }

func (g httpGuard) wrongHost(req *http.Request) *refusal {
	advice := "use its loopback address"
	if g.tokens {
		advice += ", or start it with --allow-host for that name"
	}
	return refusef(http.StatusForbidden, "the Host header names %s, which is not this server; %s",
		sanitize.Text(req.Host, 200), advice)
}

func bearer(req *http.Request) (token string, ok bool) {
	scheme, token, ok := strings.Cut(req.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token), ok && strings.EqualFold(scheme, "Bearer")
}

// goodHost reports whether the Host header names this server: by a loopback address or name, by the host that the
// listener was asked to bind to, by the address on which the connection arrived, or by a configured name. An
// attacker's own name is never accepted, wherever it leads.
func (g httpGuard) goodHost(req *http.Request) bool {
	host, port, err := net.SplitHostPort(req.Host)
	if err != nil {
		host, port = strings.Trim(req.Host, "[]"), "80"
	}
	named := func(name string) bool { return strings.EqualFold(strings.Trim(name, "[]"), host) }
	if g.tokens && slices.ContainsFunc(g.options.Names, named) {
		return true
	}
	if g.port != "" && port != g.port {
		return false
	}
	if isLoopbackName(host) || host != "" && strings.EqualFold(host, g.options.Host) {
		return true
	}
	local, ok := req.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	ip, err := netip.ParseAddr(host)
	return ok && err == nil && ip.Unmap() == local.AddrPort().Addr().Unmap()
}

// goodOrigin reports whether a web page of this origin may send requests to this server under the name host, which
// goodHost has accepted. Without a token, pages on loopback addresses may not either, unless their origins are
// configured: what runs there is often a page under development that contains third-party code. The server's own
// origin may, as MCP's conformance suite requires. No page has that origin, because the server serves none.
func (g httpGuard) goodOrigin(origin, host string) bool {
	allowed := func(o string) bool { return strings.EqualFold(strings.TrimRight(o, "/"), origin) }
	if slices.ContainsFunc(g.options.Origins, allowed) {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return g.tokens && isLoopbackName(u.Hostname()) || u.Scheme == "http" && strings.EqualFold(u.Host, host)
}

func isLoopbackName(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

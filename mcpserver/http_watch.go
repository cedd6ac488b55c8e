package mcpserver

import (
	"net"
	"net/http"
	"strings"
)

// The paths that HTTPOptions.Watch answers.
const (
	MetricsPath  = "/metrics"
	PressurePath = "/pressure"
	HealthPath   = "/healthz"
	ReadyPath    = "/readyz"
)

// watched reports whether HTTPOptions.Watch answers a path.
func (f *httpListener) watched(path string) bool {
	switch path {
	case MetricsPath, PressurePath, HealthPath, ReadyPath:
		return f.options.Watch != nil
	}
	return false
}

// watch answers those who watch the hub. Unlike MCP clients, they can't be web pages. Probes need no token, because
// they learn only one bit.
func (f *httpListener) watch(w http.ResponseWriter, req *http.Request) {
	probe := req.URL.Path == HealthPath || req.URL.Path == ReadyPath
	site := req.Header.Get("Sec-Fetch-Site")
	var refused *refusal
	switch {
	case !f.guard.goodHost(req):
		refused = f.guard.wrongHost(req)
	case req.Header.Get("Origin") != "" || site != "" && site != "none" && site != "same-origin":
		refused = refusef(http.StatusForbidden, "web pages may not read what the hub tells of itself")
	case req.Method != http.MethodGet && req.Method != http.MethodHead:
		w.Header().Set("Allow", strings.Join([]string{http.MethodGet, http.MethodHead}, ", "))
		refused = refusef(http.StatusMethodNotAllowed, "%s is read with GET", req.URL.Path)
	case !probe && f.many:
		refused = refusef(http.StatusForbidden, "%s tells what all clients do, so no client's token opens it; it is "+
			"at the address of --watch", req.URL.Path)
	case !probe:
		_, refused = f.authorize(w, req)
	}
	if refused != nil {
		refused.write(w, nil)
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	f.options.Watch.ServeHTTP(w, req)
}

// WatchHandler returns a handler for a port of its own, which answers what [HTTPOptions].Watch answers beside MCP, but
// without a token: any client that reaches the port may read. It refuses web pages, too. bound is the address of the
// port's listener, and host is what the listener was asked to bind to.
func WatchHandler(bound net.Addr, host string, answers http.Handler) http.Handler {
	o := HTTPOptions{Host: host, Watch: answers}
	f := newHTTPListener(bound, o, onlyBy("", answers), nil)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !f.watched(req.URL.Path) {
			refusef(http.StatusNotFound, "there is nothing here, but at %s, %s, %s and %s", MetricsPath, PressurePath,
				HealthPath, ReadyPath).write(w, nil)
			return
		}
		f.watch(w, req)
	})
}

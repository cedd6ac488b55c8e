package cdptest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
)

const pageScript = `
const ac = {};
const behaviour = {
	echo: a => a,
	throw: () => { throw new Error("boom") },
	json: () => '{"x":1}',
	french: () => ({"\u00e9": "\u00fc"}),
	never: () => new Promise(() => {}),
	grow: () => { reg("n1"); reg("n2"); ac.grow.abort(); return "v" },
	leave: () => { location.href = "/b?t=b"; return "v" },
	"leave-silently": () => { location.href = "/b?t=b"; return new Promise(() => {}) },
};
function reg(name) {
	ac[name] = new AbortController();
	document.modelContext.registerTool({name, description: "d", inputSchema: {type: "object"}, annotations: {readOnlyHint: true},
		execute: behaviour[name] ?? (() => name)}, {signal: ac[name].signal}).catch(() => {});
}
onmessage = ({data}) => {
	const f = document.createElement("iframe");
	f.allow = "tools", f.src = data;
	document.body.append(f);
};
for (const n of (new URLSearchParams(location.search).get("t") ?? "").split(",")) if (n) reg(n);
`

// realBrowser is a Chrome that listens, and a server for it.
type realBrowser struct {
	base, ws string
}

func newRealBrowser(t *testing.T) *realBrowser {
	if testing.Short() {
		return nil
	}
	if _, err := launch.Find(""); err != nil {
		if os.Getenv("WEBMCP_REQUIRE_CHROME") == "1" {
			t.Fatal(err)
		}
		return nil
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slow := ""
		switch {
		case r.URL.Path == "/never":
			<-r.Context().Done()
			return
		case r.URL.Query().Has("slow"):
			slow = "<img src=/never>"
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>%s</title><body><script>%s</script>%s", r.URL.Path, pageScript, slow)
	}))
	t.Cleanup(srv.Close)
	chrome, err := launch.Start(t.Context(), launch.Options{Headless: true, Args: []string{
		"--disable-gpu", "--remote-debugging-port=0", "--site-per-process", "--host-resolver-rules=MAP * 127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = chrome.Close() })
	r := &realBrowser{base: "http://localhost" + srv.URL[strings.LastIndex(srv.URL, ":"):]}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range 500 {
		if r.ws, err = cdpclient.ActivePortURL(chrome.UserDataDir); err == nil {
			return r
		}
		<-tick.C
	}
	t.Fatal(err)
	return nil
}

func (r *realBrowser) wire(t *testing.T) cdpclient.Wire {
	w, err := cdpclient.DialWebSocket(t.Context(), r.ws, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

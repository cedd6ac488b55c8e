package page

import (
	"testing"

	"webmcphub/cdpclient"
)

// TestWorkersOfDocumentsThatAreGone: what a worker said that arrives after its document has gone belongs to no other
// document.
func TestWorkersOfDocumentsThatAreGone(t *testing.T) {
	o := newOwner(&Page{shared: &shared{}}, "browser", "tab")
	f := &frame{id: "main", loader: "1", url: "https://a.test/", session: o.tab}
	o.frames["main"] = f
	var heard []string
	o.subs["Runtime.consoleAPICalled"] = []*subscription{{handle: func(e cdpclient.Event) {
		heard = append(heard, string(e.Session)+string(e.Params))
	}}}
	of := &worker{Kind: "worker", URL: "https://a.test/w.js", parent: "tab", origin: "https://a.test"}
	said := cdpclient.Event{Session: "worker", Method: "Runtime.consoleAPICalled", Params: []byte(`{"type":"log","executionContextId":3}`)}
	o.workerLogged(of, said)
	f.loader, f.url = "2", "https://b.test/"
	o.workerLogged(of, said)
	const want = `tab{"type":"log","worker":{"kind":"worker","url":"https://a.test/w.js"}}`
	if len(heard) != 1 || heard[0] != want {
		t.Errorf("heard %q", heard)
	}
}

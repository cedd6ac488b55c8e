package page

import (
	"testing"

	"webmcphub/cdpclient"
)

// TestWorkersOfDocumentsThatAreGone: what a worker said that arrives after its document has gone belongs to no other
// document. That holds for shared workers, which have no session of a document, too.
func TestWorkersOfDocumentsThatAreGone(t *testing.T) {
	for _, parent := range []cdpclient.SessionID{"tab", "browser"} {
		o := newOwner(&Page{shared: &shared{}}, "browser", "tab")
		f := &frame{id: "main", loader: "1", url: "https://a.test/", session: o.tab}
		o.frames["main"] = f
		var heard []string
		o.subs["Runtime.consoleAPICalled"] = []*subscription{{handle: func(e cdpclient.Event) {
			heard = append(heard, string(e.Session)+string(e.Params))
		}}}
		of := &worker{Kind: "worker", URL: "https://a.test/w.js", parent: parent, origin: "https://a.test"}
		said := cdpclient.Event{Session: "worker", Method: "Runtime.consoleAPICalled", Params: []byte(`{"type":"log","executionContextId":3}`)}
		o.workerSaid(of, said)
		f.loader, f.url = "2", "https://b.test/"
		o.workerSaid(of, said)
		const want = `tab{"type":"log","worker":{"kind":"worker","url":"https://a.test/w.js"}}`
		if len(heard) != 1 || heard[0] != want {
			t.Errorf("heard %q", heard)
		}
	}
}

// TestSharedWorkersOfOtherContexts: a tab doesn't hear the shared workers of another browser context, such as another
// client's isolated one.
func TestSharedWorkersOfOtherContexts(t *testing.T) {
	o := newOwner(&Page{shared: &shared{}}, "browser", "tab")
	o.attached("browser", cdpclient.AttachedToTarget{SessionID: "tab", TargetInfo: cdpclient.TargetInfo{BrowserContextID: "one"}})
	if o.keepWorker("browser", cdpclient.AttachedToTarget{SessionID: "w", TargetInfo: cdpclient.TargetInfo{
		Type: "shared_worker", URL: "https://a.test/w.js", BrowserContextID: "two"}}) {
		t.Error("it is heard")
	}
}

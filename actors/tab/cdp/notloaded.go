package cdp

import (
	"encoding/json"

	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// Chrome reports why a page doesn't load only in the Network domain, which the hub would have to enable before the
// load begins. For a page that was just opened, the failure often comes earlier. The error page itself has the reason
// at any time.

// errorCode reads the reason from the error page, once that is complete.
const errorCode = `new Promise(resolve => {
	const tell = () => resolve(document.querySelector('.error-code, #error-code')?.textContent ?? '');
	if (document.readyState === 'complete') tell(); else addEventListener('load', tell);
})`

// errorCodeReply tags the reply that has the error page's code.
type errorCodeReply struct{ gen registry.Gen }

// arrives records what the main frame shows: a page, or Chrome's error page in its place.
func (p *Link) arrives(f cdpclient.Frame) {
	switch {
	case f.UnreachableURL != "":
		p.Doc.Failure = registry.NotLoaded("")
		p.askErrorCode()
	case f.URL != "": // without an address it is the initial empty document
		p.Doc.Failure, p.Doc.Arrived = "", true
	}
}

func (p *Link) askErrorCode() {
	p.conn.Post(p.session, cdpclient.RuntimeEvaluate,
		cdpclient.EvaluateParams{Expression: errorCode, AwaitPromise: true, ReturnByValue: true},
		errorCodeReply{p.Doc.Gen})
}

func (p *Link) errorCodeFound(tag errorCodeReply, r cdpclient.Reply) {
	if tag.gen != p.Doc.Gen || p.Doc.Failure == "" {
		return
	}
	var reply struct{ Result struct{ Value string } }
	if r.Err == nil && json.Unmarshal(r.Result, &reply) == nil {
		p.Doc.Failure = registry.NotLoaded(registry.NetError(reply.Result.Value))
	} else {
		p.Log.Debug("Chrome's error page does not say its code", "err", r.Err)
	}
	p.Doc.Arrived = true
	p.ReportSoon()
}

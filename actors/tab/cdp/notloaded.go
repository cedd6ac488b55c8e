package cdp

import (
	"encoding/json"

	"webmcphub/cdpclient"
	"webmcphub/registry"
)

// Chrome announces why a page doesn't load by the Network domain only, which the
// hub would have to switch on before the load begins: the failure of a page that
// is just being opened often comes before. The error page itself says it at any time.

// errorCode reads it there, once the page is complete.
const errorCode = `new Promise(resolve => {
	const tell = () => resolve(document.querySelector('.error-code, #error-code')?.textContent ?? '');
	if (document.readyState === 'complete') tell(); else addEventListener('load', tell);
})`

// errorCodeReply tags the reply that tells the error page's code.
type errorCodeReply struct{ gen registry.Gen }

// arrives takes note of what the main frame shows: a page, or Chrome's error page
// in its place.
func (p *Link) arrives(f cdpclient.Frame) {
	switch {
	case f.UnreachableURL != "":
		p.Doc.Failure = registry.NotLoaded("")
		p.askErrorCode()
	case f.URL != "": // else it is the document before the first
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

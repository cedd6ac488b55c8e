package actors_test

import (
	"encoding/json"
	"testing"

	"webmcphub/actors/browser"
	. "webmcphub/actors/hubtest"
	"webmcphub/actors/supervisor"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/extlink/exttest"
)

// The suite runs over each way by which a page can be reached. What a way's
// browser and pages must be able to do stands here; suite_test.go has the cases.

type suitePage interface {
	register(...PageTool)
	unregister(...string)
	navigate(url string)
	push(url string)
	title(string)
	close()
	crash() // or what looks so to the hub
	frame(...PageTool)
}

type suiteBrowser interface {
	open(url string) suitePage
	lose()              // the connection, without a word
	rejoin()            // it comes back, with what it has by then
	result(text string) // answers a call that nobody made
}

// suiteHub is a hub with one browser, reached in one way.
type suiteHub struct {
	*TestHub
	suiteBrowser
}

// everyWay runs a case over each way.
func everyWay(t *testing.T, name string, test func(t *testing.T, h *suiteHub)) {
	for _, way := range []string{"devtools", "extension", "plain extension"} {
		t.Run(name+"/"+way, func(t *testing.T) {
			Bubble(t, func(t *testing.T) { test(t, newSuiteHub(t, way)) })
		})
	}
}

func newSuiteHub(t *testing.T, way string) *suiteHub {
	if way == "devtools" {
		h := NewHub(t)
		return &suiteHub{h, &devtools{h}}
	}
	h := NewExtHub(t)
	b := exttest.New("one")
	b.Plain = way == "plain extension"
	t.Cleanup(b.Die)
	h.AddExtension(b.Connect())
	h.Quiet()
	return &suiteHub{h, &extension{h, b}}
}

type devtools struct{ h *TestHub }

func (d *devtools) open(url string) suitePage { return devtoolsPage{d.h.Chrome.OpenPage(url)} }
func (d *devtools) lose() {
	d.h.Dialer.FailWith(func(int) error { return supervisor.ErrInternal })
	d.h.Chrome.Disconnect()
}
func (d *devtools) rejoin() { d.h.Dialer.FailWith(nil); d.h.Pass(browser.MaxBackoff); d.h.Quiet() }
func (d *devtools) result(text string) {
	p := d.h.Chrome.Pages()[0]
	session := d.h.Session(p)
	d.h.InActor(p, func(t *tab.Tab) {
		t.Link().Handle(cdpclient.Event{Session: session, Method: cdpclient.WebMCPToolResponded, Params: json.RawMessage(`{"invocationId":"nobody","status":"Completed","output":"` + text + `"}`)})
	})
}

type devtoolsPage struct{ p *cdptest.Page }

func forDevtools(tools []PageTool) (all []cdptest.Tool) {
	for _, t := range tools {
		run := t.Run
		if run == nil {
			run = Says("ok")
		}
		all = append(all, cdptest.Tool{Name: t.Name, Description: t.Description, Execute: run})
	}
	return all
}

func (d devtoolsPage) register(tools ...PageTool) {
	for _, t := range forDevtools(tools) {
		d.p.Unregister(t.Name) // a page may not register a name twice
		d.p.Register(t)
	}
}
func (d devtoolsPage) unregister(names ...string) { d.p.Unregister(names...) }
func (d devtoolsPage) navigate(url string)        { d.p.Navigate(url) }
func (d devtoolsPage) push(url string)            { d.p.PushState(url) }
func (d devtoolsPage) title(title string)         { d.p.SetTitle(title) }
func (d devtoolsPage) close()                     { d.p.Close() }
func (d devtoolsPage) crash()                     { d.p.Crash() }
func (d devtoolsPage) frame(tools ...PageTool) {
	d.p.AddFrame("https://frame3.test/").Register(forDevtools(tools)...)
}

type extension struct {
	h *TestHub
	b *exttest.Browser
}

func (e *extension) open(url string) suitePage { return extensionPage{e.b.OpenTab(url)} }
func (e *extension) lose()                     { _ = e.b.Wire().Close() }
func (e *extension) rejoin()                   { e.h.AddExtension(e.b.Connect()); e.h.Quiet() }
func (e *extension) result(text string) {
	for _, id := range []string{"nobody", "1.0.7", "99.1.1", ""} {
		e.b.Say(`{"type":"toolResult","callId":"` + id + `","result":"` + text + `"}`)
	}
}

type extensionPage struct{ t *exttest.Tab }

func (e extensionPage) register(tools ...PageTool) { e.t.Register(ForExtension(0, tools)...) }
func (e extensionPage) unregister(names ...string) { e.t.Unregister(names...) }
func (e extensionPage) navigate(url string)        { e.t.Navigate(url) }
func (e extensionPage) push(url string)            { e.t.Push(url) }
func (e extensionPage) title(title string)         { e.t.SetTitle(title) }
func (e extensionPage) close()                     { e.t.Close() }
func (e extensionPage) crash()                     { e.t.Close() }
func (e extensionPage) frame(tools ...PageTool)    { e.t.Register(ForExtension(3, tools)...) }

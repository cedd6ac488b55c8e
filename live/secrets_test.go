package live

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"webmcphub/internal/mask/masktest"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// TestNoGeneratedSecretIsShown: secrets of all known shapes, in arguments, results, addresses and titles, are neither
// on the page nor in an export nor in an archive.
func TestNoGeneratedSecretIsShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := masktest.Secret(t)
		text, _ := json.Marshal(masktest.Around(t, secret))
		p := newStepped()
		p.step(registry.PageOpened{Page: "A", URL: "https://a.example/"},
			registry.PageChanged{Page: "A", URL: "https://a.example/?q=" + secret, Title: "Key " + secret})
		at := time.Unix(1000, 0)
		p.s.Step(Ended{Call{ID: 7, Began: at, Ended: at.Add(time.Second), Name: "x", Tab: 1, Outcome: "ok",
			Args: Cut(fmt.Appendf(nil, `{"q":%s,"list":[%s]}`, text, text)), Result: Cut(fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}]}`, text))}})
		har, err := json.Marshal(p.s.HAR(Filter{}, "1"))
		if err != nil {
			t.Fatal(err)
		}
		all := []string{string(har)}
		calls, moments := p.s.Export(Filter{Tab: 1})
		for _, c := range calls {
			line, _ := json.Marshal(c.Line())
			d := (&Server{}).details(c, registry.EmptyCatalog())
			all = append(all, string(line), fmt.Sprint(d.ShownArgs), d.ShownResult, c.Preview())
		}
		for _, m := range moments {
			line, _ := json.Marshal(m.Line(1))
			all = append(all, string(line))
		}
		part := strings.SplitN(secret, "\n", 3)
		for _, written := range all {
			if len(calls) != 1 || len(moments) == 0 || strings.Contains(written, part[min(1, len(part)-1)]) {
				t.Fatalf("%q is in %s", secret, written)
			}
		}
	})
}

// TestFieldsAndSchemasAreBelieved: what goes into a page's field for secrets isn't shown, nor a parameter that the
// tool's schema calls secret.
func TestFieldsAndSchemasAreBelieved(t *testing.T) {
	s := &Server{store: newStore()}
	defer s.store.close()
	state := registry.NewState(registry.Options{})
	for _, e := range []registry.Event{
		registry.PageOpened{Page: "A", URL: "https://a.example/"}, registry.Navigated{Page: "A", Gen: 1, URL: "https://a.example/"},
		registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{{Name: "pay", Doc: 1, FrameURL: "https://a.example/", InputSchema: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string"},"w":{"type":"string","writeOnly":true}}}`)}}},
		registry.FlushDue{},
	} {
		for _, effect := range state.Step(e) {
			if served, is := effect.(registry.SetCatalog); is {
				s.store.ask(func(b *store) { b.state.Step(Served{time.Now(), served.Catalog}) })
			}
		}
	}
	call := func(name, args, answer string) {
		r := calls.Record{Began: time.Now(), Name: name, Args: json.RawMessage(args), Outcome: "ok"}
		over := s.Watch(r, func() {})
		s.store.ask(func(b *store) {
			for _, c := range b.state.running {
				if strings.Contains(string(c.Args.JSON), "gone") {
					t.Errorf("while it runs: %s", c.Args.JSON)
				}
			}
		})
		over(r, json.RawMessage(answer))
	}
	call("take_snapshot", `{}`, `{"content":[{"type":"text","text":"b1 textbox \"Name\"\nb2 textbox \"Card\" cc-number"}]}`)
	call("fill", `{"uid":"b1","value":"kept 1"}`, `{}`)
	call("fill", `{"uid":"b2","value":"gone 1"}`, `{}`)
	call("fill", `{"uid":"b9","value":"gone 2"}`, `{}`)
	call("webmcp_a_example_page0_pay", `{"q":"kept 2","w":"gone 3"}`, `{}`)
	call("call_webmcp_tool", `{"name":"webmcp_a_example_page0_pay","arguments":{"q":"kept 3","w":"gone 4"}}`, `{}`)
	var all []string
	s.store.ask(func(b *store) {
		calls, _ := b.state.Export(Filter{})
		for _, c := range calls {
			all = append(all, string(c.Args.JSON))
		}
	})
	if got := strings.Join(all, " "); strings.Contains(got, "gone") || strings.Count(got, "kept") != 3 {
		t.Errorf("the calls are %s", got)
	}
}

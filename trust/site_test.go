package trust

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"webmcphub/mcpserver/calls"
	"webmcphub/trust/flow"
	"webmcphub/trust/rules"
)

// safeGuard decides as --safe has it.
func safeGuard(t testing.TB) *Guard {
	t.Helper()
	preset, err := rules.Preset(rules.Safe)
	if err != nil {
		t.Fatal(err)
	}
	set, err := rules.NewSet(preset)
	if err != nil {
		t.Fatal(err)
	}
	return New(Options{Rules: NewPolicy(set), Flow: NewFlowDecider(flow.Options{Mode: flow.Ask, Domain: func(h string) string { return h }}, nil)})
}

// person answers questions with one choice after another, and keeps what was asked.
type person struct {
	choices []string
	asked   []string
}

// does judges an action of a browser tool or, if kind is calls.PageTool, of a page's tool.
func (p *person) does(g *Guard, kind calls.Kind, name, origin string, change func(*calls.Action)) string {
	d := buying(nil)
	d.Kind, d.Name, d.HubName, d.Origin, d.Address = kind, name, name, origin, origin+"/"
	if kind == calls.BrowserTool {
		d.Class = calls.Destructive
	}
	d.Ask = func(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
		p.asked = append(p.asked, string(params))
		choice := p.choices[0]
		p.choices = p.choices[1:]
		return json.RawMessage(`{"action":"accept","content":{"answer":"` + choice + `"}}`), nil
	}
	if change != nil {
		change(&d)
	}
	if no := g.Judge(context.Background(), d); no != nil {
		return no.Text
	}
	readBy(g.options.Flow, d)
	return ""
}

func TestASiteIsAskedAboutOnce(t *testing.T) {
	const shop, mail = "https://shop.example", "https://mail.example"
	g, p := safeGuard(t), &person{}
	for _, step := range []struct {
		name   string
		kind   calls.Kind
		origin string
		change func(*calls.Action)
		choice string // "" if nobody is asked
		shows  string // in the question
	}{
		{"search", calls.PageTool, shop, func(d *calls.Action) { d.Class = calls.ReadOnly }, "", ""},
		{"buy", calls.PageTool, shop, nil, "hour", "this site's tools, except those that it calls destructive, for an hour"},
		{"buy", calls.PageTool, shop, func(d *calls.Action) { d.Args = json.RawMessage(`{"n":7}`) }, "", ""},
		{"rate", calls.PageTool, shop, func(d *calls.Action) { d.Document.Doc = 5 }, "", ""},
		{"erase", calls.PageTool, shop, func(d *calls.Action) { d.Class = calls.Destructive }, "document", "this site's tools that it calls destructive, until the page navigates"},
		{"click", calls.BrowserTool, shop, nil, "day", "clicks, keys and other input on this site, for 24 hours"},
		{"fill", calls.BrowserTool, shop, nil, "", ""},
		{"evaluate_script", calls.BrowserTool, shop, nil, "once", "scripts on this site"},
		{"evaluate_script", calls.BrowserTool, shop, nil, "hour", "scripts on this site"},
		{"evaluate_script", calls.BrowserTool, shop, nil, "", ""},
		{"navigate_page", calls.BrowserTool, shop, func(d *calls.Action) { d.To, d.Args = shop+"/b", json.RawMessage(`{"url":"`+shop+`/b"}`) }, "", ""},
		{"navigate_page", calls.BrowserTool, shop, func(d *calls.Action) {
			d.To, d.Args = shop+"/b", json.RawMessage(`{"url":"`+shop+`/b","initScript":"1"}`)
		}, "once", "It goes to this address"},
		{"upload_file", calls.BrowserTool, shop, nil, "hour", "uploads to this site"},
		{"close_page", calls.BrowserTool, shop, nil, "", ""},
	} {
		p.asked, p.choices = nil, slices.Repeat([]string{step.choice}, 2)
		if why := p.does(g, step.kind, step.name, step.origin, step.change); why != "" {
			t.Errorf("%s: %s", step.name, why)
		}
		if want := min(len(step.choice), 1); len(p.asked) != want {
			t.Errorf("%s: asked %d times, want %d: %s", step.name, len(p.asked), want, p.asked)
		} else if want == 1 && !strings.Contains(p.asked[0], step.shows) {
			t.Errorf("%s: asked %s, want %q", step.name, p.asked[0], step.shows)
		}
	}
	// Another site is asked about for its own, and first of all about what would go there.
	p.asked, p.choices = nil, []string{"hour", "always"}
	passes := func(d *calls.Action) { d.Args = json.RawMessage(`{"text":"The pin is 4711"}`) }
	if why := p.does(g, calls.PageTool, "send", mail, passes); why != "" || len(p.asked) != 2 ||
		!strings.Contains(p.asked[0], "except those that it calls destructive") || !strings.Contains(p.asked[1], shop) {
		t.Errorf("%s; asked %q", why, p.asked)
	}
	p.asked = nil
	if why := p.does(g, calls.PageTool, "send", mail, passes); why != "" || len(p.asked) > 0 {
		t.Errorf("the second time: %s; asked %q", why, p.asked)
	}
	// A no refuses, and nothing else is asked.
	p.asked, p.choices = nil, []string{"no"}
	if why := p.does(g, calls.PageTool, "send", "https://other.example", nil); !strings.Contains(why, "the user refused it") || len(p.asked) != 1 {
		t.Errorf("%s; asked %q", why, p.asked)
	}
	// Another client's answers are its own.
	p.asked, p.choices = nil, []string{"once"}
	if why := p.does(g, calls.PageTool, "buy", shop, func(d *calls.Action) { d.Session, d.Client = "b", "other" }); why != "" || len(p.asked) != 1 {
		t.Errorf("%s; asked %q", why, p.asked)
	}
}

// Both questions of one call are asked, one after the other.
func TestASiteAndWhatGoesThereAreAskedAbout(t *testing.T) {
	g := safeGuard(t)
	asked := 0
	d := buying(func(context.Context) (string, error) {
		asked++
		return yes, nil
	})
	d.Session, d.Args = "", json.RawMessage(`{"q":"4711"}`)
	bank := d
	bank.Origin, bank.Address, bank.Class = "https://bank.example", "https://bank.example/", calls.ReadOnly
	readBy(g.options.Flow, bank)
	if no := g.Judge(context.Background(), d); no != nil {
		t.Fatal(no.Text)
	}
	if asked != 2 {
		t.Errorf("asked %d times, want 2", asked)
	}
}

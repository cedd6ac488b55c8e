package input

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"

	"webmcphub/cdpclient"
)

// TestAsMeant holds what is sent to what was looked at.
func TestAsMeant(t *testing.T) {
	frame := func(id, loader, parent, origin string) page.Frame {
		return page.Frame{FrameRef: page.FrameRef{ID: id, Loader: loader}, Parent: parent, Origin: origin, URL: origin + "/x", Permitted: origin != "denied"}
	}
	main, inner, denied := frame("m", "1", "", "a"), frame("i", "2", "m", "a"), frame("d", "3", "m", "denied")
	other := frame("o", "4", "m", "o")
	no := func(f page.Frame) error {
		if f.ID == other.ID {
			return errors.New("not there")
		}
		return nil
	}
	for _, c := range []struct {
		name                 string
		documents, past, now []page.Frame
		barred               func(page.Frame) error
		says                 string
	}{
		{"as it was", []page.Frame{inner, main}, nil, []page.Frame{main, inner}, nil, ""},
		{"the page went elsewhere", []page.Frame{main}, nil, []page.Frame{frame("m", "9", "", "b")}, nil, "its frame now shows b/x"},
		{"the page went to a site that is kept out", []page.Frame{main}, nil, []page.Frame{frame("m", "9", "", "denied")}, nil, "its frame now shows denied"},
		{"the element's frame went elsewhere", []page.Frame{inner, main}, nil, []page.Frame{main, frame("i", "9", "m", "b")}, nil, "its frame now shows b/x"},
		{"the element's frame is gone", []page.Frame{inner, main}, nil, []page.Frame{main}, nil, "the frame was removed"},
		{"another frame went elsewhere", []page.Frame{main}, nil, []page.Frame{main, frame("i", "9", "m", "b")}, nil, ""},
		{"another frame went to a site that is kept out", []page.Frame{main}, nil, []page.Frame{main, denied}, nil, "a document of denied came just then"},
		{"a frame that is kept out is shielded", []page.Frame{main}, []page.Frame{denied}, []page.Frame{main, denied}, nil, ""},
		{"one inside a shielded frame", []page.Frame{main}, []page.Frame{inner}, []page.Frame{main, inner, frame("d", "3", "i", "denied")}, nil, ""},
		{"a shielded frame went to a site that is kept out", []page.Frame{main}, []page.Frame{inner}, []page.Frame{main, frame("i", "9", "m", "denied")}, nil, ""},
		{"keys, to whatever has the focus", nil, nil, []page.Frame{main, inner}, nil, ""},
		{"keys, and the page is at a site that is kept out", nil, nil, []page.Frame{frame("m", "9", "", "denied")}, nil, "a document of denied came just then"},
		{"another frame is barred", []page.Frame{inner, main}, nil, []page.Frame{main, inner, other}, no, "where nothing may arrive (not there)"},
		{"a barred frame is shielded", []page.Frame{inner, main}, []page.Frame{other}, []page.Frame{main, inner, other}, no, ""},
		{"the element's own frame isn't barred", []page.Frame{inner, main}, nil, []page.Frame{main, inner}, no, ""},
	} {
		said := ""
		if err := asMeant(c.documents, c.past, c.now, c.barred); err != nil {
			said = err.Error()
		}
		if !strings.Contains(said, c.says) || c.says == "" && said != "" {
			t.Errorf("%s: %q, want %q", c.name, said, c.says)
		}
	}
}

// TestThePageGoesBeforeTheEvents: between the last look at an element and the events that are
// meant for it, the page goes to a site that is kept out, or to another. None of them arrives there.
func TestThePageGoesBeforeTheEvents(t *testing.T) {
	t.Parallel()
	const (
		below  = `<div style="height:3000px"></div><button id=b draggable=true>Save</button><script>onscroll = () => console.log('now')</script>`
		field  = `<input id=b onfocus="console.log('now')">`
		counts = `<!doctype html><body style="margin:0;height:100vh"><input id=i autofocus style="width:100vw;height:100vh"><script>var taken = []
			for (const type of ['mousemove', 'mousedown', 'mouseup', 'dragenter', 'keydown', 'beforeinput', 'input']) addEventListener(type, e => taken.push(type), true)
			i.focus()</script>`
	)
	for _, c := range []struct {
		name, html, to string
		act            func(ctx context.Context, t *Tab, n Node) (*Outcome, error)
	}{
		{"click", below, "b", func(ctx context.Context, t *Tab, n Node) (*Outcome, error) { return t.Click(ctx, n, ClickOptions{}) }},
		{"click, to a permitted site", below, "c", func(ctx context.Context, t *Tab, n Node) (*Outcome, error) { return t.Click(ctx, n, ClickOptions{}) }},
		{"hover", below, "b", func(ctx context.Context, t *Tab, n Node) (*Outcome, error) { return t.Hover(ctx, n, Limits{}) }},
		{"drag", below, "b", func(ctx context.Context, t *Tab, n Node) (*Outcome, error) {
			return t.Drag(ctx, n, DragOptions{To: &n})
		}},
		{"a key", field, "b", func(ctx context.Context, t *Tab, n Node) (*Outcome, error) {
			return t.Press(ctx, "x", PressOptions{Node: &n})
		}},
		{"typing", field, "b", func(ctx context.Context, t *Tab, n Node) (*Outcome, error) {
			return t.Type(ctx, "secret", TypeOptions{Node: &n})
		}},
		{"typing, to a permitted site", field, "c", func(ctx context.Context, t *Tab, n Node) (*Outcome, error) {
			return t.Type(ctx, "secret", TypeOptions{Node: &n})
		}},
		{"filling", field, "b", func(ctx context.Context, t *Tab, n Node) (*Outcome, error) {
			return t.Fill(ctx, n, []string{"secret"}, Limits{})
		}},
		{"emptying", field + `<script>b.value = 'old'</script>`, "b", func(ctx context.Context, t *Tab, n Node) (*Outcome, error) {
			return t.Fill(ctx, n, []string{""}, Limits{})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tab := automationtest.Open(t, automationtest.Pages{"/": prelude + c.html, "/counts": counts}, func(o *page.Options) {
				o.Helper = page.ActingScript()
				o.Permits = func(origin string) bool { return !strings.Contains(origin, "//b.test") }
			})
			other, err := page.Open(tab.Ctx, tab.Conn, tab.Target, page.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(other.Close)
			target := tab.Site.URL(c.to, "/counts")
			goes := sync.OnceFunc(func() {
				main, _ := other.Main()
				const look = "() => new Promise(done => { let n = 0; const next = () => n++ < 10 ? requestAnimationFrame(next) : done(); next() })"
				if err := other.Evaluate(tab.Ctx, main.FrameRef, page.Main, look, nil, nil); err != nil {
					t.Error(err)
				}
				var to cdpclient.NavigateResult
				if err := other.Call(tab.Ctx, "", cdpclient.PageNavigate, map[string]any{"url": target}, &to); err != nil {
					t.Error(err)
				}
				if err := other.WaitLoad(tab.Ctx, to.LoaderID, page.Loaded); err != nil {
					t.Error(err)
				}
			})
			node := Node{Frame: tab.Frame("").FrameRef, Backend: tab.Node(tab.Frame(""), "#b"), Role: "element", Name: "#b"}
			// While the handler runs, the page hears nothing else: the answer to the look, which is
			// there by then, is followed by the news of the next document.
			defer tab.Subscribe(func(e cdpclient.Event) {
				if strings.Contains(string(e.Params), `"now"`) {
					goes()
				}
			}, "Runtime.consoleAPICalled")()
			_, err = c.act(tab.Ctx, New(tab.Page, false), node)
			says := `were not sent to the page: .*its frame now shows http://` + c.to + `\.test`
			if c.html != below && c.to == "b" { // the look for the focus may see it first
				says += `|nothing was typed: .*http://b\.test.* is kept out`
			}
			if err == nil || !regexp.MustCompile(says).MatchString(err.Error()) {
				t.Errorf("it says %v", err)
			}
			main, _ := other.Main()
			var taken []string
			if err := other.Evaluate(tab.Ctx, main.FrameRef, page.Main, "() => new Promise(done => setTimeout(() => done(taken), 50))", nil, &taken); err != nil {
				t.Fatal(err)
			}
			if len(taken) > 0 || main.URL != target {
				t.Errorf("%s got %v", main.URL, taken)
			}
		})
	}
}

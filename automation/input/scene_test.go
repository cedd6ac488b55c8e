package input

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"

	"webmcphub/cdpclient"
)

func TestMain(m *testing.M) { automationtest.Main(m, "--site-per-process") }

// A row is one case: a page, and what is done and seen there.
type row struct {
	name string
	html string
	play func(s *scene)
}

// play plays rows side by side, each in a tab that no other row uses meanwhile.
func play(t *testing.T, rows []row) {
	tabs := automationtest.NewTable(t)
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			r.play(sceneOf(t, tabs.Open, automationtest.HTML(prelude+r.html)))
		})
	}
}

// prelude gives pages a log of what happened in them, and makes them quirk-free.
const prelude = `<!DOCTYPE html><script>
var log = [];
function watch(...types) { for (const type of types) addEventListener(type, e => { if (e.target.nodeName) log.push(type + '@' + (e.target.id || e.target.nodeName)) }, true); }
function frames2(f) { requestAnimationFrame(() => requestAnimationFrame(f)); }
</script>`

// scene is a test's page with somebody who acts on it.
type scene struct {
	*testing.T
	tab   *Tab
	in    *automationtest.Tab
	frame string // the end of the address of the frame in which selectors are looked for
	limit time.Duration
}

func newScene(t *testing.T, pages automationtest.Pages) *scene {
	t.Helper()
	return sceneOf(t, automationtest.Open, pages)
}

func sceneOf(t *testing.T, open func(testing.TB, automationtest.Pages, ...func(*page.Options)) *automationtest.Tab,
	pages automationtest.Pages) *scene {
	t.Helper()
	tab := open(t, pages, func(o *page.Options) { o.Helper = page.ActingScript() })
	return &scene{T: t, tab: New(tab.Page, false), in: tab}
}

func (s *scene) node(selector string) Node {
	s.Helper()
	f := s.in.Frame(s.frame)
	return Node{Frame: f.FrameRef, Backend: s.in.Node(f, selector), Role: "element", Name: selector}
}

func (s *scene) at(selector string) *Node {
	s.Helper()
	n := s.node(selector)
	return &n
}

// click clicks, and fails the test on an error.
func (s *scene) click(selector string, options ...func(*ClickOptions)) *Outcome {
	s.Helper()
	out, err := s.tryClick(selector, options...)
	if err != nil {
		s.Fatalf("click %s: %v", selector, err)
	}
	if !out.Delivered {
		s.Errorf("click %s: not delivered", selector)
	}
	return out
}

func (s *scene) tryClick(selector string, options ...func(*ClickOptions)) (*Outcome, error) {
	s.Helper()
	var o ClickOptions
	for _, set := range options {
		set(&o)
	}
	if s.limit > 0 {
		o.Limits.Ready = s.limit
	}
	return s.tab.Click(s.in.Ctx, s.node(selector), o)
}

// refuses expects an action to end with an error that says want.
func (s *scene) refuses(err error, want string) {
	s.Helper()
	if err == nil {
		s.Errorf("it went well, but should say %q", want)
	} else if !strings.Contains(err.Error(), want) {
		s.Errorf("%v\n which does not say %q", err, want)
	}
}

func (s *scene) fill(selector, value string) *Outcome {
	s.Helper()
	out, err := s.tryFill(selector, value)
	if err != nil {
		s.Fatalf("fill %s: %v", selector, err)
	}
	return out
}

func (s *scene) tryFill(selector, value string) (*Outcome, error) {
	s.Helper()
	return s.tab.Fill(s.in.Ctx, s.node(selector), []string{value}, Limits{Ready: s.limit})
}

func (s *scene) press(chord string) {
	s.Helper()
	if _, err := s.tab.Press(s.in.Ctx, chord, PressOptions{}); err != nil {
		s.Fatalf("press %s: %v", chord, err)
	}
}

func (s *scene) typeText(text string) {
	s.Helper()
	if _, err := s.tab.Type(s.in.Ctx, text, TypeOptions{}); err != nil {
		s.Fatalf("type %q: %v", text, err)
	}
}

// js runs an expression in the frame's own world; a promise is awaited.
func (s *scene) js(expression string) string {
	s.Helper()
	var v any
	if err := s.in.Evaluate(s.in.Ctx, s.in.Frame(s.frame).FrameRef, page.Main, "async () => { const v = await ("+expression+"); return v === undefined ? null : v }", nil, &v); err != nil {
		s.Fatalf("%s: %v", expression, err)
	}
	if text, ok := v.(string); ok {
		return text
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// is expects an expression to have a value (JSON, or a text as it is).
func (s *scene) is(expression, want string) {
	s.Helper()
	if got := s.js(expression); got != want {
		s.Errorf("%s is %s, not %s", expression, got, want)
	}
}

// becomes waits until an expression has a value.
func (s *scene) becomes(expression, want string) {
	s.Helper()
	const wait = `(async () => { for (let i = 0; i < 200; i++) { if (String(await (%)) === @) return 'yes'; await new Promise(d => setTimeout(d, 25)) } return String(await (%)) })()`
	quoted, _ := json.Marshal(want)
	if got := s.js(strings.ReplaceAll(strings.ReplaceAll(wait, "%", expression), "@", string(quoted))); got != "yes" {
		s.Errorf("%s is still %s, not %s", expression, got, want)
	}
}

func short(d time.Duration) func(*ClickOptions) {
	return func(o *ClickOptions) { o.Limits.Ready = d }
}

// object is the node that an expression of the page's gives, as in closed shadow roots.
func (s *scene) object(expression string) Node {
	s.Helper()
	f := s.in.Frame(s.frame)
	id, err := s.in.World(s.in.Ctx, f.FrameRef, page.Main)
	if err != nil {
		s.Fatal(err)
	}
	var is cdpclient.EvaluateResult
	s.in.Must(f.Session, cdpclient.RuntimeEvaluate, map[string]any{"expression": expression, "contextId": id}, &is)
	var described struct{ Node struct{ BackendNodeID int } }
	s.in.Must(f.Session, "DOM.describeNode", map[string]any{"objectId": is.Result.ObjectID}, &described)
	return Node{Frame: f.FrameRef, Backend: described.Node.BackendNodeID, Role: "element", Name: expression}
}

// raw clicks at a place without any of the hub's care.
func (s *scene) raw(x, y float64) {
	s.Helper()
	for _, e := range []mouseEvent{
		{Type: "mouseMoved", X: x, Y: y, Button: "none"},
		{Type: "mousePressed", X: x, Y: y, Button: Left, Buttons: 1, ClickCount: 1},
		{Type: "mouseReleased", X: x, Y: y, Button: Left, ClickCount: 1},
	} {
		s.in.Must("", "Input.dispatchMouseEvent", e, nil)
	}
}

var errEnough = errors.New("enough")

// ctx is one that a test ends with errEnough.
func (s *scene) ctx() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(s.in.Ctx)
	return ctx, func() { cancel(errEnough) }
}

// untilDialog waits until the page shows a dialog.
func (s *scene) untilDialog() page.Dialog {
	s.Helper()
	seen := make(chan struct{}, 8)
	defer s.in.Subscribe(func(cdpclient.Event) {
		select {
		case seen <- struct{}{}:
		default:
		}
	}, cdpclient.PageJavascriptDialogOpening)()
	for {
		if d, open := s.in.Dialog(); open {
			return d
		}
		select {
		case <-seen:
		case <-time.After(100 * time.Millisecond):
		case <-s.in.Ctx.Done():
			s.Fatal("no dialog opened")
		}
	}
}

// answer waits for the page's dialog and answers it.
func (s *scene) answer(accept bool) page.Dialog {
	s.Helper()
	s.untilDialog()
	d, err := s.in.HandleDialog(s.in.Ctx, 0, accept, "")
	if err != nil {
		s.Fatal(err)
	}
	return d
}

// odd answers the requests that have no document for an answer, or a late one.
func odd(w http.ResponseWriter, r *http.Request) bool {
	switch r.URL.Path {
	case "/204":
		w.WriteHeader(http.StatusNoContent)
	case "/redirect":
		http.Redirect(w, r, "/next", http.StatusFound)
	case "/slow":
		select {
		case <-r.Context().Done():
		case <-time.After(300 * time.Millisecond):
		}
		return false
	case "/hang":
		<-r.Context().Done()
	default:
		return false
	}
	return true
}

// sceneAt is a scene on a site of its own.
func sceneAt(t *testing.T, site *automationtest.Site) *scene {
	t.Helper()
	tab := automationtest.OpenAt(t, site, site.URL("a", "/"), func(o *page.Options) { o.Helper = page.ActingScript() })
	return &scene{T: t, tab: New(tab.Page, false), in: tab}
}

// chooser has seen told of file choosers that Chrome hands to the hub.
func (s *scene) chooser(seen chan<- struct{}) (cancel func()) {
	return s.in.Subscribe(func(cdpclient.Event) {
		select {
		case seen <- struct{}{}:
		default:
		}
	}, "Page.fileChooserOpened")
}

// turns gives the page and the browser some turns.
func (s *scene) turns() {
	s.Helper()
	s.js("new Promise(done => setTimeout(done, 200))")
}

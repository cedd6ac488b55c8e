package automation

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"
	"webmcphub/registry/names"
)

// openRuled is openReal where the rules keep out what is at b.test.
func openRuled(t *testing.T, pages automationtest.Pages) real {
	return openDenying(t, "http://b.test:*", pages)
}

// openRuledIn is openRuled in one of a table's tabs.
func openRuledIn(t *testing.T, tabs *automationtest.Table, pages automationtest.Pages) real {
	t.Helper()
	t.Parallel()
	return realIn(t, tabs.Open(t, pages), denies(t, "http://b.test:*"))
}

// openDenying is openReal where the rules keep out an origin.
func openDenying(t *testing.T, origin string, pages automationtest.Pages) real {
	t.Helper()
	t.Parallel()
	return realIn(t, automationtest.Open(t, pages), denies(t, origin))
}

// denies has rules keep out an origin.
func denies(t *testing.T, origin string) func(*Options) {
	t.Helper()
	origins, err := names.ParseOrigins(nil, []string{origin})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *Options) { o.Origins = origins }
}

// TestInitScriptStaysWithinTheRules: a script that is to run before a page's own doesn't
// run at sites that are kept out, in frames or where the address redirects to.
func TestInitScriptStaysWithinTheRules(t *testing.T) {
	r := openRuled(t, automationtest.Pages{
		"/":      `<p>x`,
		"/frame": `<script>parent.postMessage(typeof early, "*")</script>`,
		"/leads": `<script>onmessage = e => said = e.data</script><iframe src="{{b}}/frame"></iframe>`,
		"/moves": `<script>location = "{{b}}/told"</script>`,
		"/told":  `<script>document.title = typeof early</script>`,
	})
	script := `,"initScript":"var early = 7"}`
	r.says("navigate_page", `{"url":"`+r.Site.URL("a", "/leads")+`"`+script, "The page is at")
	if got := js[int](r, "window.early"); got != 7 {
		t.Errorf("at the permitted site the script set %d", got)
	}
	if got := js[string](r, "said"); got != "undefined" {
		t.Errorf("the script ran in a frame that is kept out: %s", got)
	}
	_ = r.call("navigate_page", `{"url":"`+r.Site.URL("a", "/moves")+`"`+script)
	title := ""
	for title == "" { // the document that redirects may still be there
		if err := r.Evaluate(r.Ctx, r.Frame("").FrameRef, page.Main, "() => document.title", nil, &title); err != nil && !errors.As(err, new(*page.DocumentGone)) {
			t.Fatal(err)
		}
	}
	if title != "undefined" {
		t.Errorf("the script ran at a site that is kept out: %s", title)
	}
}

// TestHistoryWithinTheRules: nobody goes back to a page that is kept out.
func TestHistoryWithinTheRules(t *testing.T) {
	r := openRuled(t, automationtest.Pages{"/": `<p>x`, "/secret": `<p>y`})
	r.Goto(r.Site.URL("b", "/secret"))
	r.Goto(r.Site.URL("a", "/"))
	r.fails("navigate_page", `{"type":"back"}`, "kept out by the user's rules")
	r.at("/")
}

// TestKeysWithinTheRules: no key goes to a frame that is kept out, though it has the focus.
func TestKeysWithinTheRules(t *testing.T) {
	r := openRuled(t, automationtest.Pages{
		"/":      `<iframe src="{{b}}/frame"></iframe>`,
		"/frame": `<input id=i autofocus><script>onkeydown = e => { parent.postMessage(1, "*"); window.pressed = e.key }</script>`,
	})
	frame := r.Frame("/frame")
	r.Must(frame.Session, "DOM.focus", map[string]any{"backendNodeId": r.Node(frame, "#i")}, nil)
	r.fails("press_key", `{"key":"x"}`, "kept out by the user's rules")
	var pressed string
	if err := r.Evaluate(r.Ctx, frame.FrameRef, page.Main, "() => window.pressed || ''", nil, &pressed); err != nil || pressed != "" {
		t.Errorf("pressed %q there, %v", pressed, err)
	}
}

// TestFramesByAddressWithinTheRules: addresses of frames that are kept out may have secrets.
func TestFramesByAddressWithinTheRules(t *testing.T) {
	r := openRuled(t, automationtest.Pages{"/": `<iframe src="{{b}}/frame?token=abc123"></iframe>`, "/frame": `x`})
	got := r.call("evaluate_script", `{"function":"() => 1","frame":"nothing-like-it"}`)
	if !got.IsError || strings.Contains(got.Text, "abc123") {
		t.Errorf("said %s", got.Text)
	}
	r.fails("evaluate_script", `{"function":"() => 1","frame":"b.test"}`, "not permitted")
}

// TestPicturesWithinTheRules: what a frame shows that is kept out is not in a picture, and
// the user sees it as before.
func TestPicturesWithinTheRules(t *testing.T) {
	r := openRuled(t, automationtest.Pages{
		"/":      `<body style="margin:0;background:#00f"><iframe style="border:0;width:300px;height:300px;display:block" src="{{b}}/frame"></iframe><iframe style="border:0;width:300px;height:300px" src="/inner"></iframe>`,
		"/inner": `<body style="margin:0;background:#0f0"><iframe style="border:0;width:200px;height:200px" src="{{b}}/frame"></iframe>`,
		"/frame": `<body style="background:#f00">secret`,
	})
	got := r.call("take_screenshot", `{}`)
	if got.IsError || len(got.Images) != 1 {
		t.Fatalf("%+v", got)
	}
	picture, _, err := image.Decode(bytes.NewReader(got.Images[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	red, green := 0, 0
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			switch c := color.RGBAModel.Convert(picture.At(x, y)).(color.RGBA); {
			case c.R > 200 && c.G < 50:
				red++
			case c.G > 200 && c.R < 50:
				green++
			}
		}
	}
	if red > 0 || green == 0 {
		t.Errorf("%d pixels are of frames that are kept out, %d of one that isn't", red, green)
	}
	if !strings.Contains(got.Text, "left out") {
		t.Errorf("it doesn't say that something is left out: %s", got.Text)
	}
	if style := js[string](r, "document.querySelector('iframe').style.visibility"); style != "" {
		t.Errorf("the frame is left %s", style)
	}
}

// TestInitScriptOfAPageThatHangs: the call ends with its limit.
func TestInitScriptOfAPageThatHangs(t *testing.T) {
	r := openReal(t, automationtest.Pages{"/": `<p>x`, "/hangs": "<script>" + automationtest.Stalls + "</script>"})
	r.Site.Stall()
	began := time.Now()
	r.fails("navigate_page", `{"url":"`+r.Site.URL("a", "/hangs")+`","initScript":"var early = 7","timeout":1000}`, "has not loaded within 1s")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestARedirectToASiteThatIsKeptOut: of a document that redirects to a site that is kept out, the headers
// tell that site's origin, and nothing else of its address.
func TestARedirectToASiteThatIsKeptOut(t *testing.T) {
	r := openRuled(t, automationtest.Pages{"/": `<p>x`, "/account": `<p>secret`, "/two": `<p>two`})
	r.Site.Handle(func(w http.ResponseWriter, q *http.Request) bool {
		switch q.URL.Path {
		case "/goes":
			http.Redirect(w, q, r.Site.URL("b", "/account?token=s3cret"), http.StatusFound)
		case "/stays":
			http.Redirect(w, q, "/two?token=known", http.StatusFound)
		case "/waits":
			w.Header().Set("Refresh", "1000; url="+r.Site.URL("b", "/account?token=s3cret"))
		default:
			return false
		}
		return true
	})
	r.call("list_network_requests", `{}`) // records from now on
	said := ""
	for _, path := range []string{"/goes", "/stays", "/waits"} {
		js[any](r, `new Promise(done => { const f = document.createElement('iframe'); f.onload = done; f.src = "`+path+`"; document.body.append(f) })`)
	}
	list := r.call("list_network_requests", `{}`).Text
	for _, id := range regexp.MustCompile(`reqid=(\d+) `).FindAllStringSubmatch(list, -1) {
		said += r.call("get_network_request", `{"reqid":`+id[1]+`}`).Text
	}
	if strings.Contains(list+said, "s3cret") {
		t.Errorf("it is told:\n%s\n%s", list, said)
	}
	for _, part := range []string{"ocation: " + strings.TrimSuffix(r.Site.URL("b", "/"), "/"), "efresh: " + strings.TrimSuffix(r.Site.URL("b", "/"), "/"), "/two?token=known"} {
		if !strings.Contains(said, part) {
			t.Errorf("no %q in %s", part, said)
		}
	}
}

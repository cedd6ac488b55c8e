package automation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"
)

// seen is what a document sees of its device.
const seen = `async () => ({
	width: innerWidth, height: innerHeight, ratio: devicePixelRatio, touch: navigator.maxTouchPoints, agent: navigator.userAgent,
	dark: matchMedia('(prefers-color-scheme: dark)').matches, forced: matchMedia('(forced-colors: active)').matches,
	more: matchMedia('(prefers-contrast: more)').matches, reduced: matchMedia('(prefers-reduced-motion: reduce)').matches,
	orientation: screen.orientation.type, online: navigator.onLine,
})`

type sight struct {
	Width, Height, Touch        int
	Ratio                       float64
	Agent, Orientation          string
	Dark, Forced, More, Reduced bool
	Online                      bool
}

func (r real) sees(frame string) (s sight) {
	r.t.Helper()
	if err := r.Evaluate(r.Ctx, r.Frame(frame).FrameRef, page.Main, seen, nil, &s); err != nil {
		r.t.Fatal(err)
	}
	return s
}

// awaitWidth waits until the page has that width: Chrome gives the size back after it has
// ended the session that changed it.
func (r real) awaitWidth(width int) {
	r.t.Helper()
	automationtest.JS[any](r.Tab, fmt.Sprintf("new Promise(done => { const is = () => innerWidth === %d && done(0); addEventListener('resize', is); is() })", width))
}

const iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1"

func TestEmulate(t *testing.T) {
	r := openReal(t, automationtest.Pages{
		"/":      `<meta name=viewport content="width=device-width"><iframe src="{{b}}/inner"></iframe>`,
		"/inner": `<p>inner</p>`,
	})
	true0 := r.sees("")
	r.says("emulate", `{"viewport":"390x844x3,mobile,touch","userAgent":"`+iPhone+`","colorScheme":"dark","forcedColors":"active","prefersContrast":"more","prefersReducedMotion":"reduce"}`,
		`Emulated in the page: User-Agent "`+iPhone+`", prefers-color-scheme dark, forced-colors active, prefers-contrast more, prefers-reduced-motion reduce, viewport 390x844x3 mobile touch.`)
	want := sight{390, 844, 1, 3, iPhone, "portrait-primary", true, true, true, true, true}
	if got := r.sees(""); got != want {
		t.Errorf("the page sees %+v,\nwant %+v", got, want)
	}
	r.sameWithin("/inner", want)
	// A frame that comes later, from another site, is made to see the same.
	automationtest.JS[any](r.Tab, `new Promise(done => { const f = document.createElement('iframe'); f.onload = () => done(0); f.src = "`+r.Site.URL("c", "/inner?late")+`"; document.body.append(f) })`)
	r.sameWithin("/inner?late", want)
	// So does the next document, on another site too.
	r.Goto(r.Site.URL("127", "/"))
	if got := r.sees(""); got != want {
		t.Errorf("after a navigation the page sees %+v,\nwant %+v", got, want)
	}
	if _, err := page.Capture(r.Ctx, r.Page, page.CaptureRequest{FullPage: true}); err != nil {
		t.Error(err)
	}
	r.says("emulate", `{"viewport":"800x400,landscape"}`, "Emulated in the page: viewport 800x400 landscape.")
	want = true0
	want.Width, want.Height, want.Orientation = 800, 400, "landscape-primary"
	if got := r.sees(""); got != want {
		t.Errorf("the page sees %+v,\nwant %+v", got, want)
	}
	r.says("emulate", `{}`, "Nothing is emulated in the page.")
	if got := r.sees(""); got != true0 {
		t.Errorf("the page sees %+v,\nwant %+v", got, true0)
	}
	r.sameWithin("/inner", true0)
}

// sameWithin wants a frame to see what the page sees, its own size aside. Chromium 156
// gives frames in other processes the screen's own ratio, whatever is emulated.
func (r real) sameWithin(frame string, want sight) {
	r.t.Helper()
	got := r.sees(frame)
	got.Width, got.Height, got.Ratio, got.Orientation = want.Width, want.Height, want.Ratio, want.Orientation
	if got != want {
		r.t.Errorf("%s sees %+v,\nwant %+v", frame, got, want)
	}
}

func TestResizePage(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<p>x</p>`))
	other := automationtest.NewBackgroundTab(t, r.Tab, "about:blank") // in the same window
	other.Attach()
	other.Goto(r.Site.URL("a", "/"))
	true0, beside := r.sees(""), automationtest.JS[[]int](other, "[innerWidth, innerHeight, outerWidth, outerHeight]")
	r.says("resize_page", `{"width":640,"height":480}`, "Emulated in the page: size 640x480.")
	if got := r.sees(""); got.Width != 640 || got.Height != 480 || got.Ratio != true0.Ratio {
		t.Errorf("the page sees %+v", got)
	}
	if now := automationtest.JS[[]int](other, "[innerWidth, innerHeight, outerWidth, outerHeight]"); now[0] != beside[0] || now[3] != beside[3] {
		t.Errorf("the tab beside it had %v and has %v", beside, now)
	}
	r.says("emulate", `{"viewport":"390x844x2,mobile"}`, "viewport 390x844x2 mobile")
	r.says("resize_page", `{"width":500,"height":600}`, "viewport 500x600x2 mobile")
	r.fails("resize_page", `{"width":500,"height":60000}`, "from 1 to 16384")
	r.says("emulate", `{}`, "Nothing")
	if got := r.sees(""); got != true0 {
		t.Errorf("the page sees %+v,\nwant %+v", got, true0)
	}
}

func TestEmulateRefusesWhatIsWrong(t *testing.T) {
	r := openReal(t, automationtest.HTML(``))
	r.says("emulate", `{"colorScheme":"dark"}`, "dark")
	for args, says := range map[string]string{
		`{"viewport":"390,844"}`:          "The viewport \"390,844\" can't be read",
		`{"geolocation":"91,0"}`:          "The geolocation \"91,0\" can't be read",
		`{"extraHttpHeaders":"X-A: 1"}`:   "The extraHttpHeaders are no JSON object",
		`{"extraHttpHeaders":"{\"\":1}"}`: "The extraHttpHeaders are no JSON object",
	} {
		r.fails("emulate", args, says)
	}
	if got := r.sees(""); !got.Dark {
		t.Error("a call that failed reset what was emulated")
	}
}

func TestEmulateAPlace(t *testing.T) {
	r := openReal(t, automationtest.HTML(``))
	r.Goto(r.Site.URL("127", "/"))
	r.says("emulate", `{"geolocation":"52.5,13.4"}`, "place 52.5,13.4. The page has no permission to ask where it is. "+
		"The user can give it in Chrome: by the icon left of the address, Site settings, Location, Allow.")
	origin := strings.TrimSuffix(r.Site.URL("127", "/"), "/")
	if err := r.Conn.Call(r.Ctx, "", "Browser.grantPermissions", map[string]any{"origin": origin, "permissions": []string{"geolocation"}}, nil); err != nil {
		t.Fatal(err)
	}
	const ask = `new Promise(done => navigator.geolocation.getCurrentPosition(p => done(p.coords.latitude + "," + p.coords.longitude), e => done("error " + e.code), {timeout: 500, maximumAge: 0}))`
	if got := automationtest.JS[string](r.Tab, ask); got != "52.5,13.4" {
		t.Errorf("the page is at %s", got)
	}
	r.says("emulate", `{"geolocation":"-1,2"}`, "Emulated in the page: place -1,2.")
	if got := automationtest.JS[string](r.Tab, ask); got != "-1,2" {
		t.Errorf("the page is at %s", got)
	}
	r.says("emulate", `{}`, "Nothing")
	if got := automationtest.JS[string](r.Tab, ask); !strings.HasPrefix(got, "error") {
		t.Errorf("once the place was cleared, the page is at %s", got)
	}
	r.says("emulate", `{"geolocation":"52.5,13.4"}`, "place 52.5,13.4")
	if got := automationtest.JS[string](r.Tab, ask); got != "52.5,13.4" {
		t.Errorf("the page is at %s", got)
	}
	r.Goto(r.Site.URL("a", "/"))
	r.says("emulate", `{"geolocation":"52.5,13.4"}`, "place 52.5,13.4. The page can't ask where it is: Chrome lets only "+
		"https:// and localhost pages ask.")
}

func TestEmulateClientHints(t *testing.T) {
	r := openReal(t, automationtest.HTML(``))
	r.Goto(r.Site.URL("127", "/"))
	const ask = `navigator.userAgentData.getHighEntropyValues(["model", "platformVersion"]).then(v => v.brands.map(b => b.brand + " " + b.version).slice(1).join() + " " + v.platform + " " + v.platformVersion + " " + v.model + " " + v.mobile)`
	was := automationtest.JS[string](r.Tab, ask)
	r.says("emulate", `{"userAgent":"Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36"}`, "Pixel 9")
	if got := automationtest.JS[string](r.Tab, ask); got != "Chromium 140,Google Chrome 140 Android 15 Pixel 9 true" {
		t.Errorf("the client hints are %s", got)
	}
	r.says("emulate", `{}`, "Nothing")
	if got := automationtest.JS[string](r.Tab, ask); got != was {
		t.Errorf("the client hints are %s, and were %s", got, was)
	}
}

func TestEmulateANetwork(t *testing.T) {
	// Frames of one site share a process with those in other tabs, and share there whether
	// they are told to be online: no other test has frames of this site.
	r := openReal(t, automationtest.Pages{"/": `<iframe src="{{d}}/inner"></iframe>`, "/inner": `inner`})
	var mu sync.Mutex
	var sent []string
	r.Site.Handle(func(w http.ResponseWriter, q *http.Request) bool {
		if q.URL.Path != "/ask" {
			return false
		}
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, q.Header.Get("X-Test"))
		w.Header().Set("Cache-Control", "no-store")
		return true
	})
	asks := func(frame string) string {
		var answer string
		if err := r.Evaluate(r.Ctx, r.Frame(frame).FrameRef, page.Main, `async () => { try { return String((await fetch("/ask")).status) } catch (e) { return "failed" } }`, nil, &answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	r.says("emulate", `{"networkConditions":"Offline","extraHttpHeaders":"{\"X-Test\":\"one\"}"}`, "Emulated in the page: network Offline, headers X-Test.")
	if got := asks("") + asks("/inner"); got != "failedfailed" || r.sees("").Online {
		t.Errorf("offline, the page and its frame got %s", got)
	}
	r.says("emulate", `{}`, "Emulated in the page: headers X-Test.")
	if got := asks("") + asks("/inner"); got != "200200" || !r.sees("").Online {
		t.Errorf("online again, the page and its frame got %s", got)
	}
	r.says("emulate", `{"extraHttpHeaders":""}`, "Nothing")
	asks("")
	if got := strings.Join(sent, ","); got != "one,one," {
		t.Errorf("the headers sent are %q", got)
	}
	r.says("emulate", `{"networkConditions":"Slow 4G"}`, "network Slow 4G")
	took := automationtest.JS[float64](r.Tab, `(async () => { const begun = performance.now(); await fetch("/ask"); return performance.now() - begun })()`)
	if took < 500 {
		t.Errorf("a request by Slow 4G took %.0f ms", took)
	}
}

// TestHeadersWithinTheRules: the agent's headers go to no site that is kept out, whatever of
// the page asks it, and wherever an address leads; to other sites they go as always.
func TestHeadersWithinTheRules(t *testing.T) {
	r := openRuled(t, automationtest.Pages{
		"/":      `<title>One</title>`,
		"/frame": `<script src="/script.js"></script><img src="{{a}}/image-of-the-frame">`, "/script.js": ``,
	})
	var mu sync.Mutex
	sent := map[string][]string{} // by host and path
	r.Site.Handle(func(w http.ResponseWriter, q *http.Request) bool {
		at := q.Host[:1] + q.URL.Path
		mu.Lock()
		sent[at] = append(sent[at], q.Method+" "+q.Header.Get("X-Token")+" "+q.Header.Get("X-Own"))
		mu.Unlock()
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "*")
		if to := q.URL.Query().Get("to"); to != "" {
			http.Redirect(w, q, r.Site.URL(to, "/redirected-to-"+to), http.StatusTemporaryRedirect)
			return true
		}
		return false
	})
	r.says("emulate", `{"extraHttpHeaders":"{\"X-Token\":\"secret\"}"}`, "Emulated in the page: headers X-Token.")
	js[any](r, `(async () => {
		const at = host => "http://" + host + ".test:" + location.port
		const asks = (url, more) => fetch(url, more).catch(() => {})
		await asks("/own", {headers: {"X-Own": "1"}})
		await asks("/own-with-body", {method: "POST", body: "text"})
		await asks(at("b") + "/cors"); await asks(at("c") + "/cors")
		await asks(at("b") + "/no-cors", {mode: "no-cors"}); await asks(at("c") + "/no-cors", {mode: "no-cors"})
		await asks("/leads-out?to=b", {mode: "no-cors"}); await asks(at("b") + "/leads-in?to=c", {mode: "no-cors"})
		navigator.sendBeacon(at("b") + "/beacon", "x")
		const loads = (tag, url) => new Promise(done => { const e = document.createElement(tag); e.onload = e.onerror = done; e.src = url; document.body.append(e) })
		await loads("img", at("b") + "/image"); await loads("img", "/image")
		await loads("iframe", at("b") + "/frame"); await loads("iframe", at("c") + "/frame")
		await loads("iframe", "/frame-leads-out?to=b")
	})()`)
	r.Goto(r.Site.URL("b", "/document"))
	r.Goto(r.Site.URL("a", "/leads-away?to=b"))
	r.Goto(r.Site.URL("a", "/back"))
	r.says("emulate", `{"extraHttpHeaders":"{\"X-Token\":\"other\"}"}`, "headers X-Token")
	js[any](r, `fetch("/changed").then(() => 0)`)
	r.says("emulate", `{"extraHttpHeaders":""}`, "Nothing is emulated")
	js[any](r, `fetch("/none").then(() => 0)`)
	mu.Lock()
	defer mu.Unlock()
	for at, all := range sent {
		for _, one := range all {
			if strings.HasPrefix(at, "b/") && (strings.Contains(one, "secret") || strings.Contains(one, "other")) {
				t.Errorf("%s was sent %q", at, one)
			}
		}
	}
	for at, want := range map[string]string{
		"a/own": "GET secret 1", "a/own-with-body": "POST secret ", "c/cors": "GET secret ", "c/no-cors": "GET secret ", "b/cors": "GET  ", "b/no-cors": "GET  ",
		"a/leads-out": "GET secret ", "b/redirected-to-b": "GET  ", "b/leads-in": "GET  ", "c/redirected-to-c": "GET secret ", "b/beacon": "POST  ",
		"b/image": "GET  ", "a/image": "GET secret ", "b/frame": "GET  ", "b/script.js": "GET  ", "c/frame": "GET secret ", "c/script.js": "GET secret ",
		"a/image-of-the-frame": "GET secret ", "a/frame-leads-out": "GET secret ", "b/document": "GET  ", "a/leads-away": "GET secret ", "a/back": "GET secret ",
		"a/changed": "GET other ", "a/none": "GET  ",
	} {
		if !slices.Contains(sent[at], want) {
			t.Errorf("%s was sent %q, want %q", at, sent[at], want)
		}
	}
}

// TestEmulationEndsWithThePage has a client leave, which lets go of the tab.
func TestEmulationEndsWithThePage(t *testing.T) {
	r := openReal(t, automationtest.HTML(``))
	true0 := r.sees("")
	r.says("emulate", `{"viewport":"390x844x3,touch","colorScheme":"dark","userAgent":"x","networkConditions":"Offline","cpuThrottlingRate":4}`, "CPU 4 times slower")
	r.service.ClientGone("1")
	r.awaitWidth(true0.Width)
	if got := r.sees(""); got != true0 {
		t.Errorf("once its client was gone the page sees %+v,\nwant %+v", got, true0)
	}
	r.says("resize_page", `{"width":500,"height":600}`, "Emulated in the page: size 500x600.")
	r.service.Close()
	r.awaitWidth(true0.Width)
	if got := r.sees(""); got != true0 {
		t.Errorf("once the service was closed the page sees %+v,\nwant %+v", got, true0)
	}
}

// TestEmulationIsPerTab has two agents emulate in two tabs of one site.
func TestEmulationIsPerTab(t *testing.T) {
	r := openReal(t, automationtest.HTML(``))
	tab, b := automationtest.OpenAt(t, r.Site, r.Site.URL("a", "/")), newFakeBrowser(r.Site.URL("a", "/"))
	s := New(Options{Browser: chromium{b, tab}, Categories: Categories()})
	t.Cleanup(s.Close)
	other := real{newAgent(t, s, b, "2"), tab}
	true0 := r.sees("")
	var done sync.WaitGroup
	for _, one := range []struct {
		real
		width, args string
	}{{r, "400", `"colorScheme":"dark"`}, {other, "500", `"userAgent":"x"`}} {
		done.Go(func() {
			for range 10 {
				one.says("emulate", `{"viewport":"`+one.width+`x300",`+one.args+`}`, one.width)
			}
		})
	}
	done.Wait()
	want1, want2 := true0, true0
	want1.Width, want1.Height, want1.Dark = 400, 300, true
	want2.Width, want2.Height, want2.Agent = 500, 300, "x"
	for _, c := range []struct{ got, want sight }{{r.sees(""), want1}, {other.sees(""), want2}} {
		c.got.Orientation = c.want.Orientation
		if c.got != c.want {
			g, _ := json.Marshal(c.got)
			t.Errorf("a tab sees %s,\nwant %+v", g, c.want)
		}
	}
}

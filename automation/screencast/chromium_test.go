package screencast_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	"strings"
	"testing"
	"time"

	. "webmcphub/automation/automationtest"
	"webmcphub/automation/page"
	"webmcphub/automation/screencast"
	"webmcphub/registry/names"
)

func TestMain(m *testing.M) { Main(m) }

// person looks at a tab.
type person struct {
	*screencast.Screen
	tab  *Tab
	last string // the document in the picture, as it was told last
}

// Drive does in the picture that was seen last what doesn't name another.
func (p *person) Drive(ctx context.Context, raw []byte) error {
	var all []map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	for _, e := range all {
		if _, says := e["document"]; !says {
			e["document"] = p.last
		}
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return p.Screen.Drive(ctx, raw)
}

func look(tab *Tab, o screencast.Options) *person {
	tab.T.Helper()
	s, err := screencast.Open(tab.Ctx, tab.Conn, tab.Target, o)
	if err != nil {
		tab.T.Fatal(err)
	}
	tab.T.Cleanup(s.Close)
	return &person{Screen: s, tab: tab}
}

// takesOver waits until the tab is the person's.
func (p *person) takesOver() {
	p.tab.T.Helper()
	p.TakeOver(func() {})
	p.sees("the person's", func(v screencast.View) bool { return v.State == screencast.Yours })
}

// sees waits for what there is to see to be something.
func (p *person) sees(what string, is func(screencast.View) bool) screencast.View {
	p.tab.T.Helper()
	ctx, cancel := context.WithTimeout(p.tab.Ctx, 40*time.Second)
	defer cancel()
	var last screencast.View
	for {
		some, stop := context.WithTimeout(ctx, 900*time.Millisecond) // the live page waits a second
		v, err := p.Next(some)
		stop()
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			continue
		}
		if err != nil {
			last.Picture = fmt.Sprint(len(last.Picture), " bytes")
			p.tab.T.Fatalf("%s: %v; it was %+v", what, err, last)
		}
		if last, p.last = v, v.Document; is(v) {
			return v
		}
	}
}

// red says whether the middle of a picture has more of red than of green.
func red(t testing.TB, v screencast.View) bool {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(v.Picture)
	if err != nil {
		t.Fatal(err)
	}
	is, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if size := is.Bounds(); size.Dx() > 1280 || size.Dy() > 960 {
		t.Errorf("the picture is %v", size)
	}
	r, g, _, _ := is.At(is.Bounds().Dx()/2, is.Bounds().Dy()/2).RGBA()
	return r > g
}

const operated = `<style>html,body{margin:0;height:100%;background:lime}</style><input id=field style="position:absolute;left:0;top:0;width:100%;height:10%;border:0"><script>
document.addEventListener('mousedown', (e) => { if (e.target.id != 'field') { document.documentElement.style.background = document.body.style.background = 'red'; window.at = [e.isTrusted, e.clientX / innerWidth, e.clientY / innerHeight] } })</script>`

// TestPersonOperatesATab: the picture changes as the page does, what a person does in it arrives there
// as their own input, and agents' input waits meanwhile and is told why.
func TestPersonOperatesATab(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(operated))
	ended := make(chan struct{})
	p := look(tab, screencast.Options{
		Operate: func(context.Context) (*page.Page, func(), error) { return tab.Page, func() {}, nil },
		Held:    func(func()) func() { return func() { close(ended) } },
	})
	p.sees("green", func(v screencast.View) bool { return v.Picture != "" && !red(t, v) })
	const click = `[{"kind":"down","x":0.5,"y":0.75,"button":"left","clicks":1},{"kind":"up","x":0.5,"y":0.75,"button":"left","clicks":1}]`
	if err := p.Drive(tab.Ctx, []byte(click)); err == nil {
		t.Error("it was operated without being taken over")
	}
	agent, err := tab.Input(tab.Ctx)
	if err != nil {
		t.Fatal(err)
	}
	p.TakeOver(func() {})
	p.sees("waiting", func(v screencast.View) bool { return v.State == screencast.Waiting })
	agent()
	p.sees("the person's", func(v screencast.View) bool { return v.State == screencast.Yours })
	short, cancel := context.WithTimeout(tab.Ctx, time.Millisecond)
	defer cancel()
	if _, err := tab.Input(short); !errors.Is(err, page.ErrTakenOver) {
		t.Errorf("an agent's turn: %v", err)
	}
	if err := p.Drive(tab.Ctx, []byte(click)); err != nil {
		t.Fatal(err)
	}
	p.sees("red", func(v screencast.View) bool { return v.Picture != "" && red(t, v) })
	if at := JS[[3]any](tab, "window.at"); at[0] != true || fmt.Sprintf("%.1f %.1f", at[1], at[2]) != "0.5 0.7" && fmt.Sprintf("%.1f %.1f", at[1], at[2]) != "0.5 0.8" {
		t.Errorf("the click came to %v", at)
	}
	const types = `[{"kind":"down","x":0.5,"y":0.05,"button":"left","clicks":1},{"kind":"up","x":0.5,"y":0.05,"button":"left","clicks":1},{"kind":"key","key":"H","modifiers":8},{"kind":"key","key":"i"},{"kind":"text","text":" é😀"}]`
	if err := p.Drive(tab.Ctx, []byte(types)); err != nil {
		t.Fatal(err)
	}
	if got := JS[string](tab, "field.value"); got != "Hi é😀" {
		t.Errorf("the field holds %q", got)
	}
	p.GiveBack()
	v := p.sees("nobody's", func(v screencast.View) bool { return v.State == screencast.Looking })
	<-ended
	if !strings.Contains(v.Note, "You gave the tab back.") {
		t.Error(v.Note)
	}
	if release, err := tab.Input(tab.Ctx); err != nil {
		t.Error(err)
	} else {
		release()
	}
}

// TestKeptOutIsNotShown: of a page that the rules keep out nothing is shown, nor is it operated,
// and its picture comes back with another page.
func TestKeptOutIsNotShown(t *testing.T) {
	t.Parallel()
	tab := Open(t, Pages{"/": `<body style="background:lime">`, "/frame": `<body style="background:lime"><iframe src="{{b}}/in"></iframe>`, "/in": `<body style="background:red">`})
	rules, err := names.ParseOrigins(nil, []string{strings.TrimSuffix(tab.Site.URL("b", "/"), "/")})
	if err != nil {
		t.Fatal(err)
	}
	p := look(tab, screencast.Options{Rules: rules})
	p.sees("a page", func(v screencast.View) bool { return v.Picture != "" })
	p.takesOver()
	never := func(v screencast.View) bool {
		if v.Picture != "" && red(t, v) {
			t.Error("it was shown")
		}
		return v.Hidden != ""
	}
	for _, at := range []string{tab.Site.URL("b", "/in"), tab.Site.URL("a", "/frame")} {
		tab.Goto(at)
		p.sees(at, never)
		if err := p.Drive(tab.Ctx, []byte(`[{"kind":"down","x":0.5,"y":0.5,"button":"left"}]`)); err == nil || !strings.Contains(err.Error(), "neither shown nor operated") {
			t.Errorf("%s: %v", at, err)
		}
		tab.Goto(tab.Site.URL("a", "/"))
		p.sees("a page again", func(v screencast.View) bool { never(v); return v.Picture != "" })
	}
}

// TestOwnPageWithoutRules: a hub's own page on this computer is neither shown nor operated where there are no rules, as
// at a node, which knows of no page of its own.
func TestOwnPageWithoutRules(t *testing.T) {
	t.Parallel()
	path := names.LivePath + "x/"
	tab := Open(t, Pages{"/": `<body style="background:lime">`, path: `<body style="background:red">`})
	p := look(tab, screencast.Options{})
	p.sees("a page", func(v screencast.View) bool { return v.Picture != "" })
	p.takesOver()
	tab.Goto(tab.Site.URL("127", path))
	p.sees("the hub's page", func(v screencast.View) bool {
		shown := v.Picture != "" && red(t, v)
		if shown {
			t.Error("it was shown")
		}
		return shown || v.Hidden != ""
	})
	if err := p.Drive(tab.Ctx, []byte(`[{"kind":"down","x":0.5,"y":0.5,"button":"left"}]`)); err == nil || !strings.Contains(err.Error(), "neither shown nor operated") {
		t.Errorf("it was operated: %v", err)
	}
	tab.Goto(tab.Site.URL("a", "/"))
	p.sees("a page again", func(v screencast.View) bool { return v.Picture != "" })
}

// TestFrameThatHasNotTold: a frame that is there, but whose process doesn't say what it shows, isn't
// shown where the rules may keep it out.
func TestFrameThatHasNotTold(t *testing.T) {
	t.Parallel()
	tab := Stalled(t, "untold1")
	for name, test := range map[string]struct {
		deny  []string
		shown bool
	}{"kept out": {[]string{tab.Site.URL("untold1", "")}, false}, "no rules": {nil, true}} {
		rules, err := names.ParseOrigins(nil, test.deny)
		if err != nil {
			t.Fatal(err)
		}
		p := look(tab, screencast.Options{Rules: rules})
		p.sees(name, func(v screencast.View) bool {
			is := v.Picture != "" && red(t, v)
			if is && !test.shown {
				t.Error("it was shown")
			}
			return is == test.shown && (is || strings.Contains(v.Hidden, "doesn't answer"))
		})
	}
}

// TestFrameThatTellsLate: when a frame that didn't answer turns out to be kept out, the view says so.
func TestFrameThatTellsLate(t *testing.T) {
	t.Parallel()
	tab, goOn := StalledUntil(t, "untold2")
	rules, err := names.ParseOrigins(nil, []string{tab.Site.URL("untold2", "")})
	if err != nil {
		t.Fatal(err)
	}
	p := look(tab, screencast.Options{Rules: rules})
	p.sees("a frame that doesn't answer", func(v screencast.View) bool { return strings.Contains(v.Hidden, "doesn't answer") })
	goOn()
	p.sees("a frame that is kept out", func(v screencast.View) bool {
		return strings.Contains(v.Hidden, "rules for sites keep out")
	})
}

// TestTakenOverDuringADialog: a tab with an open dialog, which answers nothing, is the person's at
// once, who can answer it.
func TestTakenOverDuringADialog(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<body style="height:90vh">`))
	p := look(tab, screencast.Options{})
	p.sees("a page", func(v screencast.View) bool { return v.Picture != "" })
	JS[bool](tab, "setTimeout(() => window.said = confirm('Sure?')) > 0")
	p.sees("the dialog", func(v screencast.View) bool { return strings.Contains(v.Note, `"Sure?"`) })
	p.takesOver()
	if err := p.Drive(tab.Ctx, []byte(`[{"kind":"key","key":"Enter"}]`)); err != nil {
		t.Fatal(err)
	}
	if said := JS[bool](tab, "window.said"); !said {
		t.Error("Enter didn't say yes")
	}
}

// TestDialogThatNobodySaw: the second of two keys that are sent together doesn't answer the
// dialog that the first opens.
func TestDialogThatNobodySaw(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<body style="height:90vh" onmousedown="window.said = String(confirm('Sure?'))">`))
	p := look(tab, screencast.Options{})
	p.sees("a page", func(v screencast.View) bool { return v.Picture != "" })
	p.takesOver()
	if err := p.Drive(tab.Ctx, []byte(`[{"kind":"down","x":0.5,"y":0.5,"button":"left"},{"kind":"key","key":"Enter"}]`)); err != nil {
		t.Fatal(err)
	}
	p.sees("the dialog, still open", func(v screencast.View) bool { return strings.Contains(v.Note, `"Sure?"`) })
	if err := p.Drive(tab.Ctx, []byte(`[{"kind":"key","key":"Escape"}]`)); err != nil {
		t.Fatal(err)
	}
	if said := JS[string](tab, "window.said"); said != "false" {
		t.Errorf("the dialog was answered %s", said)
	}
}

// TestDialogInThePicture: a person is told of a dialog, and can answer it.
func TestDialogInThePicture(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<body style="height:90vh" onmousedown="window.said = confirm('Sure?')">`))
	p := look(tab, screencast.Options{})
	p.sees("a page", func(v screencast.View) bool { return v.Picture != "" })
	p.takesOver()
	if err := p.Drive(tab.Ctx, []byte(`[{"kind":"down","x":0.5,"y":0.5,"button":"left"}]`)); err != nil {
		t.Fatal(err)
	}
	p.sees("the dialog", func(v screencast.View) bool { return strings.Contains(v.Note, `"Sure?"`) })
	if err := p.Drive(tab.Ctx, []byte(`[{"kind":"key","key":"Enter"}]`)); err != nil {
		t.Fatal(err)
	}
	if said := JS[bool](tab, "window.said"); !said {
		t.Error("Enter didn't say yes")
	}
}

// TestWhatWasMeantForAnotherPage: what a person did in a picture goes to the document in it, and not to
// one that has come meanwhile.
func TestWhatWasMeantForAnotherPage(t *testing.T) {
	t.Parallel()
	const page = `<body style="height:90vh" onkeydown="window.keys = (window.keys || '') + event.key">`
	tab := Open(t, Pages{"/": page, "/next": page})
	p := look(tab, screencast.Options{})
	first := p.sees("a page", func(v screencast.View) bool { return v.Picture != "" }).Document
	p.takesOver()
	types := func(key, document string) error {
		return p.Drive(tab.Ctx, fmt.Appendf(nil, `[{"kind":"key","key":%q,"document":%q}]`, key, document))
	}
	if err := types("a", first); err != nil || JS[string](tab, "window.keys") != "a" {
		t.Errorf("the page in the picture: %v", err)
	}
	tab.Goto(tab.Site.URL("a", "/next"))
	if err := types("b", first); err == nil || !strings.Contains(err.Error(), "another page") {
		t.Errorf("the page before: %v", err)
	}
	next := p.sees("the next page", func(v screencast.View) bool { return v.Picture != "" && v.Document != first }).Document
	if err := types("x", ""); err == nil || !strings.Contains(err.Error(), "no picture") {
		t.Errorf("a page in no picture: %v", err)
	}
	if err := types("c", next); err != nil {
		t.Error(err)
	}
	if got := JS[string](tab, "window.keys"); got != "c" {
		t.Errorf("the next page got %q", got)
	}
}

// TestWhatWaitsForABusyPage: what a person does while a page is busy that is about to go elsewhere isn't kept for the
// document that comes next.
func TestWhatWaitsForABusyPage(t *testing.T) {
	t.Parallel()
	tab := Open(t, Pages{
		"/": `<body style="height:90vh"><script>onkeydown = (e) => {
			if (e.key !== "a") return
			location.href = "/next"
			setTimeout(() => { for (const end = Date.now() + 1500; Date.now() < end;); })
		}</script>`,
		"/next": `<body style="height:90vh"><script>got = ""; onkeydown = (e) => { got += e.key }; onmousedown = () => { got += "!" }</script>`,
	})
	p := look(tab, screencast.Options{})
	first := p.sees("a page", func(v screencast.View) bool { return v.Picture != "" }).Document
	p.takesOver()
	var all []string
	for _, key := range "abcd" {
		all = append(all, fmt.Sprintf(`{"kind":"key","key":%q,"document":%q}`, string(key), first),
			fmt.Sprintf(`{"kind":"down","button":"left","x":0.5,"y":0.5,"clicks":1,"document":%q}`, first))
	}
	if err := p.Drive(tab.Ctx, []byte("["+strings.Join(all, ",")+"]")); err == nil {
		t.Error("all of it was done")
	}
	p.sees("the next page", func(v screencast.View) bool { return v.Picture != "" && v.Document != first })
	if got := JS[string](tab, "got"); got != "" {
		t.Errorf("the next page got %q", got)
	}
}

// TestButtonHeldOverADialog: a button that is let go while a dialog is open is let go in the page, too.
func TestButtonHeldOverADialog(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<body style="height:90vh" onmousedown="confirm('Sure?')" onmouseup="window.up = true" onmousemove="window.held = event.buttons">`))
	p := look(tab, screencast.Options{})
	p.sees("a page", func(v screencast.View) bool { return v.Picture != "" })
	p.takesOver()
	drive := func(events string) {
		t.Helper()
		if err := p.Drive(tab.Ctx, []byte(events)); err != nil {
			t.Fatal(err)
		}
	}
	drive(`[{"kind":"down","x":0.5,"y":0.5,"button":"left"}]`)
	p.sees("the dialog", func(v screencast.View) bool { return strings.Contains(v.Note, `"Sure?"`) })
	drive(`[{"kind":"up","x":0.5,"y":0.5,"button":"left"}]`)
	drive(`[{"kind":"key","key":"Enter"}]`)
	drive(`[{"kind":"move","x":0.6,"y":0.5,"button":"left"}]`)
	if up, held := JS[bool](tab, "window.up === true"), JS[int](tab, "window.held"); !up || held != 0 {
		t.Errorf("let go: %v, held: %d", up, held)
	}
}

// TestButtonLetGoOverAKeptOutPage: a button that is let go while the tab may not be operated isn't held
// on once it may again.
func TestButtonLetGoOverAKeptOutPage(t *testing.T) {
	t.Parallel()
	tab := Open(t, Pages{"/": `<body style="height:90vh" onmousemove="window.held = event.buttons">`, "/in": `<body>`})
	rules, err := names.ParseOrigins(nil, []string{strings.TrimSuffix(tab.Site.URL("b", "/"), "/")})
	if err != nil {
		t.Fatal(err)
	}
	p := look(tab, screencast.Options{Rules: rules})
	p.sees("a page", func(v screencast.View) bool { return v.Picture != "" })
	p.takesOver()
	if err := p.Drive(tab.Ctx, []byte(`[{"kind":"down","x":0.5,"y":0.5,"button":"left"}]`)); err != nil {
		t.Fatal(err)
	}
	JS[bool](tab, `(document.body.append(Object.assign(document.createElement('iframe'), {src: `+fmt.Sprintf("%q", tab.Site.URL("b", "/in"))+`})), true)`)
	p.sees("nothing", func(v screencast.View) bool { return v.Hidden != "" })
	if err := p.Drive(tab.Ctx, []byte(`[{"kind":"key","key":"a"},{"kind":"up","x":0.5,"y":0.5,"button":"left"}]`)); err == nil {
		t.Error("it was operated")
	}
	JS[bool](tab, `(document.querySelector('iframe').remove(), true)`)
	p.sees("the page again", func(v screencast.View) bool { return v.Picture != "" })
	if err := p.Drive(tab.Ctx, []byte(`[{"kind":"move","x":0.6,"y":0.5,"button":"left"}]`)); err != nil {
		t.Fatal(err)
	}
	if held := JS[int](tab, "window.held"); held != 0 {
		t.Errorf("held: %d", held)
	}
}

// TestNoPictureIsLost: a viewer that waits no longer just as a picture comes has it all the same.
func TestNoPictureIsLost(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<body style="height:90vh"><script>(function on(n) { document.body.style.background = n % 2 ? 'lime' : 'green'; requestAnimationFrame(() => on(n + 1)) })(0)</script>`))
	rules, err := names.ParseOrigins(nil, []string{"https://elsewhere.example"})
	if err != nil {
		t.Fatal(err)
	}
	p := look(tab, screencast.Options{Rules: rules})
	p.sees("a page", func(v screencast.View) bool { return v.Picture != "" })
	over, cancel := context.WithCancel(tab.Ctx)
	cancel()
	for seen := 0; seen < 5 && tab.Ctx.Err() == nil; {
		v, err := p.Next(over)
		if err != nil {
			continue
		}
		if seen++; v.Hidden != "" {
			t.Fatal(v.Hidden)
		}
	}
}

// TestLastPicture: once a page that moved is at rest, its picture is of that, although Chrome drops frames that the page
// draws faster than they are acknowledged.
func TestLastPicture(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(operated))
	p := look(tab, screencast.Options{})
	for range 3 {
		p.sees("green", func(v screencast.View) bool { return v.Picture != "" && !red(t, v) })
		JS[bool](tab, `new Promise((done) => {
			const show = (colour) => { document.documentElement.style.background = document.body.style.background = colour };
			const step = (n) => { show(n < 4 ? ['lime', 'green'][n % 2] : 'red'); n < 4 ? requestAnimationFrame(() => step(n + 1)) : done(true) };
			step(0);
		})`)
		p.sees("red", func(v screencast.View) bool { return v.Picture != "" && red(t, v) })
		JS[bool](tab, `document.documentElement.style.background = document.body.style.background = 'lime', true`)
	}
}

// TestPace: there are no more views than five a second, also of a page whose frames change all the time
// and that isn't shown.
func TestPace(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<body><script>setInterval(() => { const all = document.querySelectorAll('iframe'), f = document.createElement('iframe'); f.srcdoc = '<p>'; if (all.length > 10) all[0].remove(); document.body.append(f) }, 30)</script>`))
	rules, err := names.ParseOrigins(nil, []string{tab.Site.URL("a", "")})
	if err != nil {
		t.Fatal(err)
	}
	p := look(tab, screencast.Options{Rules: rules})
	p.sees("nothing", func(v screencast.View) bool { return v.Hidden != "" })
	const views = 6
	began := time.Now()
	for range views {
		if _, err := p.Next(tab.Ctx); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(began); took < (views-1)*190*time.Millisecond {
		t.Errorf("%d views in %v", views, took)
	}
}

// TestFramesWithoutAnOrigin: a sandboxed frame is of the site at its address, or around its text. Whose
// a data: address is nobody says.
func TestFramesWithoutAnOrigin(t *testing.T) {
	t.Parallel()
	tab := Open(t, Pages{
		"/": "<p>", "/inner": "<p>in", "/own": `<iframe sandbox src="/inner"></iframe><iframe sandbox srcdoc="<p>text"></iframe>`,
		"/kept": `<iframe sandbox src="{{b}}/inner"></iframe>`, "/data": `<iframe src="data:text/html,x"></iframe>`,
	})
	rules, err := names.ParseOrigins(nil, []string{tab.Site.URL("b", "")})
	if err != nil {
		t.Fatal(err)
	}
	p := look(tab, screencast.Options{Rules: rules})
	for path, shown := range map[string]bool{"/own": true, "/kept": false, "/data": false} {
		tab.Goto(tab.Site.URL("a", "/"))
		p.sees("a page", func(v screencast.View) bool { return v.Picture != "" })
		tab.Goto(tab.Site.URL("a", path))
		at := tab.Frame("").Loader
		p.sees(path, func(v screencast.View) bool {
			if !shown {
				return strings.Contains(v.Hidden, "rules for sites keep out")
			}
			return v.Picture != "" && v.Document == at
		})
	}
}

package automation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"webmcphub/automation/automationtest"
	"webmcphub/internal/browsertool"
	"webmcphub/registry"
)

// uid is that of the first line of a snapshot which has this text.
func (r real) uid(text string) string {
	r.t.Helper()
	s := r.call("take_snapshot", `{}`)
	for line := range strings.Lines(s.Text) {
		if uid, rest, _ := strings.Cut(strings.TrimSpace(line), " "); strings.Contains(rest, text) {
			return uid
		}
	}
	r.t.Fatalf("nothing shows %q:\n%s", text, s.Text)
	return ""
}

var shop = automationtest.Pages{
	"/": `<!doctype html><title>Shop</title><h1>Chairs</h1>
		<button onclick="note.textContent = 'You have it'">Buy</button> <p id=note></p>
		<button onclick="alert('Sure?'); note.textContent = 'asked'">Ask</button>
		<button onclick="open('/two')">Window</button>
		<a href="/two">Two</a>
		<label>Name <input id=name></label> <label>Size <select id=size><option>S<option>M<option>L</select></label>
		<label>News <input type=checkbox id=news></label> <label>Day <input type=date></label>
		<label>File <input type=file id=file></label>
		<div style="position:relative"><button id=under>Under</button><div id=lid style="position:absolute;inset:0;background:#ccc">the lid</div></div>`,
	"/two": `<title>Two</title><h1>Second</h1>`,
}

func TestActing(t *testing.T) {
	r := openReal(t, shop)
	buy := r.uid(`button "Buy"`)
	r.says("click", `{"uid":"`+buy+`"}`, `Clicked button "Buy".`)
	if r := r.call("click", `{"uid":"`+buy+`"}`); strings.Contains(r.Text, "What changed") {
		t.Errorf("nothing changed, but: %s", r.Text)
	}
	r.says("fill", `{"uid":"`+r.uid("Name")+`","value":"Ann 🪑"}`, `It holds "Ann 🪑".`)
	r.says("fill_form", `{"elements":[{"uid":"`+r.uid("Size")+`","value":"L"},{"uid":"`+r.uid("News")+`","value":"true"}]}`, "Filled 2 of 2 fields.")
	r.fails("fill_form", `{"elements":[{"uid":"zz9","value":"x"},{"uid":"`+r.uid("Name")+`","value":"Bob"},{"uid":"`+r.uid("Day")+`","value":"31.2."}]}`, "Filled 1 of 3 fields.")
	if got := js[string](r, "name.value + size.value + news.checked"); got != "BobLtrue" && !strings.Contains(got, "Ltrue") {
		t.Errorf("the form holds %s", got)
	}
	r.says("press_key", `{"key":"Control+A","uid":"`+r.uid("Name")+`"}`, "Pressed Control+A")
	r.fails("press_key", `{"key":"Hyper+A"}`, "Hyper")
	r.fails("click", `{"uid":"`+r.uid(`button "Under"`)+`","timeout":300}`, "lid")
	r.says("hover", `{"uid":"`+buy+`"}`, "The mouse is over")
}

func TestActingTellsWhatItBegan(t *testing.T) {
	r := openReal(t, shop)
	r.says("click", `{"uid":"`+r.uid("Ask")+`"}`, `The page shows a dialog (alert): "Sure?"`)
	r.fails("take_snapshot", `{}`, "Sure?")
	r.says("handle_dialog", `{"action":"accept"}`, "was accepted")
	link := r.uid(`link "Two"`)
	r.says("click", `{"uid":"`+link+`"}`, "The page went to "+r.Site.URL("a", "/two"))
	r.at("/two")
	r.fails("click", `{"uid":"`+link+`"}`, `link "Two"`)
	r.fails("click", `{"uid":"1_17"}`, "1_17")
}

func TestUploadKeepsToTheFolders(t *testing.T) {
	r := openReal(t, shop)
	dir := t.TempDir()
	inside, outside := filepath.Join(dir, "in", "a.txt"), filepath.Join(dir, "b.txt")
	if err := os.Mkdir(filepath.Dir(inside), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{inside, outside} {
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.client.Roots = roots(filepath.Dir(inside))
	field := r.uid("File")
	r.says("upload_file", `{"uid":"`+field+`","filePath":"`+inside+`"}`, "Gave the files to")
	if got := js[string](r, "file.files[0].name"); got != "a.txt" {
		t.Errorf("the field has %s", got)
	}
	r.fails("upload_file", `{"uid":"`+field+`","filePaths":["`+filepath.Join(filepath.Dir(inside), "none")+`"]}`, "There is no file")
}

func roots(folders ...string) func(context.Context) ([]string, error) {
	return func(context.Context) (uris []string, err error) {
		for _, f := range folders {
			uris = append(uris, "file://"+filepath.ToSlash(f))
		}
		return uris, nil
	}
}

func TestDownloadsAreNamed(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<a href="data:text/plain,hello" download="report.txt">Get</a>`))
	got := r.call("click", `{"uid":"`+r.uid("Get")+`"}`)
	if got.IsError || !strings.Contains(got.Text, "download=1 report.txt") {
		t.Errorf("got %s", got.Text)
	}
	r.says("list_network_requests", `{}`, "Downloads:\ndownload=1 report.txt")
}

// TestActingOnAPageThatHangs: the click has arrived, and what it led to is a page that
// answers nothing. The call ends all the same, and the tab is well again with the page.
func TestActingOnAPageThatHangs(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<button onclick="`+automationtest.Stalls+`">Loop</button>`))
	r.Site.Stall()
	loop := r.uid("Loop")
	ctx, cancel := context.WithTimeoutCause(r.Ctx, 50*time.Second, errors.New("the call did not end"))
	defer cancel()
	got := r.service.Call(ctx, browsertool.Call{Tool: "click", Args: []byte(`{"uid":"` + loop + `","timeout":1000}`), Client: r.client, Progress: func(string) {}, About: func(*registry.Tab) {}})
	if !got.IsError || !strings.Contains(got.Text, "did not answer in time") {
		t.Errorf("got %s", got.Text)
	}
	r.says("navigate_page", `{"url":"`+r.Site.URL("b", "/")+`"}`, "The page is at")
	r.uid("Loop")
}

// TestActingOnTexts: a text whose element reacts to more than clicks has a uid in a verbose snapshot, and texts on one
// line that are of several elements have none.
func TestActingOnTexts(t *testing.T) {
	r := openReal(t, automationtest.Pages{"/": `<p id=log></p>
		<p oncontextmenu="event.preventDefault(); log.textContent = 'menu'">Right-click here</p>
		<p onmouseenter="log.textContent = 'hovered'">Hover here</p>
		<p draggable=true ondragstart="event.dataTransfer.setData('text', 'x')">Drag me</p>
		<p ondragover="event.preventDefault()" ondrop="event.preventDefault(); log.textContent = 'dropped'">Drop here</p>
		<div>One</div><div>Two</div>`})
	uids := map[string]string{}
	s := r.call("take_snapshot", `{"verbose":true}`).Text
	for line := range strings.Lines(s) {
		if uid, rest, _ := strings.Cut(strings.TrimSpace(line), " text "); rest != "" {
			uids[strings.TrimSpace(rest)] = uid
		}
	}
	if !strings.Contains(s, "\n "+`"One | Two"`) || len(uids) != 3 {
		t.Fatal(s)
	}
	r.says("click", `{"uid":"`+uids[`"Right-click here"`]+`","button":"right"}`, "menu")
	r.says("hover", `{"uid":"`+uids[`"Hover here"`]+`"}`, "hovered")
	r.says("drag", `{"from_uid":"`+r.uid("Drag me")+`","to_uid":"`+uids[`"Drop here"`]+`"}`, "dropped")
	r.call("evaluate_script",
		`{"function":"() => { document.querySelector('[onmouseenter]').firstChild.data = 'Pay' }"}`)
	r.fails("hover", `{"uid":"`+uids[`"Hover here"`]+`"}`, `it is now text "Pay"`)
}

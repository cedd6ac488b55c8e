package automation

import (
	"bytes"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
)

func TestEvaluateScript(t *testing.T) {
	r := openReal(t, automationtest.Pages{
		"/":      `<title>One</title><button>Chairs</button><iframe src="{{b}}/inner"></iframe>`,
		"/inner": `<p>inside</p>`,
	})
	dir := t.TempDir()
	r.client.Roots = roots(dir)
	source := filepath.Join(dir, "f.js")
	if err := os.WriteFile(source, []byte("() => 6 * 7"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.says("evaluate_script", `{"function":"() => ({title: document.title, n: [1, 2]})"}`, `{"title":"One","n":[1,2]}`)
	r.says("evaluate_script", `{"function":"async () => { await null; return 5n }"}`, "5")
	r.says("evaluate_script", `{"function":"() => { const a = {}; a.self = a; return a }"}`, "seen before")
	r.says("evaluate_script", `{"function":"() => undefined"}`, "undefined")
	r.says("evaluate_script", `{"sourcePath":"`+source+`"}`, "42")
	r.says("evaluate_script", `{"function":"el => el.tagName","args":[{"uid":"`+r.uid("Chairs")+`"}]}`, `"BUTTON"`)
	r.says("evaluate_script", `{"function":"() => document.body.innerText","frame":"/inner"}`, `"inside"`)
	r.fails("evaluate_script", `{"function":"() => 1","frame":"/nowhere"}`, "Frames: ")
	r.says("evaluate_script", `{"function":"() => confirm('Sure?')"}`, "was answered: \"Sure?\"\ntrue")
	r.says("evaluate_script", `{"function":"() => confirm('Sure?')","dialogAction":"dismiss"}`, "false")
	r.says("evaluate_script", `{"function":"() => prompt('Name?')","dialogAction":"Ann"}`, `"Ann"`)
	r.fails("evaluate_script", `{"function":"() => { throw new Error('no') }"}`, "no")
	r.fails("evaluate_script", `{"function":"() => { for (;;); }","timeout":200}`, "has not ended within 200ms")
	r.says("evaluate_script", `{"function":"() => 'well'"}`, "well") // the page is
	r.says("evaluate_script", `{"function":"() => 'x'.repeat(100000)"}`, "longer than 20000 bytes")
	r.says("evaluate_script", `{"function":"() => 'x'.repeat(100000)","filePath":"out"}`, "out.json (100002 bytes)")
	r.fails("evaluate_script", `{}`, "either function or sourcePath")
	if got := r.call("evaluate_script", `{"function":"() => 7"}`); got.Structured == nil {
		t.Error("the result has no structure")
	}
}

func TestTakeScreenshot(t *testing.T) {
	r := openReal(t, automationtest.HTML(`<!doctype html><body style="margin:0"><button style="width:200px;height:100px">Buy</button><div style="height:5000px;background:linear-gradient(red,blue)"></div>`))
	r.client.Roots = roots(t.TempDir())
	for _, c := range []struct{ args, says, format string }{
		{`{}`, "A picture of what the page shows", "png"},
		{`{"format":"jpeg","quality":40}`, "A picture of", "jpeg"},
		{`{"uid":"` + r.uid("Buy") + `"}`, `button "Buy": 200×100 pixels`, "png"},
		{`{"fullPage":true,"maxSize":500}`, "scaled to", "png"},
	} {
		got := r.call("take_screenshot", c.args)
		if got.IsError || !strings.Contains(got.Text, c.says) || len(got.Images) != 1 {
			t.Errorf("%s: %s (%d pictures)", c.args, got.Text, len(got.Images))
			continue
		}
		if _, format, err := image.DecodeConfig(bytes.NewReader(got.Images[0].Data)); err != nil || format != c.format {
			t.Errorf("%s: a picture of format %s (%v)", c.args, format, err)
		}
	}
	r.says("take_screenshot", `{"filePath":"shot.png","fullPage":true}`, "shot.png")
	r.fails("take_screenshot", `{"filePath":"/etc/shot.png"}`, "outside the folders")
}

package automation

import (
	"strings"
	"testing"

	"webmcphub/automation/corpus"
)

// line is the first line of the tab's snapshot that has a text.
func (o *one) line(t *testing.T, text string) string {
	t.Helper()
	s := o.call("take_snapshot", `{"maxTokens":0}`).Text
	for line := range strings.Lines(s) {
		if strings.Contains(line, text) {
			return strings.TrimSpace(line)
		}
	}
	t.Fatalf("nothing shows %q:\n%s", text, s)
	return ""
}

// uid is the one that this line begins with.
func (o *one) uid(t *testing.T, text string) string {
	t.Helper()
	uid, _, _ := strings.Cut(o.line(t, text), " ")
	return uid
}

// corpusPage is the corpus' page of a name.
func corpusPage(t *testing.T, name string) corpus.Page {
	t.Helper()
	for _, p := range corpus.Pages {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("the corpus has no page %s", name)
	return corpus.Page{}
}

// TestEditors reads, fills and types into the editors that people write programs and texts in.
func TestEditors(t *testing.T) {
	o := openCorpus(t)
	for _, e := range []struct {
		name, shows, holds string
		field              string // what the line of its field has
	}{
		{"Monaco", "function greet(name)", "editor.getValue()", "textbox"},
		{"CodeMirror 5", "function greet(name)", "editor.getValue()", "textbox"},
		{"CodeMirror 6", "function greet(name)", "editor.state.doc.toString()", "textbox"},
		{"ProseMirror", "basic example of", "editor.state.doc.textBetween(0, editor.state.doc.content.size, '\\n')", "textbox"},
		{"Quill", "Some initial text.", "editor.getText()", "textbox"},
		{"Lexical", "text field.", "document.querySelector('#editor').innerText", "textbox"},
		{"Draft.js", "the meeting is on Monday.", "window.text", "textbox"},
	} {
		t.Run(e.name, func(t *testing.T) {
			o.load(t, corpusPage(t, e.name))
			words := func() (text string) {
				t.Helper()
				o.evaluate(t, e.holds, &text)
				return strings.Join(strings.Fields(text), " ")
			}
			if shown := o.line(t, e.shows); shown == "" {
				t.Errorf("its text isn't that of its field: %s", shown)
			}
			field := o.uid(t, e.field)
			got := o.call("fill", `{"uid":"`+field+`","value":"first line\nsecond line"}`)
			t.Log(got.Text)
			if got.IsError {
				t.Errorf("fill: %s", got.Text)
			}
			if text := words(); text != "first line second line" {
				t.Errorf("fill made it %q", text)
			}
			o.says("click", `{"uid":"`+o.uid(t, e.field)+`"}`, "Clicked")
			for _, key := range []string{"Control+End", "X", "Enter", "Y"} {
				o.says("press_key", `{"key":"`+key+`"}`, "Pressed")
			}
			if text := words(); text != "first line second lineX Y" {
				t.Errorf("typing made it %q", text)
			}
			if shown := o.line(t, "second line"); shown == "" {
				t.Errorf("what was typed isn't shown as its value: %s", shown)
			}
			if t.Failed() {
				t.Log(o.call("take_snapshot", `{"maxTokens":0}`).Text)
			}
		})
	}
}

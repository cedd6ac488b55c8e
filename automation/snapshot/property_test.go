package snapshot

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"webmcphub/automation/automationtest"
	"webmcphub/automation/page"
)

// A maker generates pages. Each run of text in one is a word of its own: w1, w2…, so that it can be found again.
type maker struct {
	t     *rapid.T
	words int
	depth int
}

func (m *maker) word() string {
	m.words++
	return fmt.Sprintf("w%dx", m.words)
}

func (m *maker) one(label string, of ...string) string { return rapid.SampledFrom(of).Draw(m.t, label) }

// containers are elements that may have any others in them, with what has to be around them.
var containers = [][2]string{
	{"<div%s>", "</div>"}, {"<div%s>", "</div>"}, {"<p%s>", "</p>"}, {"<span%s>", "</span>"}, {"<b%s>", "</b>"}, {"<section%s>", "</section>"},
	{"<ul><li%s>", "</li></ul>"}, {"<ol><li>first</li><li%s>", "</li></ol>"}, {"<table%s><tr><td>", "</td><td>cell</td></tr></table>"},
	{"<table><tr><th%s>", "</th></tr></table>"}, {"<table role=presentation><tr><td%s>", "</td></tr></table>"},
	{"<dl><dt>term</dt><dd%s>", "</dd></dl>"}, {"<dl><dt%s>", "</dt></dl>"}, {"<dfn%s>", "</dfn>"}, {"<label%s>", "</label>"},
	{"<fieldset%s><legend>legend</legend>", "</fieldset>"}, {"<figure%s><figcaption>caption</figcaption>", "</figure>"},
	{"<details open%s><summary>summary</summary>", "</details>"}, {"<details%s><summary>closed</summary>", "</details>"},
	{"<button%s>", "</button>"}, {"<a href=/x%s>", "</a>"}, {"<h2%s>", "</h2>"}, {"<article%s>", "</article>"}, {"<blockquote%s>", "</blockquote>"},
	{"<pre%s>", "</pre>"}, {"<main%s>", "</main>"}, {"<nav%s>", "</nav>"}, {"<form%s>", "</form>"}, {"<dialog open%s>", "</dialog>"},
	{"<div onclick=1%s>", "</div>"}, {"<div style='cursor:pointer'><i>in</i><div%s>", "</div></div>"}, {"<div tabindex=0%s>", "</div>"},
	{"<x-host><template shadowrootmode=open><i>shadow</i><slot></slot></template><div%s>", "</div></x-host>"},
	{"<x-host><template shadowrootmode=closed><slot name=none></slot></template><div%s>", "</div></x-host>"},
	{"<output%s>", "</output>"}, {"<time%s>", "</time>"}, {"<div contenteditable%s>", "</div>"}, {"<abbr title=T%s>", "</abbr>"},
}

var looks = []string{"", "", "", "", "", "", "", "", "display:none", "visibility:hidden", "visibility:visible", "opacity:0", "position:absolute;left:-9999px",
	"position:absolute;clip:rect(0,0,0,0)", "clip-path:inset(50%)", "clip-path:inset(0)", "overflow:hidden;width:0;height:0", "overflow:hidden",
	"overflow:auto;height:20px", "font-size:0", "text-indent:-9999px", "transform:scale(0)", "transform:translateX(10px)", "display:inline-block",
	"display:flex", "display:grid", "display:contents", "position:relative", "position:fixed;top:0", "content-visibility:hidden", "height:0", "float:left",
	"position:absolute", "overflow:hidden;height:1px;width:1px;position:absolute", "text-transform:uppercase"}

var attributes = []string{"", "", "", "", "", "", " aria-hidden=true", " role=presentation", " role=term", " role=definition", " role=listitem", " role=row",
	" role=cell", " role=gridcell", " role=group", " role=button", " role=link", " role=option", " role=heading", " role=alert", " role=note", " role=img",
	" role=none", " inert", " title=T", " role=tab", " role=columnheader", " role=article", " role=region", " role=textbox", " role=combobox", " role=checkbox"}

func (m *maker) node() string {
	if m.depth++; m.depth > 5 || rapid.IntRange(0, 3).Draw(m.t, "leaf") == 0 {
		m.depth--
		switch m.one("leaf", "text", "text", "text", "text", "input", "labelled", "select", "img", "br") {
		case "input":
			return `<input aria-label=Field>`
		case "labelled":
			return `<label>` + m.word() + ` <input></label>`
		case "select":
			return `<select><option>One<option>Two</select>`
		case "img":
			return `<img alt=Picture src=data:,>`
		case "br":
			return `<br>`
		}
		return m.word() + " "
	}
	defer func() { m.depth-- }()
	c := rapid.SampledFrom(containers).Draw(m.t, "element")
	is := m.one("attribute", attributes...)
	if rapid.IntRange(0, 9).Draw(m.t, "label") == 0 {
		is += fmt.Sprintf(" aria-label=label%d", m.words)
	}
	if look := m.one("look", looks...); look != "" {
		is += " style='" + look + "'"
	}
	var b strings.Builder
	fmt.Fprintf(&b, c[0], is)
	for range rapid.IntRange(1, 3).Draw(m.t, "children") {
		b.WriteString(m.node())
	}
	b.WriteString(c[1])
	return b.String()
}

// seenWords says by other means than a snapshot which words of a page can be read, and which are not even laid out: it looks at the boxes of
// texts, and at what clips them.
const seenWords = `() => {
	const seen = {}, unread = {}, gone = {};
	const up = e => e.assignedSlot || (e.parentNode instanceof ShadowRoot ? e.parentNode.host : e.parentNode);
	const readable = (box, text) => {
		let {left, top, right, bottom} = box;
		left += scrollX; right += scrollX; top += scrollY; bottom += scrollY;
		let position = 'static', below = text;
		for (let e = up(text); e && e !== document.body && e !== document.documentElement && e !== document; e = up(e)) {
			if (!(e instanceof Element)) continue;
			const s = getComputedStyle(e);
			if (e.localName === 'details' && !e.open && below.localName !== 'summary') return false;
			below = e;
			if (s.opacity === '0') return false;
			if (s.display === 'contents') continue;
			if (!e.checkVisibility() || s.contentVisibility === 'hidden' && s.display !== 'inline') return false;
			const r = e.getBoundingClientRect();
			const x = r.left + scrollX, y = r.top + scrollY;
			if (s.clipPath.startsWith('inset(0')) {
				left = Math.max(left, x); right = Math.min(right, x + r.width); top = Math.max(top, y); bottom = Math.min(bottom, y + r.height);
				if (right <= left || bottom <= top) return false;
			}
			if (s.clipPath === 'inset(50%)' || s.clip === 'rect(0px, 0px, 0px, 0px)' && (s.position === 'absolute' || s.position === 'fixed')) return false;
			const holds = position === 'static' || position === 'relative' || position === 'absolute' && (s.position !== 'static' || s.transform !== 'none') || s.transform !== 'none';
			if (holds) {
				if (s.display !== 'inline' && s.overflowX !== 'visible') {
					if (s.overflowX === 'hidden') { left = Math.max(left, x); right = Math.min(right, x + r.width); top = Math.max(top, y); bottom = Math.min(bottom, y + r.height); }
					else if (right - left <= 1.5 || bottom - top <= 1.5) return false; // scrolling shows no more of what is cut inside
					else { left = x; right = x + r.width; top = y; bottom = y + r.height; }
					if (right <= left || bottom <= top) return false;
				}
				position = s.position === 'static' && s.transform !== 'none' ? 'static' : s.position;
			}
		}
		if (position === 'fixed') { left = Math.max(left, scrollX); right = Math.min(right, scrollX + innerWidth); top = Math.max(top, scrollY); bottom = Math.min(bottom, scrollY + innerHeight); }
		return right - Math.max(left, 0) > 1.5 && bottom - Math.max(top, 0) > 1.5; // one pixel is for assistive technology alone
	};
	const look = from => {
		for (const w = document.createTreeWalker(from, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT); w.nextNode();) {
			const n = w.currentNode;
			if (n.shadowRoot) look(n.shadowRoot);
			const word = n.nodeType === 3 && n.data.trim();
			if (!/^w\d+x$/.test(word)) continue;
			const range = document.createRange();
			range.selectNodeContents(n);
			const all = [...range.getClientRects()], boxes = all.filter(r => r.width > 0 && r.height > 0);
			const e = n.parentElement || n.parentNode.host;
			let where = '';
			for (let a = e; a && a !== document.body; a = up(a)) where = (a.cloneNode ? a.cloneNode(false).outerHTML.replace(/<\/.*/, '') : '') + where;
			if (!all.length || getComputedStyle(e).visibility !== 'visible') gone[word] = where;
			else if (boxes.some(r => readable(r, n))) seen[word] = where;
			else unread[word] = where;
		}
	};
	look(document.body);
	return JSON.stringify({seen, unread, gone});
}`

// TestWhatCanBeReadIsShown: each run of text of any page that a person can read is in its snapshot, and none that isn't laid out or
// that CSS hides, whether roles and names come from the accessibility tree or are inferred. A page has several trees, so that one load of it tries
// many; -rapid.checks says how many pages.
func TestWhatCanBeReadIsShown(t *testing.T) {
	tab := automationtest.Open(t, automationtest.HTML(`<!doctype html><body>`))
	snaps, wordsOf := NewTab(0), regexp.MustCompile(`(?i)w\d+x`)
	textual := regexp.MustCompile(`^ *("|row |item )`)
	check := func(t *rapid.T) {
		m := &maker{t: t}
		var b strings.Builder
		for range rapid.IntRange(1, 4).Draw(t, "trees") {
			b.WriteString("<section>" + m.node() + "</section>")
		}
		main, _ := tab.Main()
		if err := tab.Evaluate(tab.Ctx, main.FrameRef, page.Main, "html => { document.body.setHTMLUnsafe(html) }", []any{b.String()}, nil); err != nil {
			t.Fatal(err)
		}
		var raw string
		if err := tab.Evaluate(tab.Ctx, main.FrameRef, page.Isolated, seenWords, nil, &raw); err != nil {
			t.Fatal(err)
		}
		var is struct{ Seen, Unread, Gone map[string]string } // with what the words are in
		if err := json.Unmarshal([]byte(raw), &is); err != nil {
			t.Fatal(err)
		}
		for _, inferred := range []bool{false, true} {
			snaps.inferred = inferred
			s, err := snaps.Take(tab.Ctx, tab.Page, Options{View: View{MaxTokens: -1}})
			if err != nil {
				t.Fatal(err)
			}
			shown, asText := map[string]bool{}, map[string]bool{}
			for line := range strings.Lines(s.Text) {
				for _, word := range wordsOf.FindAllString(line, -1) {
					word = strings.ToLower(word)
					shown[word] = true
					asText[word] = asText[word] || textual.MatchString(line)
				}
			}
			for word, in := range is.Seen {
				if !shown[word] {
					t.Errorf("%s can be read and isn't shown (inferred: %v): %s", word, inferred, in)
				}
			}
			for word, in := range is.Gone {
				if shown[word] {
					t.Errorf("%s can't be seen and is shown (inferred: %v): %s", word, inferred, in)
				}
			}
			for word, in := range is.Unread { // which a name may have
				if asText[word] {
					t.Errorf("%s can't be seen and is shown as text (inferred: %v): %s", word, inferred, in)
				}
			}
			if t.Failed() {
				t.Fatalf("%s\n%s", b.String(), s.Text)
			}
		}
	}
	rapid.Check(t, check)
}

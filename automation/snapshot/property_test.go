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
	{"<x-host><template shadowrootmode=open><slot name=s></slot><slot></slot></template>beside<div slot=s%s>", "</div></x-host>"},
	{"<details><summary%s>", "</summary>more</details>"}, {"<dialog%s>", "</dialog>"}, {"<div popover%s>", "</div>"},
	{"<div hidden%s>", "</div>"}, {"<ruby%s>", "<rt>rt</rt></ruby>"}, {"<ruby>base<rt%s>", "</rt></ruby>"},
	{"<table%s><caption>caption</caption><thead><tr><th rowspan=2>head</th><th>", "</th></tr></thead><tr><td>cell</td></tr></table>"},
	{"<table><caption%s>", "</caption><tr><td>cell</td></tr></table>"}, {"<table><tr%s><td>", "</td></tr></table>"},
	{"<svg width=300 height=80><foreignObject width=300 height=80><div%s>", "</div></foreignObject></svg>"},
	{"<fieldset disabled><legend%s>", "</legend></fieldset>"}, {"<label%s><input type=checkbox>", "</label>"},
	{"<iframe%s></iframe><template class=framed>", "</template>"},
	{"<table><tbody%s><tr><td>", "</td></tr></tbody></table>"}, {"<fieldset><legend%s>", "</legend></fieldset>"},
	{"<figure><figcaption%s>", "</figcaption></figure>"}, {"<details open><summary%s>", "</summary></details>"},
	{"<header%s>", "</header>"}, {"<footer%s>", "</footer>"}, {"<aside%s>", "</aside>"}, {"<address%s>", "</address>"},
	{"<menu%s>", "</menu>"}, {"<em%s>", "</em>"}, {"<code%s>", "</code>"}, {"<mark%s>", "</mark>"}, {"<sup%s>", "</sup>"},
	{"<del%s>", "</del>"}, {"<q%s>", "</q>"}, {"<label for=none%s>", "</label>"}, {"<center%s>", "</center>"},
	{"<output%s>", "</output>"}, {"<time%s>", "</time>"}, {"<div contenteditable%s>", "</div>"}, {"<abbr title=T%s>", "</abbr>"},
}

// looks are styles of elements. content-visibility:auto isn't among them, because what is shown then depends on when Chrome draws; nor
// are columns, because Chrome reports all text of a block that is split over columns as if it were in the first one.
var looks = []string{"", "", "", "", "", "", "", "", "display:none", "visibility:hidden", "visibility:visible", "opacity:0", "position:absolute;left:-9999px",
	"position:absolute;clip:rect(0,0,0,0)", "clip-path:inset(50%)", "clip-path:inset(0)", "overflow:hidden;width:0;height:0", "overflow:hidden",
	"overflow:auto;height:20px", "font-size:0", "text-indent:-9999px", "transform:scale(0)", "transform:translateX(10px)", "display:inline-block",
	"display:flex", "display:grid", "display:contents", "position:relative", "position:fixed;top:0", "content-visibility:hidden", "height:0", "float:left",
	"visibility:collapse", "overflow:clip;height:8px", "position:sticky;top:0", "display:table",
	"display:table-cell", "display:list-item", "display:inline-flex", "pointer-events:none",
	"user-select:none", "cursor:pointer", "direction:rtl", "margin-left:20px", "z-index:-1;position:relative",
	"overflow:hidden;white-space:nowrap;text-overflow:ellipsis",
	"clip-path:circle(0)", "writing-mode:vertical-rl", "zoom:.8", "white-space:pre",
	"position:absolute", "overflow:hidden;height:1px;width:1px;position:absolute", "text-transform:uppercase"}

var attributes = []string{"", "", "", "", "", "", " aria-hidden=true", " role=presentation", " role=term", " role=definition", " role=listitem", " role=row",
	" role=cell", " role=gridcell", " role=group", " role=button", " role=link", " role=option", " role=heading", " role=alert", " role=note", " role=img",
	" role=none", " inert", " title=T", " role=tab", " role=columnheader", " role=article", " role=region", " role=textbox", " role=combobox", " role=checkbox",
	" role=dialog", " role=tree", " role=treeitem", " role=menu", " role=menuitem", " role=tooltip", " role=switch",
	" role=status", " role=tabpanel", " role=toolbar", " role=radio", " role=list", " role=table", " role=figure",
	" role=feed", " role=searchbox", " hidden", " dir=rtl", " draggable=true", " aria-expanded=true", " lang=de",
	" aria-describedby=none", " aria-disabled=true", " aria-expanded=false", " class=first-letter"}

func (m *maker) node() string {
	if m.depth++; m.depth > 5 || rapid.IntRange(0, 3).Draw(m.t, "leaf") == 0 {
		m.depth--
		switch m.one("leaf", "text", "text", "text", "text", "input", "labelled", "select", "img", "br",
			"options", "textarea", "button", "svg", "before") {
		case "input":
			return `<input aria-label=Field>`
		case "labelled":
			return `<label>` + m.word() + ` <input></label>`
		case "select":
			return `<select><option>One<option>Two</select>`
		case "img":
			return `<img alt=Picture src=data:,>`
		case "options":
			return `<select><option>One<optgroup label=Group><option>` + m.word() + `</optgroup></select>`
		case "textarea":
			return `<textarea aria-label=Letter>` + m.word() + `</textarea>`
		case "button":
			return `<button>` + m.word() + `</button>`
		case "svg":
			return `<svg width=80 height=30><text y=20>` + m.word() + `</text></svg>`
		case "before":
			return `<span data-before=` + m.word() + `>z</span> `
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
	look := m.one("look", looks...)
	if look == "content-visibility:hidden" && strings.HasPrefix(c[0], "<iframe") { // Chrome stops laying out what is in it
		look = ""
	}
	if look != "" {
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

// fillPage makes a page of HTML, in which a template after an iframe has the iframe's content.
const fillPage = `html => {
	const style = '<style>[data-before]::before { content: attr(data-before) } .first-letter::first-letter { font-size: 150% }</style>';
	document.body.setHTMLUnsafe(style + html);
	const fill = root => {
		for (const t of root.querySelectorAll('template.framed')) {
			const frame = t.previousElementSibling;
			if (frame?.localName !== 'iframe') continue;
			frame.contentDocument.body.setHTMLUnsafe(style + t.innerHTML);
			fill(frame.contentDocument);
		}
		for (const e of root.querySelectorAll('*')) if (e.shadowRoot) fill(e.shadowRoot);
	};
	fill(document);
}`

// seenWords says by other means than a snapshot which words of a page can be read, and which are not even laid out: it looks at the boxes of
// texts, and at what clips them.
const seenWords = `() => {
	const seen = {}, unread = {}, gone = {};
	const up = e => e.assignedSlot || e.nodeType === 9 && e.defaultView.frameElement ||
		(e.parentNode?.nodeType === 11 ? e.parentNode.host : e.parentNode);
	const flows = (e, s) => /^(inline|ruby)$/.test(s.display) && e.localName !== 'svg'; // as a part of lines, which clips nothing
	const readable = (box, text) => {
		let {left, top, right, bottom} = box;
		left += scrollX; right += scrollX; top += scrollY; bottom += scrollY;
		let position = 'static', below = text;
		for (let e = up(text); e && e !== document.body && e !== document.documentElement && e !== document; e = up(e)) {
			if (e.localName === 'iframe' && below.nodeType === 9) { // it scrolls, and nothing hangs out of it
				const r = e.getBoundingClientRect();
				if (position === 'fixed') { right = Math.min(right, e.clientWidth); bottom = Math.min(bottom, e.clientHeight); }
				if (right - Math.max(left, 0) <= 1.5 || bottom - Math.max(top, 0) <= 1.5 || getComputedStyle(e).visibility !== 'visible') return false;
				left = r.left + scrollX; right = left + r.width; top = r.top + scrollY; bottom = top + r.height;
				position = 'static';
			}
			if (e.nodeType !== 1) { below = e.nodeType === 9 ? e : below; continue; }
			const s = getComputedStyle(e);
			if (e.localName === 'details' && !e.open && below.localName !== 'summary') return false;
			below = e;
			if (s.opacity === '0') return false;
			if (s.display === 'contents') continue;
			if (!e.checkVisibility() || s.contentVisibility === 'hidden' && !flows(e, s)) return false;
			const r = e.getBoundingClientRect();
			const x = r.left + scrollX, y = r.top + scrollY;
			if (s.clipPath.startsWith('inset(0')) {
				left = Math.max(left, x); right = Math.min(right, x + r.width); top = Math.max(top, y); bottom = Math.min(bottom, y + r.height);
				if (right <= left || bottom <= top) return false;
			}
			if (s.clipPath === 'inset(50%)' || s.clipPath.startsWith('circle(0') || s.clip === 'rect(0px, 0px, 0px, 0px)' && (s.position === 'absolute' || s.position === 'fixed')) return false;
			const holds = position === 'static' || position === 'relative' || position === 'sticky' || position === 'absolute' && (s.position !== 'static' || s.transform !== 'none') || s.transform !== 'none';
			if (holds) {
				if (!flows(e, s) && s.overflowX !== 'visible') {
					if (s.overflowX === 'hidden' || s.overflowX === 'clip') { left = Math.max(left, x); right = Math.min(right, x + r.width); top = Math.max(top, y); bottom = Math.min(bottom, y + r.height); }
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
			if (n.localName === 'iframe') look(n.contentDocument.body);
			const before = n.nodeType === 3 && n.parentElement?.dataset.before; // of ::before, which stands right before its text
			const word = before || n.nodeType === 3 && n.data.trim();
			if (!/^w\d+x$/.test(word)) continue;
			const range = document.createRange();
			range.selectNodeContents(n);
			const all = [...range.getClientRects()];
			if (before && all.length) { // it has no range: it ends where its text begins, beside or below, and begins where their element does
				const z = all[0], [r] = n.parentElement.getClientRects();
				all.splice(0, 1, new DOMRect(r.left, z.top, z.left - r.left, z.height), new DOMRect(z.left, r.top, z.width, z.top - r.top));
			}
			const boxes = all.filter(r => r.width > 0 && r.height > 0);
			const e = n.parentElement || n.parentNode.host;
			let where = '';
			for (let a = e; a && a !== document.body; a = up(a)) where = (a.nodeType === 1 ? a.cloneNode(false).outerHTML.replace(/<\/.*/, '') : '') + where;
			const field = e.closest?.('select, textarea'); // whose options and values have no boxes of their own
			if (field) all.push(...field.getClientRects()), boxes.push(...all);
			if (!all.length || getComputedStyle(e).visibility !== 'visible') gone[word] = where;
			else if (!boxes.some(r => readable(r, field || n))) unread[word] = where;
			else if (boxes.every(r => readable(r, field || n))) seen[word] = where; // or only its larger first letter sticks out
		}
	};
	look(document.body);
	return JSON.stringify({seen, unread, gone});
}`

// TestWhatCanBeReadIsShown: each run of text of any page that a person can read is in its snapshot, and none that isn't laid out or
// that CSS hides, whether roles and names come from the accessibility tree or are inferred. A page has several trees, so that one load of it tries
// many. A run of 100 pages takes seconds; a long one is
//
//	WEBMCP_REQUIRE_CHROME=1 go test -run WhatCanBeRead -timeout 10m ./automation/snapshot -rapid.checks=1000000
//
// which ends with the timeout if it finds nothing. Go gives the last argument to the test.
func TestWhatCanBeReadIsShown(t *testing.T) {
	tab := automationtest.Open(t, automationtest.HTML(`<!doctype html><body>`))
	tab.Ctx = t.Context() // a long run is bounded by -timeout alone
	snaps, wordsOf := NewTab(0), regexp.MustCompile(`(?i)w\d+x`)
	textual := regexp.MustCompile(`^ *("|row |item )`)
	check := func(t *rapid.T) {
		m := &maker{t: t}
		var b strings.Builder
		for range rapid.IntRange(1, 4).Draw(t, "trees") {
			b.WriteString("<section>" + m.node() + "</section>")
		}
		main, _ := tab.Main()
		if err := tab.Evaluate(tab.Ctx, main.FrameRef, page.Main, fillPage, []any{b.String()}, nil); err != nil {
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

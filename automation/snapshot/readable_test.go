package snapshot

import (
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
)

// both takes a snapshot by the accessibility tree, and one by what is inferred from the DOM.
func both(t *testing.T, html string, check func(s *Snapshot)) {
	t.Helper()
	t.Parallel()
	for _, inferred := range []bool{false, true} {
		tab, snaps := automationtest.Open(t, automationtest.HTML("<!doctype html>"+html)), NewTab(0)
		snaps.inferred = inferred
		check(take(t, tab, snaps, Options{}))
	}
}

// TestTextOfTablesAndTerms: text isn't lost for its element being one that only lays out.
func TestTextOfTablesAndTerms(t *testing.T) {
	both(t, `<table><tr><td><table><tr><td>1.<td><a href=/a>Show HN</a><tr><td><td>93 points by ann</table></table>
		<dl><dt>Price<dd>12 EUR</dl><p><dfn>Widget</dfn> is a thing.<div role=term>Term</div><div role=definition>Meaning</div>
		<table><tr><td>Given name<td><input name=given><tr><td><label for=f>Family name</label><td><input id=f></table>
		<ul class=todo><li><input type=checkbox style="display:none"><label>Buy milk</label></ul>`, func(s *Snapshot) {
		has(t, s, "1.", "93 points by ann", "Price", "12 EUR", "Widget is a thing.", "Term", "Meaning", "Given name", "Family name", "Buy milk", `link "Show HN"`)
	})
}

// TestParagraphsBeginLines: a paragraph's end is not joined to the next one's beginning, and a bar of the page's is told from the hub's.
func TestParagraphsBeginLines(t *testing.T) {
	both(t, `<p>See <a href=/1>one</a> and more words to matter.</p><p>Paragraph 1 with <b>some bold</b> words.</p>
		<select aria-label=S><option>one | two<option>three</select><div>left | right</div><div>far</div>`, func(s *Snapshot) {
		has(t, s, ` "and more words to matter."`+"\n", ` "Paragraph 1 with some bold words."`+"\n", `options="one \| two | three"`, `left \| right | far`)
	})
}

// TestHiddenPartsOfNames: what CSS hides isn't in what an element without a name is called by.
func TestHiddenPartsOfNames(t *testing.T) {
	both(t, `<div onclick=1 style="cursor:pointer">Pay <i style="display:none">EVIL1</i><i style="visibility:hidden">EVIL2</i></div>
		<ul><li>Milk <i style="display:none">EVIL3</i></ul><label>Photo <i style="display:none">EVIL4</i><input type=file style="display:none"></label>
		<table><tr><td>cell <i style="position:absolute;left:-9999px">EVIL5</i><td>x</table><p>text <i style="opacity:0">EVIL6</i></p>
		<h2><span style="display:none">EVIL7</span>Shown</h2><iframe style="display:none" srcdoc="EVIL8"></iframe>`, func(s *Snapshot) {
		has(t, s, `clickable "Pay"`, "Milk", `file "Photo" hidden`, "cell", `"text"`, `h2 "Shown"`)
		hasNot(t, s, "EVIL")
	})
}

// TestNameAndTextDiffer: where an accessible name says something else than what is written there, both are shown.
func TestNameAndTextDiffer(t *testing.T) {
	both(t, `<button aria-label="Delete account">Continue</button><a href=/x aria-label="Read on">13 likes</a><div role=button tabindex=0 aria-label="3">13</div>`, func(s *Snapshot) {
		has(t, s, `button "Delete account"`, `"Continue"`, `link "Read on"`, `"13 likes"`, `button "3"`, `"13"`)
	})
}

// TestItemsOfContainersThatListen: what is acted on are the items, which have uids, and not the list with all their names.
func TestItemsOfContainersThatListen(t *testing.T) {
	both(t, `<ul onmousedown=1><li>Alpha<li>Beta</ul><div onclick=1><div class=day>14</div><div class=day>15</div></div>
		<svg width=60 height=60><title>Map</title><circle cx=20 cy=20 r=15 onclick=1 aria-label="Paris"></circle></svg><div draggable=true>Card</div>`, func(s *Snapshot) {
		for _, name := range []string{"Alpha", "Beta", "14", "15", "Paris", "Card"} {
			if uid := lineOf(s, `"`+name+`"`); !strings.HasPrefix(uid, "a") {
				t.Errorf("%s has no uid:\n%s", name, s.Text)
			}
		}
		hasNot(t, s, "Alpha Beta", "14 15", "Alpha | Beta")
	})
}

func lineOf(s *Snapshot, what string) string {
	for line := range strings.Lines(s.Text) {
		if strings.Contains(line, what) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// TestFieldsAreToldApart: a text area isn't an input, a long value can be read to its end, and options of a select that is enabled again are.
func TestFieldsAreToldApart(t *testing.T) {
	t.Parallel()
	tab, snaps := automationtest.Open(t, automationtest.HTML(`<textarea aria-label=Letter></textarea><input aria-label=City><select aria-label=S disabled><option>One<option>Two</select>
		<p id=p></p><table><tr><th><button>Sort</button> Amount<th aria-sort=none tabindex=0>Day<tr><td>1<td>2</table>`)), NewTab(0)
	run(t, tab, `document.querySelector("textarea").value = "word ".repeat(1200) + "LASTWORD"; p.textContent = "text ".repeat(7000)`)
	take(t, tab, snaps, Options{})
	run(t, tab, `document.querySelector("select").disabled = false`)
	s := take(t, tab, snaps, Options{})
	has(t, s, `textbox "Letter" value="word `, " more bytes: root=", " multiline", `textbox "City"`+"\n", `options="One | Two"`, "Amount", `"Day"`, "bytes of long texts")
	has(t, take(t, tab, snaps, Options{View: View{Root: uidOf(t, s, `textbox "Letter"`)}}), "LASTWORD")
}

// TestQueryShowsTheRow: a hit comes with the other cells and the controls of its row.
func TestQueryShowsTheRow(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	for range 40 {
		rows.WriteString("<tr><td>Somebody<td>else<td><button>Edit</button>")
	}
	tab, snaps := automationtest.Open(t, automationtest.HTML(`<table><tr><td>Customer 650<td>Ann<td><button>Edit</button>`+rows.String()+`</table>`)), NewTab(0)
	s := take(t, tab, snaps, Options{View: View{Query: "Customer 650"}})
	has(t, s, `row "Customer 650 | Ann"`, `button "Edit"`, "1 match:")
	hasNot(t, s, "Somebody")
}

// TestThePageBehindADialog: what a modal dialog is in front of is counted, and not shown.
func TestThePageBehindADialog(t *testing.T) {
	t.Parallel()
	tab, snaps := automationtest.Open(t, automationtest.HTML(`<p>one</p><button>two</button><dialog id=d><p>Sure?</p><button>Yes</button></dialog>`)), NewTab(0)
	run(t, tab, `d.showModal()`)
	s := take(t, tab, snaps, Options{})
	has(t, s, "Sure?", `button "Yes"`, "more behind the modal dialog")
	hasNot(t, s, `"one"`, `"two"`)
}

// TestWhatStandsBesideNames: neither a field's label, nor the page's title, nor a short text takes away what else a
// person reads, and what the snapshot says of options stands outside of the page's quotes.
func TestWhatStandsBesideNames(t *testing.T) {
	t.Parallel()
	tab, snaps := automationtest.Open(t, automationtest.HTML(`<title>Users and groups</title>
		<input aria-label="New task" placeholder="What needs to be done?"><input placeholder="Your name"><input aria-label=Full placeholder=Gone value=x>
		<div><span aria-hidden=true>!</span><p>You can be fined</p></div><dl><dt>users</dt><dd>All of them.</dd></dl>
		<select aria-label=Size><option>One<option>Two (disabled)<option disabled>Three</select>`)), NewTab(0)
	s := take(t, tab, snaps, Options{})
	has(t, s, `textbox "New task" placeholder="What needs to be done?"`, `textbox "Your name"`+"\n", `"!`, `"users`,
		`options="One | Two (disabled)" | "Three" (disabled)`)
	hasNot(t, s, "Gone")
}

// TestFieldsThatCannotBeUsed: what fields hold can be read where the page keeps them from use: in an inert part, hidden from
// assistive technology, or inside of a control. Of a hidden list the options stay hidden.
func TestFieldsThatCannotBeUsed(t *testing.T) {
	both(t, `<div inert><select aria-label=Size><optgroup label=G><option>Small<option>Large</optgroup></select><textarea aria-label=Letter>Dear Ann</textarea>
		<input type=password aria-label=Code value=SECRET><select style="visibility:hidden"><option>EVIL</select></div>
		<button aria-hidden=true aria-label=Open><textarea aria-label=Note>Remember</textarea></button>
		<div aria-hidden=true><select aria-label=Colour><option>Red<option>Blue</select></div>
		<ruby style="overflow:hidden;width:0;height:0"><div><div>Over</div></div></ruby>`, func(s *Snapshot) {
		has(t, s, `"Small`, "Large", "Dear Ann", "Remember", "Red | Blue", "Over")
		hasNot(t, s, "SECRET", "EVIL")
	})
}

// TestFirstLetter: a word whose first letter has a style of its own is one word, also where an element inside begins with it.
func TestFirstLetter(t *testing.T) {
	both(t, `<style>.f::first-letter { font-size: 150% } [data-b]::before { content: attr(data-b) }</style>
		<div class=f><div>Alpha <b>one</b></div></div><div class=f><div><label>Bravo <input></label></div></div>
		<div class=f><b> <i>Delta</i></b></div><p class=f>Echo</p><div class=f><p>"Golf"</p></div><div class=f><p><span data-b=Hotel>s</span></p></div>
		<div class=f style="text-transform:uppercase"><p>india</p></div><button class=f><div>Juliet</div></button>
		<div class=f><dialog open><span data-b=Kilo>s</span></dialog><p>Lima</p></div>
		<div class=f><span data-b=Mike>s</span><p class=f>Mango</p></div>`, func(s *Snapshot) {
		has(t, s, "Mikes", `"Mango`, "Alpha one", `textbox "Bravo"`, "Delta", "Echo", `Golf`, "Hotels", "Kilos", "Lima", `button "Juliet"`)
		hasNot(t, s, `"B"`, `"ravo"`)
		if !strings.Contains(strings.ToLower(s.Text), "india") {
			t.Error(s.Text)
		}
	})
}

// TestWordsStayApart: words that a line break or a space parts don't run together, wherever the elements around them end.
func TestWordsStayApart(t *testing.T) {
	both(t, `<p>one<br>two</p><p><b>three<br>four</b></p><p><b>five </b>six</p><p>seven<b> eight</b></p><p><b>nine <i>ten </i></b>eleven</p>
		<article><div style="display:contents">twelve </div>thirteen</article>`, func(s *Snapshot) {
		has(t, s, "one two", "three four", "five six", "seven eight", "nine ten eleven", "twelve thirteen")
	})
}

// TestTextOutsideOfADrawing: text of a drawing that lies outside of the drawing can't be seen, unless the drawing lets it out.
func TestTextOutsideOfADrawing(t *testing.T) {
	both(t, `<div style="margin-left:200px"><svg width=80 height=30><text x=-90 y=20>Outside</text><text x=5 y=20>Inside</text></svg>
		<svg width=80 height=30 style="overflow:visible"><text x=-90 y=20>Beside</text></svg></div>`, func(s *Snapshot) {
		has(t, s, "Inside", "Beside")
		hasNot(t, s, "Outside")
	})
}

// TestFrameClippedToAPixel: the document of a frame of which no more than a pixel can be seen is not shown.
func TestFrameClippedToAPixel(t *testing.T) {
	both(t, `<div style="position:absolute;overflow:hidden;width:1px;height:1px"><iframe srcdoc="<p>Buried"></iframe></div>
		<iframe style="clip-path:inset(50%)" srcdoc="<p>Clipped"></iframe><iframe srcdoc="<p>Open"></iframe>`, func(s *Snapshot) {
		has(t, s, "Open")
		hasNot(t, s, "Buried", "Clipped")
	})
}

// TestTopLayer: nothing around a popover or a modal dialog clips it or makes it transparent.
func TestTopLayer(t *testing.T) {
	const caged = `<div style="overflow:hidden;height:30px;width:100px;position:relative;transform:translateX(1px);opacity:0">`
	t.Run("popovers", func(t *testing.T) {
		both(t, caged+`<p>Hidden</p><div popover=manual id=a>Fixed<button>One</button></div><div popover=manual id=b style="position:absolute;top:200px">Free</div>
			</div><script>a.showPopover(); b.showPopover()</script>`, func(s *Snapshot) {
			has(t, s, "Fixed", `button "One"`, "Free")
			hasNot(t, s, "Hidden")
		})
	})
	t.Run("dialog", func(t *testing.T) {
		both(t, caged+`<dialog id=d>Sure?<button>Yes</button></dialog></div><script>d.showModal()</script>`, func(s *Snapshot) {
			has(t, s, "Sure?", `button "Yes"`)
		})
	})
	t.Run("in what isn't drawn", func(t *testing.T) {
		both(t, `<p>shown<div style="content-visibility:hidden"><div popover=manual id=a>EVIL1</div></div><details><summary>more</summary>
			<div popover=manual id=b>EVIL2</div></details><script>a.showPopover(); b.showPopover(); a.getBoundingClientRect(); b.getBoundingClientRect()</script>`, func(s *Snapshot) {
			has(t, s, "shown", "more")
			hasNot(t, s, "EVIL")
		})
	})
}

// TestGeneratedTextInOrder: what CSS writes after an element's text stands after it.
func TestGeneratedTextInOrder(t *testing.T) {
	both(t, `<style>.unit::after { content: " EUR" } .sign::before { content: "+" } .end::after { content: "." }</style>
		<p class=unit>12</p><p class="unit sign"><b>3</b>4</p><button class=end>Save <i class=unit>56</i></button>`, func(s *Snapshot) {
		has(t, s, `"12 EUR"`, `"+34 EUR"`, "Save 56 EUR.")
	})
}

// TestIDsInShadowTrees: a control is called by the label in its own shadow tree, and not by one with the same id elsewhere.
func TestIDsInShadowTrees(t *testing.T) {
	both(t, `<label for=i>City</label><input id=i><my-field n=Street></my-field><my-field n=Country></my-field><script>
		customElements.define("my-field", class extends HTMLElement { connectedCallback() {
			const n = this.getAttribute("n")
			this.attachShadow({ mode: "open" }).innerHTML = "<label for=i>" + n + "</label><input id=i><b id=b>Clear " + n + "</b><button aria-labelledby=b></button>"
		} })</script>`, func(s *Snapshot) {
		has(t, s, `textbox "City"`, `textbox "Street"`, `button "Clear Street"`, `textbox "Country"`, `button "Clear Country"`)
	})
}

// TestPlainTextOnly: what can be edited without formatting is a field, too.
func TestPlainTextOnly(t *testing.T) {
	both(t, `<div contenteditable=plaintext-only>Dear Ann</div>`, func(s *Snapshot) {
		has(t, s, `textbox value="Dear Ann" multiline`)
	})
}

// TestDesignMode: the body of a document that can be edited as a whole is a field, as old editors' are.
func TestDesignMode(t *testing.T) {
	t.Parallel()
	tab, snaps := automationtest.Open(t, automationtest.HTML(`<!doctype html><iframe srcdoc="<p>Dear Ann"></iframe><script>onload = () => frames[0].document.designMode = 'on'</script>`)), NewTab(0)
	s := take(t, tab, snaps, Options{})
	has(t, s, `textbox value="Dear Ann" multiline`)
	if _, err := snaps.Find(tab.Ctx, tab.Page, "", uidOf(t, s, "textbox")); err != nil {
		t.Errorf("%v\n%s", err, s.Text)
	}
}

// TestPartsOfAButtonThatListen: what only says what the button around it says, or has no size, is no control of its own.
func TestPartsOfAButtonThatListen(t *testing.T) {
	both(t, `<button><span onclick=1></span><span onclick=1>Send mail</span></button><div role=tab tabindex=0>Inbox <span onclick=1>×</span></div>`, func(s *Snapshot) {
		has(t, s, `button "Send mail"`+"\n", `clickable "×"`)
		if n := strings.Count(s.Text, "clickable"); n != 1 {
			t.Errorf("%d clickable parts:\n%s", n, s.Text)
		}
	})
}

// TestSearchedLists: what is searched for in a list is no password, though the page keeps the browser from filling it in so.
func TestSearchedLists(t *testing.T) {
	both(t, `<input role=combobox autocomplete=new-password aria-label=Person value=Lu><input autocomplete=new-password aria-label=Code value=EVIL1>
		<input type=password role=combobox aria-label=Key value=EVIL2>`, func(s *Snapshot) {
		has(t, s, `combobox "Person" value="Lu"`, `textbox "Code" password filled`, "password filled")
		hasNot(t, s, "EVIL")
	})
}

// TestOptionsNobodySees: options that are only told to assistive technology, beside a list that a person sees, can't be clicked.
func TestOptionsNobodySees(t *testing.T) {
	both(t, `<div role=listbox style="width:0;height:0;overflow:hidden"><div role=option>Bern Street</div></div><div class=item onclick=1>Bern Street</div>
		<div role=listbox aria-label=Towns style="height:30px;overflow:auto"><div role=option>Basel</div><div style="height:99px"></div><div role=option>Zug</div></div>`,
		func(s *Snapshot) {
			has(t, s, `clickable "Bern Street"`, `option "Basel"`, `option "Zug"`)
			hasNot(t, s, `option "Bern`)
		})
}

package snapshot

import (
	"regexp"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
)

// TestTextOfWhatIsCalledByIt: what is written in an element without a name that can be clicked or
// reached by the keyboard is there beyond what it is called by.
func TestTextOfWhatIsCalledByIt(t *testing.T) {
	t.Parallel()
	code := strings.Repeat("install the package; ", 20) + "LASTWORD"
	tab, snaps := automationtest.Open(t, automationtest.HTML(`<h1>Docs</h1><pre tabindex=0>`+code+`</pre>
		<div style="cursor:pointer" onclick="1"><h2>Elm chair</h2><p>`+strings.Repeat("A chair of elm, made by hand. ", 8)+`</p><p>PRICE 248</p></div>
		<div style="cursor:pointer" onclick="1">Short <b>one</b></div>
		<div tabindex=0 style="overflow:auto;height:90vh"><h1>Report</h1><p>`+strings.Repeat("Lorem ipsum. ", 20)+`</p><h2>Second</h2><p>THE END <table><tr><th>Sum<td>42 EUR</table><button>Save</button></div>`)), NewTab(0)
	s := take(t, tab, snaps, Options{View: View{MaxTokens: -1}})
	has(t, s, "LASTWORD", `clickable "Elm chair A chair`, `h2 "Elm chair"`, "PRICE 248", `clickable "Short one"`, `h1 "Report"`, `h2 "Second"`, "THE END", "42 EUR", `button "Save"`)
	if n := strings.Count(s.Text, "Short"); n != 1 {
		t.Errorf("what is called by all that is in it is told %d times:\n%s", n, s.Text)
	}
	has(t, take(t, tab, snaps, Options{View: View{Query: "LASTWORD"}}), "LASTWORD")
	group := uidOf(t, s, "group")
	if _, err := snaps.Find(tab.Ctx, tab.Page, "", group); err != nil {
		t.Error("what scrolls:", err)
	}
}

// TestSlottedText finds elements in shadow trees again that are called by a text in the light tree, through one slot or
// two, and knows when that text has changed.
func TestSlottedText(t *testing.T) {
	t.Parallel()
	tab, snaps := automationtest.Open(t, automationtest.HTML(`<my-item>Basel</my-item><my-list><my-item>Bern</my-item></my-list><script>
		customElements.define("my-inner", class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<p><slot></slot></p>" } })
		customElements.define("my-item", class extends HTMLElement { connectedCallback() {
			this.attachShadow({ mode: "open" }).innerHTML = "<button role=listitem tabindex=0><my-inner><slot></slot></my-inner></button>" } })
		customElements.define("my-list", class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<div role=list><slot></slot></div>" } })
		</script>`)), NewTab(0)
	s := take(t, tab, snaps, Options{})
	for _, name := range []string{"Basel", "Bern"} {
		at := regexp.MustCompile(`(\w+) (?:item|button) "` + name).FindStringSubmatch(s.Text)
		if at == nil {
			t.Fatal(s.Text)
		}
		if _, err := snaps.Find(tab.Ctx, tab.Page, "", at[1]); err != nil {
			t.Error(err)
		}
		run(t, tab, `[...document.querySelectorAll("my-item")].find((e) => e.textContent == "`+name+`").firstChild.data = "Zug"`)
		if _, err := snaps.Find(tab.Ctx, tab.Page, "", at[1]); err == nil || !strings.Contains(err.Error(), "Zug") {
			t.Errorf("the text has changed: %v", err)
		}
	}
}

// TestSlottedParts finds elements again that show slotted texts only in a control of their own, or instead of a slot's
// own content.
func TestSlottedParts(t *testing.T) {
	t.Parallel()
	tab, snaps := automationtest.Open(t, automationtest.HTML(`<my-card>Buy</my-card><my-row>Basel</my-row><script>
		customElements.define("my-card", class extends HTMLElement { connectedCallback() {
			this.attachShadow({ mode: "open" }).innerHTML = "<div tabindex=0 style=cursor:pointer onclick=1>Card <button><slot></slot></button></div>" } })
		customElements.define("my-row", class extends HTMLElement { connectedCallback() {
			this.attachShadow({ mode: "closed" }).innerHTML = "<div tabindex=0 style=cursor:pointer onclick=1><slot>Item</slot></div>" } })
		</script>`)), NewTab(0)
	s := take(t, tab, snaps, Options{})
	has(t, s, `clickable "Card`, `button "Buy"`, `clickable "Basel"`)
	for _, at := range regexp.MustCompile(`(\w+) (?:clickable|button) "`).FindAllStringSubmatch(s.Text, -1) {
		if _, err := snaps.Find(tab.Ctx, tab.Page, "", at[1]); err != nil {
			t.Errorf("%v\n%s", err, s.Text)
		}
	}
}

// TestControlsInFields: what can be acted on in a field that a page has made itself is there.
func TestControlsInFields(t *testing.T) {
	t.Parallel()
	tab, snaps := automationtest.Open(t, automationtest.HTML(`<div contenteditable=true aria-label=Note><p>Buy</p>
		<div contenteditable=false><input type=checkbox aria-label="Milk"><button>Share block</button><a href=/other>Other page</a></div></div>
		<div contenteditable=true aria-label=Letter><p>Dear Ann</p><p>`+strings.Repeat("word ", 1000)+`</p><p>TAIL</p></div>
		<div role=spinbutton tabindex=0 aria-valuenow=3 aria-label=Guests><button>fewer</button>3<button>more</button></div>
		<input type=number aria-label=Count value=3><input type=date aria-label=Day>`)), NewTab(0)
	s := take(t, tab, snaps, Options{View: View{MaxTokens: -1}})
	has(t, s, `textbox "Note" value="Buy Share blockOther page"`, `checkbox "Milk"`, `button "Share block"`, `link "Other page"`, `button "fewer"`, `button "more"`, "TAIL", `spinbutton "Count" value="3"`+"\n")
	hasNot(t, s, "clickable")
	if n := strings.Count(s.Text, "spinbutton"); n != 2 {
		t.Errorf("%d spinbuttons:\n%s", n, s.Text)
	}
}

// TestFrameWithoutSize: what is fixed in a frame that has no size can't be seen either.
func TestFrameWithoutSize(t *testing.T) {
	t.Parallel()
	tab, snaps := automationtest.Open(t, automationtest.HTML(`<p>shown<iframe srcdoc="<p style='position:fixed;left:0;top:0'>EVIL" style="width:0;height:0"></iframe>`)), NewTab(0)
	s := take(t, tab, snaps, Options{})
	has(t, s, "shown")
	hasNot(t, s, "EVIL")
}

// TestHiddenCaptions: no name has anything of a caption that isn't shown.
func TestHiddenCaptions(t *testing.T) {
	both(t, `<table><caption style="display:none">EVIL1</caption><tr><th>Price<td>12</table><fieldset><legend hidden>EVIL2</legend><input aria-label=City></fieldset>
		<figure><figcaption style="visibility:hidden">EVIL3</figcaption><img alt=Map width=20 height=20></figure><button><fieldset><legend hidden>EVIL4</legend>Save</fieldset></button><table><caption hidden>`+strings.Repeat("EVIL5 ", 200)+`</caption><tr><td>2</table><table><caption>Prices</caption><tr><th>A<td>1</table>
		<fieldset><legend hidden><textarea>EVIL6</textarea></legend><button>Go</button></fieldset><button>Send<fieldset><legend hidden><img alt=EVIL7></legend></fieldset></button>
		<a href=/x style="display:contents"><fieldset><legend hidden><textarea>EVIL8</textarea></legend>Read</fieldset></a>
		<button aria-label="Buy it"><fieldset><legend hidden>EVIL9</legend>Buy</fieldset></button>
		<fieldset aria-labelledby=own><legend id=own hidden>EVIL10</legend><button>Own</button></fieldset>
		<div id=far><fieldset><legend hidden>EVIL11</legend>Far</fieldset></div><button aria-labelledby=far>x</button>
		<label>Street <fieldset><legend hidden>EVIL12</legend></fieldset><input></label>
		<fieldset><legend><span hidden>EVIL13</span></legend><button>Part</button></fieldset>
		<fieldset title=Payment><legend hidden>EVIL14</legend><button>Pay</button></fieldset>`, func(s *Snapshot) {
		has(t, s, "Price", `textbox "City"`, `table "Prices"`, `button "Save"`, `button "Go"`, `button "Send"`, `link "Read"`, `button "Buy it"`, `button "Own"`, `button "Far"`, `textbox "Street"`, `button "Part"`, `group "Payment"`)
		hasNot(t, s, "EVIL")
	})
}

// TestFieldsDrawnAsDots: what a field shows as dots is a secret, whatever its type.
func TestFieldsDrawnAsDots(t *testing.T) {
	both(t, `<style>.dots{-webkit-text-security:disc}</style><input class=dots aria-label=Pin value=4711><textarea class=dots aria-label=Key>sk-4711</textarea>
		<input aria-label=City value=Bonn>`, func(s *Snapshot) {
		has(t, s, `textbox "Pin" password filled`, `textbox "Key" password multiline filled`, `"City" value="Bonn"`)
		hasNot(t, s, "4711")
	})
}

// TestBoundsOfNumbers: a number field tells the bounds that it has, 0 too.
func TestBoundsOfNumbers(t *testing.T) {
	t.Parallel()
	tab, snaps := automationtest.Open(t, automationtest.HTML(`<input type=number aria-label=Free value=3><input type=number aria-label=From min=0 value=3><input type=number aria-label=To max=10 value=3>
		<input type=range aria-label=Volume><div role=slider tabindex=0 aria-label=Own aria-valuenow=1 aria-valuemin=0 aria-valuemax=5></div><div role=spinbutton tabindex=0 aria-label=Made aria-valuenow=4 aria-valuemin=2></div>`)), NewTab(0)
	s := take(t, tab, snaps, Options{})
	has(t, s, `"Free" value="3"`+"\n", `"From" value="3" min=0`+"\n", `"To" value="3" max=10`+"\n", `"Volume" value="50" min=0 max=100`+"\n", `"Own" value="1" min=0 max=5`+"\n", `"Made" value="4" min=2`+"\n")
}

// TestEmptyNumbers: a number field that holds nothing tells no value.
func TestEmptyNumbers(t *testing.T) {
	both(t, `<input type=number aria-label=Bare><input type=number aria-label=From min=0 placeholder=any><input type=number aria-label=Zero value=0><input role=spinbutton aria-label=Text>
		<div role=spinbutton tabindex=0 aria-label=Made></div><div role=spinbutton tabindex=0 aria-label=None aria-valuenow=0></div>`, func(s *Snapshot) {
		has(t, s, `"Bare"`+"\n", `"From" placeholder="any" min=0`+"\n", `"Zero" value="0"`+"\n", `"Text"`+"\n", `"Made"`+"\n", `"None" value="0"`+"\n")
	})
}

// TestDeepPage: what is deeper than a tree is read is counted, and what is called by a text deep in
// it can be used.
func TestDeepPage(t *testing.T) {
	t.Parallel()
	tab, snaps := automationtest.Open(t, automationtest.HTML(strings.Repeat("<div>", 450)+`<button>Deep</button>`+strings.Repeat("</div>", 450)+
		`<div style="cursor:pointer" onclick="1">`+strings.Repeat("<div>", 380)+`Pay`)), NewTab(0)
	s := take(t, tab, snaps, Options{})
	has(t, s, `button "Deep"`, "Pay")
	if _, err := snaps.Find(tab.Ctx, tab.Page, "", uidOf(t, s, "clickable")); err != nil {
		t.Errorf("%v\n%s", err, s.Text)
	}
}

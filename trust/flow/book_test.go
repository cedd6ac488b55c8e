package flow

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func domain(host string) string {
	labels := strings.Split(host, ".")
	if len(labels) < 2 {
		return ""
	}
	return strings.Join(labels[len(labels)-2:], ".")
}

func book(t *testing.T, mode Mode, strict bool, pairs ...string) *Book {
	t.Helper()
	o := Options{Mode: mode, Domain: domain, Strict: strict}
	for _, text := range pairs {
		p, err := ParsePair(text)
		if err != nil {
			t.Fatal(err)
		}
		o.Pairs = append(o.Pairs, p)
	}
	return New(o)
}

const (
	crm  = "https://crm.example"
	mail = "https://mail.example"
	evil = "https://evil.test"
)

// read has a client read something of the CRM.
func read(b *Book, session string, origins ...string) {
	b.ReadContent(session, Result, json.RawMessage(`{"content":[{"type":"text","text":"{\"balance\":\"4711 EUR\",\"diagnosis\":\"Diabetes\"}"}]}`), origins...)
}

// TestTitles: a title counts for what it says, and not as a visit.
func TestTitles(t *testing.T) {
	b := book(t, Enforce, false)
	b.ReadContent("1", PageText, json.RawMessage(`"Your code is 604182"`), crm)
	if got := b.Decide(Action{Session: "1", Origin: evil, Texts: []string{"604182"}}); len(got.Flows) != 1 {
		t.Errorf("%+v", got)
	}
	if got := b.Export("1"); got != "" {
		t.Errorf("%q is exported", got)
	}
}

// tell is an action that tells an origin something.
func tell(origin string, says ...string) Action {
	return Action{Origin: origin, Noticeable: true, Texts: says}
}

// TestDecide: what each action is after the client has read from the CRM.
func TestDecide(t *testing.T) {
	writes := func(origin string) Action { return tell(origin, "4711") }
	for _, c := range []struct {
		name   string
		action Action
		strict bool
		pairs  []string
		flows  bool
	}{
		{"a write on the same origin", writes(crm), false, nil, false},
		{"a write on another origin", writes(evil), false, nil, true},
		{"words that were not read", tell(evil, "red teapot"), false, nil, false},
		{"a field's value among other words", tell(evil, "he has diabetes now"), false, nil, true},
		{"nothing", tell(evil), false, nil, false},
		{"what a script computes", Action{Origin: evil, Noticeable: true, Opaque: true}, false, nil, true},
		{"a look at a page", Action{Origin: evil}, false, nil, false},
		{"another host of the site", writes("https://www.crm.example"), false, nil, false},
		{"another host of the site, strictly", writes("https://www.crm.example"), true, nil, true},
		{"another port of the host", writes("https://crm.example:8443"), false, nil, false},
		{"another port of the host, strictly", writes("https://crm.example:8443"), true, nil, true},
		{"the same host without encryption", writes("http://crm.example"), false, nil, true},
		{"an allowed pair", writes(mail), false, []string{crm + "->" + mail}, false},
		{"the pair the other way round", writes(mail), false, []string{mail + "->" + crm}, true},
		{"a pair of patterns", writes("https://eu.mail.example"), false, []string{"https://*.example->https://*.mail.example", crm + "->https://eu.mail.example"}, false},
		{"everything may go there", writes(evil), false, []string{"*->" + evil}, false},
		{"an opaque origin", writes("null"), false, nil, true},
		{"an unknown origin", writes(""), false, nil, true},
		{"an unknown origin, where all may go anywhere", writes(""), false, []string{"*->*"}, false},
		{"an address elsewhere", Action{Origin: crm, To: evil + "/?d=4711"}, false, nil, true},
		{"an address elsewhere that was not read", Action{Origin: crm, To: evil + "/teapots?color=red"}, false, nil, false},
		{"an address of the same site", Action{Origin: evil, To: crm + "/orders?id=4711"}, false, nil, false},
		{"a host's name", Action{Origin: crm, To: "https://diabetes.evil.test/"}, false, nil, true},
		{"a port", Action{Origin: crm, To: "https://evil.test:4711/"}, false, nil, true},
		{"an address that a page makes of itself", Action{Origin: crm, To: "data:text/html,<script>"}, false, nil, true},
		{"a script as an address", Action{Origin: crm, To: "javascript:fetch('//evil.test')"}, false, nil, true},
		{"an empty tab", Action{Origin: crm, To: "about:blank"}, false, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := book(t, Enforce, c.strict, c.pairs...)
			if got := b.Decide(c.action); got.Mode != None {
				t.Errorf("a client that has read nothing: %+v", got)
			}
			read(b, "", crm)
			if got := b.Decide(c.action); (got.Mode != None) != c.flows || c.flows && got.Mode != Enforce {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestCodes: what was read is found in every code and split, and what the client's user said before is free.
func TestCodes(t *testing.T) {
	for what, says := range map[string][]string{
		"plain": {"the balance is 4711 EUR"}, "in parts": {"47", "11"}, "in letters": {"4", "7", "1", "1"},
		"reversed": {"1174"}, "base64": {"NDcxMQ=="}, "base64 for addresses": {"x-NDcxMSBFVVI"}, "hex": {"34373131"},
		"hex with colons": {"34:37:31:31"}, "percent": {"%34%37%31%31"}, "twice": {"TkRjeE1RPT0="}, "base32": {"GQ3TCMI"},
		"codes of letters": {"52 55 49 49"}, "entities": {"&#52;&#55;&#49;&#49;"}, "in a name": {"report-4711.pdf"},
		"capitals": {"DIABETES"}, "full width": {"４７１１"}, "with blanks": {"d i a b e t e s"}, "with marks": {"dia\u200bbetes"},
	} {
		b := book(t, Enforce, false)
		read(b, "", crm)
		got := b.Decide(tell(evil, says...))
		if len(got.Flows) != 1 || got.Flows[0].From != crm {
			t.Errorf("%s: %+v", what, got)
		}
	}
	b := book(t, Enforce, false)
	b.Started(tell(mail, "4711 EUR"))
	read(b, "", crm)
	if got := b.Decide(tell(evil, "4711")); got.Mode != None {
		t.Errorf("the user's own words: %+v", got)
	}
}

// TestPartsOfSeveralCalls: what is said in several calls counts together, and a client that says letter after letter is
// asked about before it has said much.
func TestPartsOfSeveralCalls(t *testing.T) {
	b := book(t, Enforce, false)
	read(b, "", crm)
	for i, says := range []string{"diab", "etes"} {
		if got := b.Decide(tell(evil, says)); (got.Mode != None) != (i == 1) {
			t.Errorf("%q: %+v", says, got)
		}
		b.Started(tell(evil, says))
	}
	b, n := book(t, Enforce, false), 0
	for read(b, "", crm); n < 20 && b.Decide(tell(evil, "x")).Mode == None; n++ {
		b.Started(tell(evil, "x"))
	}
	if n != 2 {
		t.Errorf("%d letters were said", n)
	}
	b, n = book(t, Enforce, false), 0
	for read(b, "", crm); n < 20 && b.Decide(tell(evil)).Mode == None; n++ {
		b.Started(tell(evil))
	}
	if n != maxUnseen {
		t.Errorf("%d calls at chosen times", n)
	}
}

// TestWhatASiteKnows: a site may be told what it has shown itself, but not a number that it may have listed with all
// others.
func TestWhatASiteKnows(t *testing.T) {
	b := book(t, Enforce, false)
	read(b, "", crm, evil) // a result with the words of both: nobody knows whose they are
	if got := b.Decide(tell(evil, "diabetes")); got.Mode == None {
		t.Error("a frame's words count as its page's")
	}
	read(b, "", evil)
	if got := b.Decide(tell(evil, "diabetes")); got.Mode != None {
		t.Errorf("a value: %+v", got)
	}
	if got := b.Decide(tell(evil, "4711")); got.Mode == None {
		t.Error("a number that the site may have listed is free")
	}
}

// TestPictures: of a picture nothing is known, so everything new may come from it.
func TestPictures(t *testing.T) {
	b := book(t, Enforce, false)
	b.Started(tell(mail, "teapot"))
	b.ReadContent("", PageText, json.RawMessage(`{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}`), crm)
	if got := b.Decide(tell(evil, "diabetes")); len(got.Flows) != 1 || got.Flows[0].Kind != Unseen || got.Shown() != "" {
		t.Errorf("%+v", got)
	}
	if got := b.Decide(tell(evil, "teapot")); got.Mode != None {
		t.Errorf("what it said before: %+v", got)
	}
}

// TestScriptsLeaveThings: a tab in which a script ran may take what its page has to the next site.
func TestScriptsLeaveThings(t *testing.T) {
	b := book(t, Enforce, false)
	b.Started(Action{Origin: crm, Noticeable: true, Opaque: true, Script: true, Tab: "A"})
	b.Read("", mail)
	for tab, want := range map[string]int{"A": 1, "B": 0} {
		if got := b.Decide(Action{Origin: crm, To: mail + "/", Tab: tab}); len(got.Flows) != want {
			t.Errorf("%s: %+v", tab, got)
		}
	}
}

// TestScriptsInManyTabs: beyond the tabs that are remembered every tab may take something along.
func TestScriptsInManyTabs(t *testing.T) {
	b := book(t, Enforce, false)
	script := func(tab string) Action {
		return Action{Origin: crm, Noticeable: true, Opaque: true, Script: true, Tab: tab}
	}
	flows := func(tab string) bool { return b.Decide(Action{Origin: crm, To: mail + "/", Tab: tab}).Mode != None }
	b.Read("", mail)
	for i := range maxTargets + 1 {
		b.Started(script(strconv.Itoa(i)))
	}
	if n := len(b.clients[""].scripts); n > maxTargets || !flows("0") || !flows(strconv.Itoa(maxTargets)) {
		t.Errorf("%d tabs are remembered, and one is forgotten", n)
	}
}

// TestOriginsAlone: an address that is nothing but an origin tells a site nothing where the client has been.
func TestOriginsAlone(t *testing.T) {
	b := book(t, Ask, false)
	read(b, "1", crm)
	b.Read("1", "https://mail4711.example")
	if got := b.Decide(Action{Session: "1", To: "https://mail4711.example/"}); got.Mode != None {
		t.Errorf("where it has been: %+v", got)
	}
	if got := b.Decide(Action{Session: "1", To: "https://mail4711.test/"}); len(got.Flows) != 1 {
		t.Errorf("elsewhere: %+v", got)
	}
}

// TestClients: what one client reads doesn't count for another that has a session, and
// is forgotten with the session.
func TestClients(t *testing.T) {
	b := book(t, Enforce, false)
	action := tell(evil, "4711")
	read(b, "1", crm)
	read(b, "", crm)
	action.Session = "2"
	if got := b.Decide(action); got.Mode != None {
		t.Errorf("another client: %+v", got)
	}
	b.Gone("1")
	b.Gone("")
	action.Session = "1"
	if got := b.Decide(action); got.Mode != None {
		t.Errorf("a session that is over: %+v", got)
	}
	action.Session = ""
	if got := b.Decide(action); got.Mode == None {
		t.Error("clients without a session were forgotten")
	}
}

// TestAllow: what a person allows for good holds at once, for exactly these origins. All that is missing is named at
// once, with what would go.
func TestAllow(t *testing.T) {
	b := book(t, Ask, false)
	read(b, "1", crm)
	action := func(origin string) Action {
		return Action{Session: "1", Origin: origin, Noticeable: true, Texts: []string{"4711 EUR"}}
	}
	if got := b.Decide(action(mail)); got.Text() != "it would send to "+mail+" what this client has read from "+crm+" (a tool's result and a field's value)" ||
		got.Shown() != "from "+crm+": 4711 EUR" {
		t.Errorf("got %+v: %s: %s", got, got.Text(), got.Shown())
	}
	b.Allow(crm, mail)
	if got := b.Decide(action(mail)); got.Mode != None {
		t.Errorf("allowed, and still %+v", got)
	}
	if got := b.Decide(action(evil)); got.Mode == None {
		t.Error("another target was allowed with it")
	}
	read(b, "1", "https://bank.example", "https://tax.example")
	if got := b.Decide(action(mail)); !slices.Equal(got.PairTexts(), []string{"https://bank.example->" + mail, "https://tax.example->" + mail}) {
		t.Errorf("other sources: %+v", got)
	}
	b.SetPairs(nil)
	if got := b.Decide(action(mail)); len(got.Flows) != 3 {
		t.Errorf("taken back: %+v", got)
	}
}

// TestTooMany: beyond what is remembered the book knows less and allows less.
func TestTooMany(t *testing.T) {
	b := book(t, Enforce, false, "https://*:*->"+mail)
	for i := range maxOrigins + 1 {
		b.Read("1", fmt.Sprintf("https://shop%d.example", i))
	}
	action := Action{Session: "1", Origin: mail, Noticeable: true, Texts: []string{"anything"}}
	if got := b.Decide(action); !slices.Equal(got.PairTexts(), []string{"*->" + mail}) || got.Exact() {
		t.Errorf("got %+v, %v", got, got.PairTexts())
	}
	if n := len(b.clients["1"].sources); n != maxOrigins {
		t.Errorf("%d origins are remembered", n)
	}
	b = book(t, Enforce, false)
	var long strings.Builder
	for i := range maxHashes {
		fmt.Fprintf(&long, "%d word ", i)
		if long.Len() > maxRead/2 {
			b.ReadContent("1", PageText, json.RawMessage(strconv.Quote(long.String())), crm)
			long.Reset()
		}
	}
	if n := b.clients["1"].hashes; n > maxHashes {
		t.Errorf("%d passages are remembered", n)
	}
	if got := b.Decide(action); len(got.Flows) != 1 {
		t.Errorf("what was not kept: %+v", got)
	}
}

// TestManyHashes: however much is read, each part of it is still recognized, and not remembered as more than it is.
func TestManyHashes(t *testing.T) {
	b := book(t, Enforce, false)
	var values []string
	for i := range 20_000 {
		values = append(values, strconv.Itoa(1_000_003*(i+7)))
		b.ReadContent("1", Result, json.RawMessage(strconv.Quote(values[i])), fmt.Sprintf("https://s%d.example%d", i%3, i%3))
	}
	for i := 0; i < len(values); i += 97 {
		got := b.Decide(Action{Session: "1", Origin: evil, Noticeable: true, Texts: []string{values[i]}})
		if !slices.ContainsFunc(got.Flows, func(f Flow) bool {
			return f.From == fmt.Sprintf("https://s%d.example%d", i%3, i%3) && f.Text == values[i]
		}) {
			t.Fatalf("value %d: %+v", i, got)
		}
	}
	if c := b.clients["1"]; len(c.filter)*64 < c.hashes*filterBits/2 || len(c.filter)*64 > c.hashes*filterBits*8 {
		t.Errorf("%d bits for %d hashes", len(c.filter)*64, c.hashes)
	}
}

// TestOff: nothing is remembered.
func TestOff(t *testing.T) {
	b := book(t, Off, false)
	read(b, "1", crm)
	b.Started(Action{Session: "1", Origin: evil})
	if got := b.Decide(Action{Session: "1", Origin: evil, Texts: []string{"4711"}}); got.Mode != None || len(b.clients) > 0 {
		t.Errorf("got %+v", got)
	}
}

func TestParsePair(t *testing.T) {
	for _, text := range []string{"", crm, crm + "->", "->" + mail, crm + "->mail", crm + "=>" + mail, crm + "/path->" + mail} {
		if p, err := ParsePair(text); err == nil {
			t.Errorf("%q is %v", text, p)
		}
	}
	if p, err := ParsePair(crm + " -> " + mail); err != nil || p.String() != crm+" -> "+mail {
		t.Error(p, err)
	}
}

// BenchmarkDecide: a client that has read 300 kB of 4 sites says a sentence.
func BenchmarkDecide(b *testing.B) {
	book := New(Options{Mode: Enforce, Domain: domain})
	for i := range 4 {
		var text strings.Builder
		for j := range 8000 {
			fmt.Fprintf(&text, "word%d %d ", j*i, j)
		}
		book.ReadContent("1", PageText, json.RawMessage(strconv.Quote(text.String())), fmt.Sprintf("https://s%d.example%d", i, i))
	}
	action := Action{Session: "1", Origin: evil, Noticeable: true, Texts: []string{"A sentence of some length about a red teapot, for a search"}}
	for b.Loop() {
		if got := book.Decide(action); got.Mode != None {
			b.Fatalf("%+v", got)
		}
	}
}

package flow

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

// TestDecide: what each action is after the client has read from the CRM.
func TestDecide(t *testing.T) {
	writes := func(origin string) Action { return Action{Origin: origin, Told: true, Args: true} }
	for _, c := range []struct {
		name   string
		action Action
		strict bool
		pairs  []string
		flows  bool
	}{
		{"a write on the same origin", writes(crm), false, nil, false},
		{"a write on another origin", writes(evil), false, nil, true},
		{"a write without arguments", Action{Origin: evil}, false, nil, true},
		{"a read without arguments", Action{Origin: evil, ReadOnly: true, Told: true}, false, nil, false},
		{"a read with arguments", Action{Origin: evil, ReadOnly: true, Told: true, Args: true}, false, nil, true},
		{"a look at a page, which isn't told", Action{Origin: evil, ReadOnly: true, Args: true}, false, nil, false},
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
		{"an address elsewhere", Action{Origin: crm, To: evil + "/?d=secret"}, false, nil, true},
		{"an address of the same site", Action{Origin: evil, To: crm + "/orders?id=1"}, false, nil, false},
		{"an origin alone that was never read", Action{Origin: crm, To: "https://secret.evil.test/"}, false, nil, true},
		{"an address that a page makes of itself", Action{Origin: crm, To: "data:text/html,<script>"}, false, nil, true},
		{"a script as an address", Action{Origin: crm, To: "javascript:fetch('//evil.test')"}, false, nil, true},
		{"an empty tab", Action{Origin: crm, To: "about:blank"}, false, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := book(t, Enforce, c.strict, c.pairs...)
			if got := b.Decide(c.action); got.Flows() {
				t.Errorf("a client that has read nothing: %+v", got)
			}
			b.Read("", crm)
			for range 2 { // the second time it is kept ready
				if got := b.Decide(c.action); got.Flows() != c.flows || got.Flows() && got.Mode != Enforce {
					t.Errorf("got %+v", got)
				}
			}
		})
	}
}

// TestOriginsAlone: an address that is nothing but an origin carries data to whoever
// chose the origin's name, unless the client has been there.
func TestOriginsAlone(t *testing.T) {
	b := book(t, Ask, false)
	b.Read("1", crm, mail)
	if got := b.Decide(Action{Session: "1", To: mail + "/"}); got.Flows() {
		t.Errorf("where it has been: %+v", got)
	}
	if got := b.Decide(Action{Session: "1", To: mail + "/inbox"}); !slices.Equal(got.Pairs(), []string{crm + "->" + mail}) {
		t.Errorf("a path there: %+v", got)
	}
}

// TestClients: what one client reads doesn't count for another that has a session, and
// is forgotten with the session.
func TestClients(t *testing.T) {
	b := book(t, Enforce, false)
	action := Action{Origin: evil}
	b.Read("1", crm)
	b.Read("", crm)
	action.Session = "2"
	if got := b.Decide(action); got.Flows() {
		t.Errorf("another client: %+v", got)
	}
	b.Gone("1")
	b.Gone("")
	action.Session = "1"
	if got := b.Decide(action); got.Flows() {
		t.Errorf("a session that is over: %+v", got)
	}
	action.Session = ""
	if got := b.Decide(action); !got.Flows() {
		t.Error("clients without a session were forgotten")
	}
}

// TestAllow: what a person allows for good holds at once, for exactly these origins.
func TestAllow(t *testing.T) {
	b := book(t, Ask, false)
	b.Read("1", crm)
	if got := b.Decide(Action{Session: "1", Origin: mail}); !got.Flows() || got.Text() != "it would send something to "+mail+" after this client has read from "+crm {
		t.Errorf("got %+v: %s", got, got.Text())
	}
	b.Allow(crm, mail)
	if got := b.Decide(Action{Session: "1", Origin: mail}); got.Flows() {
		t.Errorf("allowed, and still %+v", got)
	}
	if got := b.Decide(Action{Session: "1", Origin: evil}); !got.Flows() {
		t.Error("another target was allowed with it")
	}
	b.Read("1", evil)
	if got := b.Decide(Action{Session: "1", Origin: mail}); !slices.Equal(got.From, []string{evil}) {
		t.Errorf("another source was allowed with it: %+v", got)
	}
}

// TestTooMany: beyond what is remembered the book knows less and allows less.
func TestTooMany(t *testing.T) {
	b := book(t, Enforce, false, "https://*:*->"+mail)
	for i := range maxOrigins + 1 {
		b.Read("1", fmt.Sprintf("https://shop%d.example", i))
	}
	if got := b.Decide(Action{Session: "1", Origin: mail}); !slices.Equal(got.From, []string{""}) || !slices.Equal(got.Pairs(), []string{"*->" + mail}) {
		t.Errorf("got %+v, %v", got, got.Pairs())
	}
	if n := len(b.clients["1"].origins); n != maxOrigins {
		t.Errorf("%d origins are remembered", n)
	}
	if got := b.Decide(Action{Session: "1", Origin: evil}); len(got.From) != maxOrigins+1 || !strings.Contains(got.Text(), "996 more") {
		t.Errorf("%d: %s", len(got.From), got.Text())
	}
}

// TestOff: nothing is remembered.
func TestOff(t *testing.T) {
	b := book(t, Off, false)
	b.Read("1", crm)
	if got := b.Decide(Action{Session: "1", Origin: evil}); got.Flows() || len(b.clients) > 0 {
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

// TestAnyOrder: a decision is that of a plain look at all reads and pairs, whatever came
// between, and what is kept ready never answers for more than it was made for.
func TestAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var origins []string
	for _, host := range []string{"a.one.example", "b.one.example", "two.example", "three.test", "a.three.test"} {
		origins = append(origins, "https://"+host, "http://"+host)
	}
	origins = append(origins, "null", "")
	pick := func() string { return origins[rng.IntN(len(origins))] }
	for range 300 {
		b := book(t, Enforce, rng.IntN(2) == 0, "https://two.example->https://*.three.test")
		read := map[string]bool{}
		allowed := map[string]bool{}
		for range 40 {
			switch rng.IntN(4) {
			case 0:
				o := pick()
				read[o] = true
				b.Read("1", o)
			case 1:
				from, to := pick(), pick()
				allowed[from+"->"+to] = true
				b.Allow(from, to)
			default:
				to := pick()
				var want []string
				for o := range read {
					ok := b.place(to).site != "" && b.place(o).site == b.place(to).site || allowed[o+"->"+to] || o == "https://two.example" && to == "https://a.three.test"
					if !ok {
						want = append(want, o)
					}
				}
				slices.Sort(want)
				if got := b.Decide(Action{Session: "1", Origin: to}); !slices.Equal(got.From, want) {
					t.Fatalf("to %q after %v, allowed %v: %v, want %v", to, read, allowed, got.From, want)
				}
			}
		}
	}
}

// BenchmarkDecide: 100 origins read, 1,000 pairs, 50 targets in turn.
func BenchmarkDecide(b *testing.B) {
	o := Options{Mode: Enforce, Domain: domain}
	for i := range 1000 {
		p, err := ParsePair(fmt.Sprintf("https://s%d.example->https://t%d.test", i, i))
		if err != nil {
			b.Fatal(err)
		}
		o.Pairs = append(o.Pairs, p)
	}
	book := New(o)
	for i := range 100 {
		book.Read("1", fmt.Sprintf("https://s%d.example", i))
	}
	var actions []Action
	for i := range 50 {
		actions = append(actions, Action{Session: "1", Origin: fmt.Sprintf("https://t%d.test", i)})
	}
	for i := 0; b.Loop(); i++ {
		// All of *.example is one site here, so one pair lets one origin go.
		if got := book.Decide(actions[i%50]); len(got.From) != 99 {
			b.Fatalf("%+v", got)
		}
	}
}

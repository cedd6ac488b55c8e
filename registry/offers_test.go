package registry

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// offersHub is a State whose pages have MCP servers of their own.
type offersHub struct {
	t     *testing.T
	state *State
}

func newOffering(t *testing.T) *offersHub {
	return &offersHub{t, NewState(Options{})}
}

// step takes events, and flushes at the end. It returns the effects.
func (o *offersHub) step(events ...Event) (effects []Effect) {
	for _, e := range append(events, FlushDue{}, FlushDue{}) {
		effects = append(effects, o.state.Step(e)...)
	}
	return effects
}

// open opens a page with these offers: URIs, URI templates (with a brace) and,
// with a '#' before them, prompts.
func (o *offersHub) open(page PageID, url string, offers ...string) {
	o.step(PageOpened{Page: page, URL: url}, Navigated{Page: page, Gen: 1, URL: url}, reported(page, 1, url, offers...))
}

func reported(page PageID, gen Gen, url string, offers ...string) OffersReported {
	e := OffersReported{Page: page, Gen: gen}
	for _, name := range offers {
		frame := FrameID("main")
		if f, own, found := strings.Cut(name, "@"); found {
			frame, name = FrameID(f), own
		}
		if prompt, is := strings.CutPrefix(name, "#"); is {
			e.Prompts = append(e.Prompts, &offer.PagePrompt{Frame: frame, Doc: gen, FrameURL: url, Name: prompt, Description: "asks " + prompt})
			continue
		}
		e.Resources = append(e.Resources, &offer.PageResource{Frame: frame, Doc: gen, FrameURL: url, URI: name, Template: strings.Contains(name, "{"), Name: name})
	}
	return e
}

// shown are the URIs and names of what all pages offer.
func (o *offersHub) shown() string {
	var names []string
	for offer := range o.state.Catalog().Offered().Offers("").Each {
		names = append(names, offer.Name)
	}
	return strings.Join(names, " ")
}

func (o *offersHub) expect(names ...string) {
	o.t.Helper()
	if got, want := o.shown(), strings.Join(names, " "); got != want {
		o.t.Errorf("shown\n\t%s, want\n\t%s", got, want)
	}
}

const (
	siteA = "https://a.test/x"
	uriA0 = "webmcp://a.test/page0/"
)

func TestOffersFollowTheirPages(t *testing.T) {
	o := newOffering(t)
	first := reported("A", 1, siteA, "note://1", "note://{id}", "#ask")
	o.open("A", siteA)
	o.step(first)
	o.expect(uriA0+"note%3A%2F%2F1", uriA0+"note%3A%2F%2F{id}", "webmcp_a_test_page0_ask")
	o.open("B", "http://localhost:3000/", "note://1", "frame@note://1", "#ask", "frame@#ask")
	o.expect(uriA0+"note%3A%2F%2F1", "webmcp://localhost:3000/page1/frame1/note%3A%2F%2F1", "webmcp://localhost:3000/page1/note%3A%2F%2F1",
		uriA0+"note%3A%2F%2F{id}", "webmcp_a_test_page0_ask", "webmcp_localhost_3000_page1_ask", names.WebMCP.Distinct("localhost_3000", 1, "ask", "1\x00ask", 1, names.DefaultMaxName))

	for name, e := range map[string]Event{
		"the same again":         first,
		"of an older document":   reported("A", 0, siteA),
		"of a page that is none": reported("Z", 1, siteA, "z://"),
		"a title":                PageChanged{Page: "A", URL: siteA, Title: "Another"},
		"an address of one site": PageChanged{Page: "A", URL: siteA + "#there", Title: "Another"},
	} {
		before := o.state.Catalog()
		o.step(e)
		if o.state.Catalog().Offered() != before.Offered() {
			t.Errorf("%s: there are other offers", name)
		}
	}

	o.step(Navigated{Page: "A", Gen: 2, URL: siteA})
	if strings.Contains(o.shown(), "page0") {
		t.Errorf("the old document's are still there: %s", o.shown())
	}
	o.step(reported("A", 2, siteA, "note://2"))
	o.step(PageClosed{Page: "B"})
	o.expect(uriA0 + "note%3A%2F%2F2")
	o.step(PageChanged{Page: "A", URL: siteA, State: "crashed"})
	o.expect()
}

// Others keep their pointers, so that nobody is told of what did not change.
func TestOffersKeepPointers(t *testing.T) {
	o := newOffering(t)
	o.open("A", siteA, "note://1", "#ask")
	o.open("B", siteA, "note://1")
	before := o.state.Catalog().Offered().Offers("A")
	o.step(reported("B", 1, siteA, "note://2"))
	after := o.state.Catalog().Offered().Offers("A")
	if before.Of(offer.Resource)[0] != after.Of(offer.Resource)[0] || before.Of(offer.Prompt)[0] != after.Of(offer.Prompt)[0] {
		t.Error("the other page's offers are made anew")
	}
	for _, c := range []struct {
		events             []Event
		resources, prompts bool
	}{
		{[]Event{reported("B", 1, siteA, "note://3")}, true, false},
		{[]Event{reported("B", 1, siteA, "note://3", "#b")}, false, true},
		{[]Event{reported("B", 1, siteA, "note://3", "#b")}, false, false}, // another registration of the same
	} {
		was := o.state.Catalog().Offered().Offers("")
		o.step(c.events...)
		is := o.state.Catalog().Offered().Offers("")
		if r, p := was.Differ(is, offer.Resource), was.Differ(is, offer.Prompt); r != c.resources || p != c.prompts {
			t.Errorf("differ in resources %v, prompts %v", r, p)
		}
	}
}

func TestOffersAreFlushedLikeTools(t *testing.T) {
	o := newOffering(t)
	o.open("A", siteA)
	count := func(e Event) (served, armed int) {
		for _, effect := range o.state.Step(e) {
			switch effect.(type) {
			case SetCatalog:
				served++
			case ArmFlush:
				armed++
			}
		}
		return
	}
	for i, c := range []struct {
		event         Event
		served, armed int
	}{
		{reported("A", 1, siteA, "note://1"), 1, 1}, // at once
		{reported("A", 1, siteA, "note://2"), 0, 0}, // later
		{reported("A", 1, siteA, "note://3"), 0, 0},
		{FlushDue{}, 1, 1},
		{FlushDue{}, 0, 0},
	} {
		if served, armed := count(c.event); served != c.served || armed != c.armed {
			t.Errorf("step %d: served %d, armed %d", i, served, armed)
		}
	}
	fresh := o.state.Recover(o.state.Catalog())
	if fresh.Catalog().Offered() != o.state.Catalog().Offered() {
		t.Error("clients lose their list")
	}
	for _, e := range []Event{PageOpened{Page: "A", URL: siteA}, Navigated{Page: "A", Gen: 1, URL: siteA}, reported("A", 1, siteA, "note://4"), reported("A", 1, siteA, "note://5"),
		reported("A", 1, siteA, "note://6"), reported("A", 1, siteA, "note://7"), FlushDue{}} {
		fresh.Step(e)
	}
	if got := fresh.Catalog().Offered().Offers("").Of(offer.Resource)[0].Original; got != "note://7" {
		t.Errorf("after a panic %s is shown", got)
	}
}

func TestOffersThatAreRefused(t *testing.T) {
	many := make([]string, offer.MaxOffers+1)
	for i := range many {
		many[i] = fmt.Sprintf("n://%d", i)
	}
	for _, c := range []struct {
		offers []string
		why    string
		shown  int
	}{
		{[]string{"note://" + strings.Repeat("x", offer.MaxResourceURI)}, "longer than", 0},
		{[]string{"note://\u202e1", "n://1"}, "can't be seen", 1},
		{[]string{"note://{a"}, "braces", 0},
		{[]string{"note://{}"}, "braces", 0},
		{[]string{"#" + strings.Repeat("x", sanitize.MaxToolName+1)}, "longer than", 0},
		{many, "more than 1000", offer.MaxOffers},
	} {
		o := newOffering(t)
		o.open("A", siteA)
		var why []string
		for _, e := range o.step(reported("A", 1, siteA, c.offers...)) {
			if r, ok := e.(ReportRefusal); ok {
				why = append(why, r.Why)
			}
		}
		if len(why) != 1 || !strings.Contains(why[0], c.why) {
			t.Errorf("refused because of %q, want %q", why, c.why)
		}
		if all := o.state.Catalog().Offered().Offers(""); len(slices.Collect(all.Each)) != c.shown {
			t.Errorf("%s: shown %s", c.why, o.shown())
		}
	}
}

// What pages say is cleaned as tools' descriptions are.
func TestOffersAreLaundered(t *testing.T) {
	o := newOffering(t)
	o.open("A", siteA)
	o.step(OffersReported{Page: "A", Gen: 1, Resources: []*offer.PageResource{{
		Frame: "main", Doc: 1, FrameURL: siteA, URI: "n://1", Name: "N\u200bame", Title: "T\u202eitle", Description: "Des\u2066cription", MIMEType: "text/plain\x00",
		Size: json.RawMessage(`"big"`), Annotations: json.RawMessage(`{"audience":["user","all"],"priority":7,"lastModified":"2026","evil":1}`),
	}}, Prompts: []*offer.PagePrompt{{Frame: "main", Doc: 1, FrameURL: siteA, Name: "p", Description: "Pro\u200bmpt",
		Arguments: []offer.PromptArgument{{Name: "a", Description: "Arg\u200bument", Required: true}}}}})
	all := o.state.Catalog().Offered().Offers("")
	meta := `"_meta":{"webmcp-hub/provenance":{"trust":"[untrusted page content]","origin":"https://a.test","frameUrl":"https://a.test/x","page":0,"tabId":1,"runtime":"mcpb"}}`
	if got, want := string(all.Of(offer.Resource)[0].Encoded), `{"uri":"webmcp://a.test/page0/n%3A%2F%2F1","name":"Name","title":"Title","description":"[WebMCP • a.test • Page 0] Description","mimeType":"text/plain","annotations":{"audience":["user"],"lastModified":"2026"},`+meta+`}`; got != want {
		t.Errorf("got\n\t%s, want\n\t%s", got, want)
	}
	if got, want := string(all.Of(offer.Prompt)[0].Encoded), `{"name":"webmcp_a_test_page0_p","description":"[WebMCP • a.test • Page 0] Prompt","arguments":[{"name":"a","description":"Argument","required":true}],`+meta+`}`; got != want {
		t.Errorf("got\n\t%s, want\n\t%s", got, want)
	}
}

// A URI means what it meant when the client read the list, or is refused.
func TestResolveOffers(t *testing.T) {
	o := newOffering(t)
	o.open("A", siteA, "note://1", "file://{path}", "#ask")
	o.open("B", siteA, "note://1", "#ask")
	seen := o.state.Catalog()
	o.step(PageClosed{Page: "A"})
	now := o.state.Catalog()
	uri := uriA0 + "note%3A%2F%2F1"

	for name, c := range map[string]struct {
		seen       *Catalog
		uri        string
		page, want string // or the error's text
	}{
		"renamed":            {seen, "webmcp://a.test/page1/note%3A%2F%2F1", "B", "note://1"},
		"another page's now": {seen, uri, "", "is gone: the page that it belonged to was closed"},
		"never listed":       {nil, uri, "B", "note://1"},
		"a template's":       {seen, uriA0 + "file%3A%2F%2Fx", "", "is gone: the page that it belonged to was closed"},
		"by its number":      {nil, uriA0 + "link%3A%2F%2Fq", "B", "link://q"},
		"number moved":       {seen, uriA0 + "link%3A%2F%2Fq", "", "there is no resource"},
		"no such page":       {nil, "webmcp://a.test/page7/note%3A%2F%2F1", "", "there is no resource"},
		"another site":       {nil, "webmcp://b.test/page0/note%3A%2F%2F1", "", "there is no resource"},
		"not ours":           {nil, "https://a.test/", "", "there is no resource"},
	} {
		target, err := ResolveResource(c.seen, now, c.uri, everybody)
		switch {
		case c.page == "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, %v", name, target, err)
		case c.page != "" && (err != nil || target.Resource.Server.Page != PageID(c.page) || target.URI != c.want):
			t.Errorf("%s: %+v, %v", name, target, err)
		}
	}
	o.open("C", siteA, "note://1", "#ask")
	before := o.state.Catalog()
	o.step(Navigated{Page: "C", Gen: 2, URL: "https://b.test/"}, reported("C", 2, "https://b.test/", "note://1", "#ask"))
	after := o.state.Catalog()
	if _, err := ResolveResource(before, after, "webmcp://a.test/page1/note%3A%2F%2F1", everybody); err == nil || !strings.Contains(err.Error(), "its page navigated to https://b.test/") {
		t.Errorf("another site: %v", err)
	}
	if _, err := ResolveOffer(offer.Prompt, before, after, "webmcp_a_test_page1_ask", everybody); err == nil || !strings.Contains(err.Error(), "its page navigated to https://b.test/") {
		t.Errorf("another site: %v", err)
	}
	if p, err := ResolveOffer(offer.Prompt, seen, now, "webmcp_a_test_page1_ask", everybody); err != nil || p.Server.Page != "B" {
		t.Errorf("renamed: %v", err)
	}
	if _, err := ResolveOffer(offer.Prompt, seen, now, "webmcp_a_test_page0_ask", everybody); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("another page's now: %v", err)
	}
	if r, err := ResolveOffer(offer.ResourceTemplate, seen, seen, uriA0+"file%3A%2F%2F{path}", everybody); err != nil || r.Original != "file://{path}" {
		t.Errorf("template: %v", err)
	}
}

// What a client makes of a URI or a template leads back to what the page would
// have made of its own.
func FuzzOfferURIs(f *testing.F) {
	f.Add("note://1", "note://{id}", "a b/ü%")
	f.Add("x", "{a}{b}", "")
	f.Add("a%2Fb{c", "p://{+path}/end{?q}", "/x/y")
	f.Add("x", "p://{a}:{b}", ":")
	f.Add("webmcp://a.test/page0/x", "a}b", "/")
	f.Fuzz(func(t *testing.T, uri, template, value string) {
		o := newOffering(t)
		e := OffersReported{Page: "A", Gen: 1, Resources: []*offer.PageResource{
			{Frame: "main", Doc: 1, FrameURL: siteA, URI: uri, Name: "r"},
			{Frame: "main", Doc: 1, FrameURL: siteA, URI: template, Template: true, Name: "t"},
		}}
		o.step(PageOpened{Page: "A", URL: siteA}, Navigated{Page: "A", Gen: 1, URL: siteA}, e)
		c := o.state.Catalog()
		all := c.Offered().Offers("")
		for _, r := range all.Of(offer.Resource) {
			target, err := ResolveResource(nil, c, r.Name, everybody)
			if err != nil || target.URI != uri || target.Resource != r {
				t.Errorf("%q is known as %s, which leads to %q (%v)", uri, r.Name, target.URI, err)
			}
			if got := c.Offered().HubURI(r, uri); got != r.Name {
				t.Errorf("%q is known as %s, and called %s", uri, r.Name, got)
			}
			unlisted := c.Offered().HubURI(r, "x:"+value)
			if target, err := ResolveResource(nil, c, unlisted, everybody); len(all.Of(offer.Resource))+len(all.Of(offer.ResourceTemplate)) > 0 && (err != nil || target.URI != "x:"+value) {
				t.Errorf("%q is called %s, which leads to %q (%v)", "x:"+value, unlisted, target.URI, err)
			}
		}
		for _, r := range all.Of(offer.ResourceTemplate) {
			// A client expands as RFC 6570 says, so that values have no reserved characters.
			fillIn := func(template string) string {
				return regexp.MustCompile(`\{[^{}]*\}`).ReplaceAllLiteralString(template, names.EncodeURI(value))
			}
			if len(all.Of(offer.Resource)) > 0 && fillIn(r.Name) == all.Of(offer.Resource)[0].Name {
				continue
			}
			target, err := ResolveResource(nil, c, fillIn(r.Name), everybody)
			// Where a value has what the template has too, it may be the one or
			// the other that is percent-encoded: the same to whoever reads it.
			if want := fillIn(template); err != nil || plain(target.URI) != plain(want) {
				t.Errorf("%q is known as %s; filled in it leads to %q, not %q (%v)", template, r.Name, target.URI, want, err)
			}
		}
	})
}

var escaped = regexp.MustCompile("%[0-9A-F]{2}")

func plain(uri string) string {
	return escaped.ReplaceAllStringFunc(uri, func(e string) string {
		c, _ := names.DecodeURI(e)
		return c
	})
}

func TestOffersOfOriginsThatAreNotAllowed(t *testing.T) {
	options := originsOptions(t, "https://a.test https://b.test", "")
	o := &offersHub{t, NewState(options)}
	o.open("A", "https://a.test/", "file:///a", "#ask")
	o.open("C", "https://c.test/", "file:///c", "#ask")
	o.step(PageOpened{Page: "B", URL: "https://b.test/"}, Navigated{Page: "B", Gen: 1, URL: "https://b.test/"}, reported("B", 1, "https://ads.test/", "file:///b", "#ask"))
	if got := o.shown(); strings.Contains(got, "c_test") || strings.Contains(got, "b_test") || !strings.Contains(got, "a_test") {
		t.Errorf("shown: %s", got)
	}
}

// Empty lists stay lists: null is something else to a strict client.
func TestEmptyAudience(t *testing.T) {
	for in, want := range map[string]string{
		`{"audience":[]}`:       `{"audience":[]}`,
		`{"audience":["all"]}`:  `{"audience":[]}`,
		`{"audience":null}`:     ``,
		`{"audience":["user"]}`: `{"audience":["user"]}`,
	} {
		if got := string(sanitize.Annotations(json.RawMessage(in))); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}

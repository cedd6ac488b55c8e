package registry

import (
	"strings"
	"testing"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// framed is a tool of an iframe whose document has that origin.
func framed(name, address, origin string) *PageTool {
	return &PageTool{Name: name, Frame: FrameID(name + "'s"), Doc: 2, FrameURL: address, Origin: origin}
}

const bank = "https://bank.example"

// A frame's address does not tell whose it is: an advertisement's about:srcdoc
// is the advertisement's.
func TestAFramesOriginIsWhatTheBrowserSays(t *testing.T) {
	for _, rules := range []struct{ allow, deny string }{{bank, ""}, {"", "https://ads.example"}, {"*://*:*", "*://ads.example"}} {
		h := newHub(t, originsOptions(t, rules.allow, rules.deny))
		h.open("A", bank+"/")
		h.reportTools("A", framed("own", "about:srcdoc", bank), framed("blank", "about:blank", bank),
			framed("ad", "about:srcdoc", "https://ads.example"), framed("ad2", "about:blank", "https://ads.example"),
			framed("ad3", bank+"/sandboxed-by-nobody", "https://ads.example"), framed("whose", "about:blank", ""))
		h.want("webmcp_bank_example_page0_blank", "webmcp_bank_example_page0_own")
		for _, r := range h.state.Catalog().Tab("A").Refused {
			if r.Tool != offer.AllFrameTools || !strings.HasPrefix(r.Why, "https://ads.example is ") && !strings.HasPrefix(r.Why, "a document without an origin (about:blank)") && !strings.HasPrefix(r.Why, "a frame whose origin is not known (about:blank)") {
				t.Errorf("%+v: %q", rules, r)
			}
		}
	}
	h := newHub(t, originsOptions(t, bank, ""))
	h.open("A", bank+"/")
	h.reportTools("A", framed("sandboxed", bank+"/widget", names.OpaqueOrigin)) // its address says otherwise
	h.want()
}

// So it is with pages: a popup's about:blank is its opener's.
func TestAPagesOriginIsWhatTheBrowserSays(t *testing.T) {
	h := newHub(t, originsOptions(t, "", "https://ads.example"))
	h.open("A", "about:blank")
	h.report("A", "x")
	h.want("webmcp_unknown_page0_x")
	h.step(PageChanged{Page: "A", URL: "about:blank", Origin: "https://ads.example"})
	h.flush()
	h.want()
	if got := h.state.Catalog().Tab("A"); len(got.Refused) != 1 || got.Refused[0] != (offer.Refusal{Tool: offer.AllTools, Why: "https://ads.example is denied (--deny-origin)"}) || got.Origin != "https://ads.example" {
		t.Errorf("the tab is %+v", got)
	}
	h.step(PageChanged{Page: "A", Title: "still"}) // the same address, and so the same origin
	h.flush()
	h.want()
	h.step(PageChanged{Page: "A", URL: "about:blank", Origin: bank})
	h.flush()
	h.want("webmcp_unknown_page0_x")
	if got := h.server["webmcp_unknown_page0_x"]; got.Origin() != bank || got.Description != "[WebMCP • bank.example • Page 0] No description" {
		t.Errorf("%q of %q", got.Description, got.Origin())
	}

	h = newHub(t, originsOptions(t, bank, ""))
	h.open("A", bank+"/")
	h.report("A", "x")
	h.want("webmcp_bank_example_page0_x")
	h.step(PageChanged{Page: "A", URL: bank + "/", Origin: names.OpaqueOrigin}) // by Content-Security-Policy: sandbox
	h.flush()
	h.want()
}

// Who is denied can't slip through by a sandbox, which takes the origin away: a
// header does (Content-Security-Policy: sandbox), and so does a frame's attribute.
func TestASandboxIsNoWayAroundDeny(t *testing.T) {
	const ads = "https://ads.example"
	h := newHub(t, originsOptions(t, "", ads))
	h.open("A", ads+"/")
	h.step(PageChanged{Page: "A", URL: ads + "/", Origin: names.OpaqueOrigin})
	h.report("A", "x")
	h.want()
	if got := h.state.Catalog().Tab("A").Refused; len(got) != 1 || got[0] != (offer.Refusal{Tool: offer.AllTools, Why: "a document without an origin (https://ads.example/) is denied (--deny-origin)"}) {
		t.Errorf("refused: %q", got)
	}

	h = newHub(t, originsOptions(t, "", ads))
	h.open("A", bank+"/")
	h.reportTools("A", framed("ad", ads+"/1", names.OpaqueOrigin), framed("srcdoc", "about:srcdoc", names.OpaqueOrigin), framed("data", "data:text/html,x", names.OpaqueOrigin), framed("widget", bank+"/widget", names.OpaqueOrigin))
	h.want("webmcp_bank_example_page0_widget")

	// A page is its own, not that of a frame around it.
	for _, address := range []string{"file:///home/x.html", "data:text/html,x"} {
		h = newHub(t, originsOptions(t, "", ads))
		h.open("A", address)
		h.step(PageChanged{Page: "A", URL: address, Origin: names.OpaqueOrigin})
		h.reportTools("A", &PageTool{Name: "x", Frame: "A", Doc: 1, FrameURL: address, Origin: names.OpaqueOrigin})
		h.want("webmcp_unknown_page0_x")
	}

	rules := originsOptions(t, "", ads).Origins
	for _, c := range []struct {
		origin, address string
		main, refused   bool
	}{
		{names.OpaqueOrigin, ads + "/", true, true},
		{names.OpaqueOrigin, ads + "/", false, true},
		{names.OpaqueOrigin, "about:srcdoc", false, true},
		{names.OpaqueOrigin, "file:///x", true, false},
		{names.OpaqueOrigin, bank + "/", false, false},
		{ads, "about:srcdoc", false, true},
		{bank, ads + "/", false, false}, // the browser knows
		{"", "about:blank", false, true},
		{"", "about:blank", true, true},
	} {
		if got := rules.Refuses(c.origin, c.address, c.main); got != c.refused {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if everything := originsOptions(t, "*", ads).Origins; everything.Refuses(names.OpaqueOrigin, "about:srcdoc", false) || !everything.Refuses(names.OpaqueOrigin, ads+"/", false) {
		t.Error("with --allow-origin=* documents without an origin are allowed, but for those of a denied address")
	}
}

// Whoever reads a description knows whose tool it is; names stay as specified.
func TestAFramesToolsSayWhoseTheyAre(t *testing.T) {
	h := newHub(t, Options{})
	h.open("A", bank+"/")
	h.reportTools("A", &PageTool{Name: "own", Frame: "A", Doc: 1, Origin: bank}, framed("same", "about:srcdoc", bank), framed("ad", "https://ads.example/", "https://ads.example"),
		framed("port", bank+":8443/", ""), framed("sandboxed", bank+"/x", names.OpaqueOrigin), framed("whose", "about:blank", ""))
	h.flush()
	for name, want := range map[string]struct{ mark, origin string }{
		"own":       {"", bank},
		"same":      {"", bank},
		"ad":        {"[frame of https://ads.example] ", "https://ads.example"},
		"port":      {"[frame of https://bank.example:8443] ", bank + ":8443"},
		"sandboxed": {"[frame of an opaque origin] ", names.OpaqueOrigin},
		"whose":     {"[frame of an unknown origin] ", ""},
	} {
		got := h.server["webmcp_bank_example_page0_"+name]
		if got == nil || got.Description != "[WebMCP • bank.example • Page 0] "+want.mark+"No description" || got.Origin() != want.origin ||
			!strings.Contains(string(got.Meta), `"origin":"`+want.origin+`"`) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for _, tool := range h.state.Catalog().Tab("A").Published() {
		b := tool.Bare(tool.Route.Tool)
		if want := strings.Contains(b.Description, "[frame of "); want != (!b.OfSite()) || !strings.HasPrefix(b.Description, "[WebMCP • bank.example] ") {
			t.Errorf("in focus mode %s is described as %q", b.Name, b.Description)
		}
	}
}

// Another origin's page that looks alike in names is another page.
func TestANameDoesNotMoveToAnotherOrigin(t *testing.T) {
	h := newHub(t, Options{})
	h.open("A", "https://accounts.google.example/")
	h.report("A", "pay")
	seen := h.state.Catalog()
	h.navigate("A", "https://accounts-google.example/")
	h.report("A", "pay")
	const name = "webmcp_accounts_google_example_page0_pay"
	h.want(name)
	if got := h.server[name].Description; got != "[WebMCP • accounts-google.example • Page 0] No description" {
		t.Error(got)
	}
	if _, err := Resolve(seen, h.state.Catalog(), name, everybody); err == nil || !strings.Contains(err.Error(), "its page navigated to https://accounts-google.example/") {
		t.Errorf("the old name leads to another origin: %v", err)
	}

	// Nor does it in a frame.
	h = newHub(t, Options{})
	h.open("A", bank+"/")
	tool := func(doc Gen, origin string) *PageTool {
		return &PageTool{Name: "pay", Frame: "F", Doc: doc, FrameURL: origin + "/", Origin: origin}
	}
	h.reportTools("A", tool(2, "https://shop.example"))
	seen = h.state.Catalog()
	h.reportTools("A", tool(3, "https://shop.example"))
	if _, err := Resolve(seen, h.state.Catalog(), "webmcp_bank_example_page0_pay", everybody); err != nil {
		t.Errorf("the frame was only reloaded: %v", err)
	}
	h.reportTools("A", tool(4, "https://evil.example"))
	if _, err := Resolve(seen, h.state.Catalog(), "webmcp_bank_example_page0_pay", everybody); err == nil {
		t.Error("the old name leads to another origin's frame")
	}
}

// A site is an origin, and its tools are those of its own documents.
func TestSitesAreOrigins(t *testing.T) {
	h := newHub(t, Options{Naming: offer.MCPBNames})
	h.open("plain", "http://bank.example/")
	h.open("secure", bank+"/a?b#c")
	h.report("plain", "pay")
	yes := true
	ad := framed("ad", "https://ads.example/", "https://ads.example")
	ad.Annotations.Cache = &yes
	own := framed("own", "about:srcdoc", bank)
	own.Annotations.Cache = &yes
	h.reportTools("secure", &PageTool{Name: "pay", Frame: "secure", Doc: 1, Origin: bank}, ad, own)
	all := map[string]*offer.SiteTool{}
	for _, r := range h.state.Catalog().SiteTools() {
		all[r.Name] = r.SiteTool
	}
	if got := all["website_tool_bank_example_pay"]; len(all) != 3 || got == nil || got.Site != bank || got.Opens != bank+"/a?b#c" || got.Tabs != 1 {
		t.Errorf("routed are %+v, %+v", all, got)
	}
	for name, r := range all {
		if r.Tool == "ad" {
			t.Errorf("an advertisement's tool is %s", name)
		}
		chosen := h.state.Catalog().ChooseTab(r, nil)
		if chosen == nil || chosen.Origin() != r.Site {
			t.Errorf("%s of %s goes to %+v", name, r.Site, chosen)
		}
	}
	if h.server["website_tool_bank_example_tab2_ad"] == nil {
		t.Error("the advertisement's tool is not there for its tab, either")
	}
	kept, others := offer.Cacheable(&h.state.Catalog().Tab("secure").SiteTab)
	if len(kept) != 1 || kept[0].Tool.Name != "own" || kept[0].Site != bank || kept[0].URL != bank+"/a?b" || len(others) != 1 || others[0] != "pay" {
		t.Errorf("kept are %+v, not %q", kept, others)
	}
	// The secure one's name does not hang on the other.
	h.step(PageClosed{"plain"})
	h.flush()
	if got := h.server["website_tool_bank_example_pay"]; got == nil || got.SiteTool.Site != bank {
		t.Errorf("got %+v", got)
	}
}

// A tool whose origin nobody tells is the main document's while that is the one that offers it: in the
// next document, which has the same address, it is nobody knows whose.
func TestAToolOfTheDocumentBefore(t *testing.T) {
	h := newHub(t, Options{})
	h.open("A", bank+"/")
	tool := &PageTool{Name: "x", Doc: h.gens["A"]}
	h.reportTools("A", tool)
	if got := h.state.Catalog().Tools()[0].Origin(); got != bank {
		t.Fatalf("its origin is %q", got)
	}
	gen := tool.Doc + 1
	h.gens["A"] = gen
	h.step(EventBatch{Navigated{Page: "A", Gen: gen}, ToolsReported{"A", gen, []*PageTool{tool}}})
	h.flush()
	if got := h.state.Catalog().Tools()[0].Origin(); got != "" {
		t.Errorf("its origin is %q in the next document", got)
	}
}

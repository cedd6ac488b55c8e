package registry

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestOriginPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no []string
	}{
		{"https://shop.example",
			[]string{"https://shop.example/cart?x#y", "https://SHOP.example:443/", "https://shop.example./", "blob:https://shop.example/1-2", "https://u:p@shop.example/", "https://shop.example/100%", "https://shop.example#50%", `https://shop.example\x`},
			[]string{"http://shop.example/", "https://shop.example:8443/", "https://www.shop.example/", "https://shop.example.evil/", "https://evil/?https://shop.example", `https://evil\@shop.example/`, "https://shop.example@evil/", "about:blank", "data:text/html,x", "", "file:///etc/passwd"}},
		{"https://*.shop.example",
			[]string{"https://www.shop.example/", "https://a.b.shop.example/"},
			[]string{"https://shop.example/", "https://evilshop.example/", "https://www.shop.example:8443/", "https://www.shop.example.evil/"}},
		{"http://localhost:*", []string{"http://localhost/", "http://localhost:3000/x"}, []string{"https://localhost:3000/", "http://127.0.0.1:3000/"}},
		{"https://*.shop.example:8443", []string{"https://a.shop.example:8443/"}, []string{"https://a.shop.example/"}},
		{"http://localhost:80", []string{"http://localhost/"}, []string{"http://localhost:81/"}},
		{"*://shop.example", []string{"https://shop.example/", "http://shop.example/", "chrome-extension://shop.example/"}, []string{"https://shop.example:80/", "http://shop.example:443/"}},
		{"*://*:*", []string{"https://a/", "http://b:1/"}, []string{"about:blank", "data:,x", "file:///x", "https://:1/"}},
		{"https://*", []string{"https://a/"}, []string{"https://a:1/", "http://a/"}},
		{"http://[::1]:*", []string{"http://[::1]:5/", "http://[0:0:0:0:0:0:0:1]/"}, []string{"http://[::2]/"}},
		{"http://[::1]", []string{"http://[::1]/", "http://[::1]:80/"}, []string{"http://[::1]:5/"}},
		{"wss://shop.example", []string{"wss://shop.example:443/"}, []string{"wss://shop.example:80/"}},
		{"ws://shop.example", []string{"ws://shop.example:80/"}, []string{"ws://shop.example:443/"}},
		{"HTTPS://Shop.Example/", []string{"https://shop.example/"}, nil},
		{"*", []string{"about:blank", "data:,x", "file:///x", "https://a:1/", ""}, nil},
	} {
		o, err := ParseOrigins([]string{c.pattern}, nil)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for _, a := range c.yes {
			if !o.Permits(a) {
				t.Errorf("%s does not permit %q", c.pattern, a)
			}
		}
		for _, a := range c.no {
			if o.Permits(a) {
				t.Errorf("%s permits %q", c.pattern, a)
			}
		}
		deny, _ := ParseOrigins([]string{"*"}, []string{c.pattern})
		for _, a := range c.yes {
			if deny.Permits(a) {
				t.Errorf("--deny-origin %s permits %q", c.pattern, a)
			}
		}
	}
	for _, bad := range []string{"", "shop.example", "https://", "://x", "https://a*b", "https://x.*", "https://x/path", "https://x:port", "https://x:70000", "https://u@x", "ht*://x", "https://bücher.example", "https://*.*.x", "a/b://x", "a:b://x", "u@a://x"} {
		if _, err := ParseOrigins([]string{bad}, nil); err == nil || !strings.Contains(err.Error(), "https://*.shop.example") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestNoOriginsPermitAll(t *testing.T) {
	for _, o := range []*Origins{nil, {}} {
		if !o.Permits("data:,x") || !o.Permits("https://x/") {
			t.Error("something is refused without a rule")
		}
	}
}

// FuzzOrigins: a denied host stays denied, however its address is written.
func FuzzOrigins(f *testing.F) {
	f.Add("https://evil.example/")
	o, err := ParseOrigins(nil, []string{"*://evil.example:*"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if at := parseOrigin(address); at.host == "evil.example" && o.Permits(address) {
			t.Errorf("%q is permitted", address)
		}
	})
}

func originsOptions(t *testing.T, allow, deny string) Options {
	o, err := ParseOrigins(strings.Fields(allow), strings.Fields(deny))
	if err != nil {
		t.Fatal(err)
	}
	return Options{Origins: o}
}

func TestOriginsThatAreNotAllowedHaveNoTools(t *testing.T) {
	h := newHub(t, originsOptions(t, "https://*.good.example", "https://bad.good.example"))
	h.open("A", "https://a.good.example/")
	h.open("B", "https://bad.good.example/")
	h.open("C", "https://c.example/")
	var refused []string
	report := func(p PageID) {
		for _, e := range h.step(ToolsReported{p, h.gens[p], []*PageTool{{Name: "x", Frame: FrameID(p), Doc: h.gens[p], FrameURL: "https://a.good.example/"}}}) {
			if r, ok := e.(Refuse); ok {
				refused = append(refused, string(r.Page)+" "+r.Tool+": "+r.Why)
			}
		}
		h.flush()
	}
	report("A")
	report("B")
	report("C")
	report("B") // said once
	h.want("webmcp_a_good_example_page0_x")
	if want := []string{"B (all): https://bad.good.example is denied (--deny-origin)", "C (all): https://c.example is not allowed (--allow-origin)"}; !slices.Equal(refused, want) {
		t.Errorf("refused: %q", refused)
	}
	if got := h.state.Catalog().Tab("C").Refused; len(got) != 1 || got[0].Tool != "(all)" {
		t.Errorf("the list says %v", got)
	}
	if _, err := Resolve(nil, h.state.Catalog(), "webmcp_c_example_page2_x", everybody); err == nil {
		t.Error("a tool that is not allowed can be called")
	}

	// A page that goes to an allowed origin has tools, and loses them again.
	h.navigate("C", "https://www.good.example/")
	h.report("C", "y")
	h.want("webmcp_a_good_example_page0_x", "webmcp_www_good_example_page2_y")
	h.navigate("C", "http://www.good.example/") // the same domain, another origin
	h.report("C", "y")
	h.want("webmcp_a_good_example_page0_x")
}

func TestFramesAreRefusedByTheirOwnAddress(t *testing.T) {
	h := newHub(t, originsOptions(t, "https://good.example", ""))
	h.open("A", "https://good.example/")
	tool := func(name, frame string) *PageTool {
		return &PageTool{Name: name, Frame: FrameID(frame), Doc: 2, FrameURL: frame}
	}
	h.reportTools("A", tool("own", "https://good.example/x"), framed("srcdoc", "about:srcdoc", "https://good.example"),
		tool("ad", "https://ads.example/1"), tool("ad2", "https://ads.example/2"), tool("data", "data:text/html,x"))
	h.want("webmcp_good_example_page0_own", "webmcp_good_example_page0_srcdoc")
	want := []Refusal{{"(all of a frame)", "https://ads.example is not allowed (--allow-origin)"}, {"(all of a frame)", "a document without an origin (data:text/html,x) is not allowed (--allow-origin)"}}
	if got := h.state.Catalog().Tab("A").Refused; !slices.Equal(got, want) {
		t.Errorf("refused: %q", got)
	}
	h.reportTools("A", tool("own", "https://good.example/x"))
	if got := h.state.Catalog().Tab("A").Refused; len(got) != 0 {
		t.Errorf("still refused: %q", got)
	}
}

// Pages choose their paths: a frame's tools are never labelled with its page's
// origin because of its own.
func TestOriginsOfAddressesThatGoRefuses(t *testing.T) {
	for address, want := range map[string]string{
		"https://ads.example/100%":   "https://ads.example",
		"https://ads.example:8/?#%":  "https://ads.example:8",
		"blob:https://ads.example/1": "https://ads.example",
		"https://u:p@ads.example/":   "https://ads.example",
		"about:srcdoc":               "",
		"data:text/html,https://x/":  "",
		"file:///x":                  "",
		"":                           "",
	} {
		if got := originOf(address); got != want {
			t.Errorf("%q is of %q, want %q", address, got, want)
		}
	}
	h := newHub(t, Options{})
	h.open("A", "https://good.example/")
	h.reportTools("A", &PageTool{Name: "x", Frame: "F", Doc: 1, FrameURL: "https://ads.example/100%"})
	if got := string(h.server["webmcp_good_example_page0_x"].Meta); !strings.Contains(got, `"origin":"https://ads.example"`) {
		t.Error(got)
	}
	o := originsOptions(t, "https://good.example", "").Origins
	if got := o.refusal("", "https://ads.example/100%"); got != "https://ads.example is not allowed (--allow-origin)" {
		t.Error(got)
	}
	if got := o.refusal("", "data:,"+strings.Repeat("x", 1000)); len(got) > 200 {
		t.Error(got)
	}
}

func TestRefusedFramesAreFew(t *testing.T) {
	h := newHub(t, originsOptions(t, "https://good.example", ""))
	h.open("A", "https://good.example/")
	h.open("B", "https://bad.example/")
	var tools []*PageTool
	for i := range maxBarred + 5 {
		tools = append(tools, &PageTool{Name: fmt.Sprint("x", i), Frame: "F", Doc: 1, FrameURL: fmt.Sprintf("https://ads%d.example/", i)})
	}
	h.reportTools("A", tools...)
	if got := h.state.Catalog().Tab("A").Refused; len(got) != maxBarred {
		t.Errorf("%d are refused: %v", len(got), got)
	}
	h.reportTools("B", tools...) // its own address comes first
	if got := h.state.Catalog().Tab("B").Refused; len(got) != 1 || got[0].Tool != "(all)" {
		t.Errorf("refused: %v", got)
	}
}

// What the rules may hold is bounded: every page gets them.
func TestOriginsAreBounded(t *testing.T) {
	many := slices.Repeat([]string{"https://a.example"}, 1000)
	if _, err := ParseOrigins(many, many); err != nil {
		t.Error(err)
	}
	if _, err := ParseOrigins(nil, append(many, "*")); err == nil || !strings.Contains(err.Error(), "at most 1000") {
		t.Error(err)
	}
	if _, err := ParseOrigins([]string{"https://" + strings.Repeat("a", 300)}, nil); err == nil || !strings.Contains(err.Error(), "too long") || len(err.Error()) > 200 {
		t.Error(err)
	}
}

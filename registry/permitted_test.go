package registry

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

func originsOptions(t *testing.T, allow, deny string) Options {
	o, err := names.ParseOrigins(strings.Fields(allow), strings.Fields(deny))
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
			if r, ok := e.(ReportRefusal); ok {
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
	want := []offer.Refusal{{Tool: "(all of a frame)", Why: "https://ads.example is not allowed (--allow-origin)"}, {Tool: "(all of a frame)", Why: "a document without an origin (data:text/html,x) is not allowed (--allow-origin)"}}
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
		if got := names.DocumentOrigin("", address); got != want {
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
	if got := o.Refusal("", "https://ads.example/100%"); got != "https://ads.example is not allowed (--allow-origin)" {
		t.Error(got)
	}
	if got := o.Refusal("", "data:,"+strings.Repeat("x", 1000)); len(got) > 200 {
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

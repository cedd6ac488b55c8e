package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The origin of a document is what Chrome says it is: about:srcdoc and
// about:blank in an advertisement are the advertisement's.
func TestOriginsOfFrames(t *testing.T) {
	t.Parallel()
	name := func(tool string) string { return toolName("0", tool) }
	bank, ads := strings.TrimSuffix(pages.url(""), "/"), strings.TrimSuffix(pages.otherSite(""), "/")
	whose := func(t *testing.T, h *hub, tool string) (description string) {
		t.Helper()
		return h.waitTool(name(tool)).Description
	}

	t.Run("frames say whose they are", func(t *testing.T) {
		c := nativeChrome(t)
		c.open(t, pages.url("frames.html", "srcdoc=", "src="+pages.otherSite("ads.html", "nested="))) // before the hub
		h := attachHub(t, c)
		h.waitNames(name("outer"), name("written"), name("in_srcdoc"), name("in_blank"))
		for _, tool := range []string{"in_srcdoc", "in_blank"} {
			if got := whose(t, h, tool); !strings.Contains(got, "[frame of "+ads+"] ") {
				t.Errorf("%s is described as %q", tool, got)
			}
		}
		for _, tool := range []string{"outer", "written"} {
			if got := whose(t, h, tool); strings.Contains(got, "[frame of") {
				t.Errorf("%s is described as %q", tool, got)
			}
		}
		if got := textOf(h.call("list_webmcp_tools", nil)); !strings.Contains(got, `"tool":"in_srcdoc","origin":"`+ads+`"`) {
			t.Errorf("the list does not say whose in_srcdoc is: %s", got)
		}
	})

	for _, rule := range [][]string{{"--allow-origin", bank}, {"--deny-origin", ads}} {
		t.Run(rule[0], func(t *testing.T) {
			c := nativeChrome(t)
			h := attachHub(t, c, rule...)
			c.open(t, pages.url("frames.html", "src="+pages.otherSite("ads.html", "nested="), "srcdoc="))
			h.waitNames(name("outer"), name("written"))
			for list := ""; !strings.Contains(list, `"refused":[{"tool":"(all of a frame)","why":"`+ads+" is "); {
				list = textOf(h.call("list_webmcp_tools", nil))
			}
			h.waitNames(name("outer"), name("written"))
		})
	}
}

// Only documents that may have tools can offer some, whichever way.
func TestFramesThatMayNotHaveTools(t *testing.T) {
	t.Parallel()
	name := func(tool string) string { return toolName("0", tool) }
	for _, r := range []runtime{native, forms} { // with Chrome's own WebMCP, and without
		t.Run(string(r), func(t *testing.T) {
			c := chromeFor(t, r)
			h := attachHub(t, c)
			p := c.open(t, pages.url("ads.html", "byhand="))
			h.waitNames(name("forged")) // a page speaks for itself
			wantText(t, h.call(name("forged"), nil), "forged ran")

			p.navigate(pages.url("plain.html"))
			add := func(src, allow, sandbox string) {
				p.eval(`(async () => {
					const frame = document.createElement('iframe');
					frame.src = '` + src + `';
					frame.allow = '` + allow + `';
					if ('` + sandbox + `') frame.sandbox = '` + sandbox + `';
					document.body.append(frame);
					await new Promise((resolve) => frame.onload = resolve);
				})()`)
			}
			add(pages.otherSite("ads.html", "byhand="), "", "")
			add(pages.url("ads.html", "byhand="), "", "allow-scripts")
			add(pages.url("ads.html", "byhand="), `tools \'none\'`, "")
			add(pages.url("inner.html", "tool=near", "runtime=mcpb5"), "", "")
			want := []string{name("near"), name("near_hangs")}
			if r != native { // where nobody knows of allow
				want = append(want, name("forged"))
			}
			h.waitNames(want...)
			add(pages.url("ads.html", "byhand="), "", "")
			h.waitTool(name("forged"))
			if r == native {
				add(pages.otherSite("ads.html", "byhand="), "tools", "")
				h.waitTools("both", func(tools toolList) bool { return len(pageTools(tools)) == 4 })
			}
		})
	}
}

// Where the rules don't permit it, no script of the hub does anything: a page that
// listens to its own window hears nothing.
func TestNoScriptIsAtWorkWhereTheRulesForbidIt(t *testing.T) {
	t.Parallel()
	heard := func(p *tab) string {
		return string(p.eval(`dispatchEvent(new Event('webmcp-hub-anyone')), asked.join()`))
	}
	c := plainChrome(t)
	denied := strings.TrimSuffix(pages.otherSite(""), "/")
	h := attachHub(t, c, "--deny-origin", denied)
	p := c.open(t, pages.otherSite("ads.html", "byhand=", "nested="))
	early := c.open(t, pages.url("ads.html", "byhand="))
	h.waitNames(toolName("1", "forged")) // by now the other one would have been asked, too
	if got := heard(early); !strings.Contains(got, "tools/list") || !strings.Contains(got, "hello") {
		t.Errorf("where it is permitted the page hears %s", got)
	}
	if got := heard(p); got != `""` {
		t.Errorf("where it is denied the page hears %s", got)
	}
	p.navigate(pages.url("ads.html", "byhand="))
	h.waitNames(toolName("0", "forged"), toolName("1", "forged"))
	early.navigate(pages.otherSite("ads.html", "byhand="))
	h.waitNames(toolName("0", "forged"))
	if got := heard(early); got != `""` {
		t.Errorf("where it navigated to a denied page, that hears %s", got)
	}
}

// No tool opens an address that the rules for sites keep out: the request alone could carry data there.
func TestNoTabIsOpenedWhereTheRulesForbidIt(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.String() }))
	t.Cleanup(site.Close)
	for _, rule := range [][]string{{"--deny-origin", site.URL}, {"--allow-origin", "https://shop.example"}} {
		c := plainChrome(t)
		h := attachHub(t, c, append(rule, "--automation")...)
		for _, tool := range []string{"open_tab", "new_page"} {
			got := h.call(tool, map[string]any{"url": site.URL + "/?secret=4711"})
			if !got.IsError || !strings.Contains(textOf(got), "is kept out by the user's rules for sites") {
				t.Errorf("%s with %v says %s", tool, rule, textOf(got))
			}
		}
		if got := h.call("open_tab", map[string]any{"url": "about:blank"}); got.IsError {
			t.Errorf("a blank tab: %s", textOf(got))
		}
	}
	select {
	case url := <-asked:
		t.Errorf("the site was asked for %s", url)
	default:
	}
}

// TestListsOfTabsAreJudged: a list of tabs tells neither title nor address of what the rules deny, but which site it is.
func TestListsOfTabsAreJudged(t *testing.T) {
	t.Parallel()
	c := plainChrome(t)
	denied := strings.TrimSuffix(pages.otherSite(""), "/")
	h := attachHub(t, c, "--automation", "--deny", "origin="+denied)
	c.open(t, pages.otherSite("plain.html", "account=4711")).eval("document.title = 'S3CRET'")
	c.open(t, pages.url("plain.html", "of=own")).eval("document.title = 'Own'")
	for _, tool := range []string{"list_tabs", "list_pages"} {
		var got string
		for !strings.Contains(got, denied) || !strings.Contains(got, "Own") {
			got = quoted(h.call(tool, nil))
		}
		if strings.Contains(got, "4711") || strings.Contains(got, "S3CRET") || !strings.Contains(got, "is kept out by the user's rules for sites") || !strings.Contains(got, "of=own") {
			t.Errorf("%s tells %s", tool, got)
		}
	}
}

// TestAnswersAboutTabsAreJudged: nor does the answer of a tool that was led to a denied site.
func TestAnswersAboutTabsAreJudged(t *testing.T) {
	t.Parallel()
	c := plainChrome(t)
	denied := strings.TrimSuffix(pages.otherSite(""), "/")
	leads := httptest.NewServer(http.RedirectHandler(pages.otherSite("plain.html", "account=4711"), http.StatusFound))
	t.Cleanup(leads.Close)
	h := attachHub(t, c, "--automation", "--deny", "origin="+denied)
	tells := func(tool string) {
		t.Helper()
		got := quoted(h.call(tool, map[string]any{"url": leads.URL}))
		for try := 1; try < 5 && strings.Contains(got, "whether it loads isn't known yet"); try++ { // a busy machine's page takes longer than open_tab's 2 s
			if strings.Contains(got, "4711") {
				t.Errorf("%s tells %s", tool, got)
			}
			got = quoted(h.call(tool, map[string]any{"url": leads.URL}))
		}
		if strings.Contains(got, "4711") || !strings.Contains(got, denied) {
			t.Errorf("%s tells %s", tool, got)
		}
	}
	tells("open_tab")
	tells("new_page")
	h.call("new_page", map[string]any{"url": pages.url("plain.html")})
	tells("navigate_page")
}

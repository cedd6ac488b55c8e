package e2e

import (
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

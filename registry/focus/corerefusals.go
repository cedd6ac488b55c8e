package focus

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"webmcphub/registry"
	"webmcphub/registry/advice"
	"webmcphub/registry/sanitize"
)

// RefuseCoreTool says why a client can't call a core tool where it stands: a
// client can call what an old list showed it. It is nil if the client can. The
// error's text is for the agent, of whom to is.
func RefuseCoreTool(s State, c *registry.Catalog, tool string, to advice.Audience) error {
	switch {
	case slices.Contains(s.CoreTools(), tool):
		return nil
	case tool == ConnectBrowser:
		next := "Call list_tabs to see its tabs, or open_tab."
		if s == NoTabs {
			next = "Call open_tab to open a page."
		}
		return fmt.Errorf("the browser is connected already. %s", next)
	case s == Disconnected && c.BrowserStatus() == "":
		return fmt.Errorf("%s can't be called before the browser is connected%s", tool, to.ConnectFirst(""))
	case s == Disconnected:
		return fmt.Errorf("%s can't be called now%s", tool, to.ConnectFirst(c.BrowserStatus()))
	case s == NoTabs:
		return fmt.Errorf("%s can't be called while no tab is open. Call open_tab first", tool)
	}
	return fmt.Errorf("%s can't be called while no tab is focused. Call list_tabs to see the tabs, then focus_tab", tool)
}

// FindTab finds the open tab that an agent means by a tabId, any JSON number.
// The error's text is for the agent.
func FindTab(c *registry.Catalog, id float64) (*registry.Tab, error) {
	for _, t := range c.Tabs() {
		switch {
		case float64(t.ID) == id && t.Crashed():
			return nil, fmt.Errorf("%s crashed and has no tools. Once the user reloads it, it is listed again; call open_tab to open its page anew", tabText(t))
		case float64(t.ID) == id:
			return t, nil
		}
	}
	format := byte('f')
	if id != math.Trunc(id) || math.Abs(id) > 1e15 {
		format = 'g'
	}
	number := strconv.FormatFloat(id, format, -1, 64)
	open := openTabs(c)
	if len(open) == 0 {
		return nil, fmt.Errorf("there is no tab %s: no tab is open. Call open_tab to open one", number)
	}
	list := sanitize.List(open, 20, func(t *registry.Tab) string { return fmt.Sprintf("%d (%s)", t.ID, sanitize.Text(t.URL, 100)) })
	return nil, fmt.Errorf("there is no tab %s; if there was one, it was closed. Open tabs: %s. Call list_tabs for what they show", number, list)
}

// FindTabToClose is [FindTab] for close_tab, where no id means the focused tab.
func FindTabToClose(c *registry.Catalog, focused *registry.Tab, id *float64) (*registry.Tab, error) {
	switch {
	case id != nil:
		return FindTab(c, *id)
	case focused == nil:
		return nil, fmt.Errorf("no tab is focused, so which to close isn't known. Give tabId (list_tabs tells the ids), or call focus_tab first")
	}
	return focused, nil
}

// maxOpenURL is the longest address in bytes that open_tab takes. Chrome's own
// limit is 2 MB, but no honest link is that long.
const maxOpenURL = 32 << 10

// CheckOpenURL gives the address that open_tab opens for what the agent gave:
// http, https, or about:blank. Other schemes don't lead to web pages that
// offer tools, but to the user's files (file:), to the browser's own pages
// (chrome:), or to code instead of an address (javascript:, data:). The
// error's text is for the agent.
func CheckOpenURL(given string) (string, error) {
	address := strings.TrimSpace(given)
	shown := sanitize.Text(address, 200)
	scheme, rest, ok := strings.Cut(address, ":")
	scheme = strings.ToLower(scheme)
	switch {
	case address == "":
		return "", fmt.Errorf("the URL is empty. Give a whole address, such as https://example.com/")
	case len(address) > maxOpenURL:
		return "", fmt.Errorf("the URL has %d bytes; %d are the most that open_tab takes", len(address), maxOpenURL)
	case strings.ContainsFunc(address, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }):
		return "", fmt.Errorf("the URL has characters that no address has: %q", shown)
	case strings.EqualFold(address, "about:blank"):
		return "about:blank", nil
	case scheme != "http" && scheme != "https" && ok && isScheme(scheme) && !startsWithDigit(rest):
		return "", fmt.Errorf("open_tab opens http and https addresses only, not %s: — other schemes lead to this computer's files, to the browser's own pages, or to code instead of to a web page", sanitize.Text(scheme, 40))
	case scheme != "http" && scheme != "https":
		return "", fmt.Errorf("%q is not a whole URL. Give one with its scheme, such as https://%s", shown, strings.TrimLeft(shown, "/"))
	}
	// Only what precedes the path is parsed, see ExtractDomain.
	authority, found := strings.CutPrefix(rest, "//")
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	u, err := url.Parse(scheme + "://" + authority)
	if !found || err != nil || u.Hostname() == "" || !validPort(u.Port()) {
		return "", fmt.Errorf("%q is not a valid URL: what stands between // and the path must be a host, such as example.com or localhost:3000", shown)
	}
	return address, nil
}

func isScheme(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z'
		if !letter && (i == 0 || !(r >= '0' && r <= '9') && !strings.ContainsRune("+-.", r)) {
			return false
		}
	}
	return s != ""
}

// startsWithDigit tells localhost:3000, which lacks its scheme, from file:x.
func startsWithDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

func validPort(p string) bool {
	n, err := strconv.Atoi(p)
	return p == "" || err == nil && n <= 65535
}

package e2e

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/automation/corpus"
)

// ownWords are what the agents of TestTableSessions write by themselves.
var ownWords = []string{"buy milk and bread", "call the dentist on Monday", "a short walk", "Ada", "green tea", "arch",
	"see you at noon", "two tickets", "Please send the report by Friday", "blue", "42", "ann@home.example"}

// uidLines are the lines of a snapshot with something to operate: its uid, role and name.
var uidLines = regexp.MustCompile(`(?m)^\s*([a-z]+\d+) (button|link|checkbox|radio|textbox|searchbox|combobox)\b(?: "([^"\n]*)")?`)

// TestTableSessions prints how often --safe disturbs an agent that works on the corpus' pages, each of which is a site
// of its own: session after session with a real Chromium, the user allows what is asked for a day, and what asks again
// about the same site, or the same two sites, disturbs. WEBMCP_SESSIONS says how many sessions.
func TestTableSessions(t *testing.T) {
	sessions := 3
	if n, err := strconv.Atoi(os.Getenv("WEBMCP_SESSIONS")); err == nil {
		sessions = n
	} else {
		t.Parallel()
	}
	served, err := corpus.Open("../automation/corpus")
	if err != nil {
		missing(t, err.Error())
	}
	defer served.Close()
	server := httptest.NewServer(served)
	defer server.Close()
	port := server.URL[strings.LastIndex(server.URL, ":"):]
	site := func(path string) string {
		return "http://" + strings.NewReplacer(".html", "", "/", "-").Replace(path[1:]) + ".test" + port + path
	}
	var sites []string // the most visited first
	for _, p := range corpus.Pages {
		if p.There() {
			sites = append(sites, site(p.Path))
		}
	}
	c := ownChromeWith(t, true, "--host-resolver-rules=MAP * 127.0.0.1")
	settings := t.TempDir()
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		setenv(t, name, settings)
	}
	user := &person{action: mcp.ElicitationResponseActionAccept, content: map[string]any{"answer": "day"}}
	random := rand.New(rand.NewPCG(1, 2))
	n := sessionCounts{known: map[string]bool{}}
	for i := range sessions {
		h := startHubWith(t, []client.ClientOption{client.WithLegacyProtocolOnly(), client.WithElicitationHandler(user)},
			"--browser-url", c.browserURL(), "--no-share", "--safe", "--automation", "--dialogs=dismiss")
		var visits []string
		for range 1 + random.IntN(3) {
			visits = append(visits, sites[int(float64(len(sites))*random.Float64()*random.Float64())])
		}
		if i == 0 { // one that certainly writes on one site what it has read on the other
			visits = []string{site("/article.html"), site("/forms.html")}
		}
		n.session(t, h, user, random, visits)
		h.finish()
		c.closeTabs(t)
		if t.Failed() {
			t.Fatalf("session %d", i)
		}
	}
	table := fmt.Sprintf("| sessions | calls | first questions about a site | first about two sites | disturbed | refused |\n"+
		"|--:|--:|--:|--:|--:|--:|\n| %d | %d | %d | %d | %d | %d |\n", sessions, n.calls, n.site, n.flow, n.again, n.refused)
	fmt.Fprintln(t.Output(), table)
	if n.calls < 5*sessions || n.site == 0 || n.flow == 0 {
		t.Errorf("%d sessions with %d calls and %d and %d questions show nothing", sessions, n.calls, n.site, n.flow)
	}
	if n.refused > 0 || n.again*50 > n.calls {
		t.Errorf("%d of %d calls were asked about again, and %d refused", n.again, n.calls, n.refused)
	}
}

// sessionCounts are what TestTableSessions counts.
type sessionCounts struct {
	calls, site, flow, again, refused int
	known                             map[string]bool // what was asked before
}

// session works on these sites one after the other, as an agent does, and sometimes writes on one what it has read on
// the one before.
func (n *sessionCounts) session(t *testing.T, h *hub, user *person, random *rand.Rand, visits []string) {
	t.Helper()
	one := func(of []string) string { return of[random.IntN(len(of))] }
	var read []string // passages of the site before
	for _, site := range visits {
		n.does(t, h, user, "new_page", map[string]any{"url": site})
		text := n.does(t, h, user, "take_snapshot", map[string]any{})
		for range 2 + random.IntN(4) {
			all := uidLines.FindAllStringSubmatch(text, -1)
			if len(all) == 0 || strings.Contains(text, "ERR_") { // a link has led to a site that isn't there
				break
			}
			is := all[random.IntN(len(all))]
			if i := slices.IndexFunc(all, func(is []string) bool { return is[2] == "textbox" }); n.flow == 0 && i >= 0 {
				is = all[i]
			}
			switch is[2] {
			case "textbox", "searchbox", "combobox":
				value := one(ownWords)
				if len(read) > 0 && (n.flow == 0 || random.IntN(8) == 0) {
					value = one(read)
				}
				n.does(t, h, user, "fill", map[string]any{"uid": is[1], "value": value})
				n.does(t, h, user, "press_key", map[string]any{"key": "Tab"})
			default:
				n.does(t, h, user, "click", map[string]any{"uid": is[1]})
			}
			if text = n.does(t, h, user, "take_snapshot", map[string]any{}); random.IntN(4) == 0 {
				n.does(t, h, user, "list_console_messages", map[string]any{})
			}
		}
		for _, quoted := range regexp.MustCompile(`"([^"\n]{25,80})"`).FindAllStringSubmatch(text, -1) {
			read = append(read, quoted[1])
		}
	}
}

// does calls a tool and returns the answer's text. Pages may go or refuse what an agent tries: that counts for nothing.
func (n *sessionCounts) does(t *testing.T, h *hub, user *person, tool string, args map[string]any) string {
	t.Helper()
	before := len(user.questions())
	r := h.call(tool, args)
	text := textOf(r)
	if !r.IsError {
		n.calls++
	}
	if strings.Contains(text, "not carried out") || strings.Contains(text, "rule") && r.IsError {
		n.refused++
		t.Logf("%s %v: %s", tool, args, text)
	}
	for _, q := range user.questions()[before:] {
		about, count := []string{siteLine.FindString(q)}, &n.site
		if _, why, is := strings.Cut(q, "it would send to"); is { // a pair of sites each
			why, _, _ = strings.Cut(why, "\nArguments")
			about, count = nil, &n.flow
			to := ""
			for _, origin := range origins.FindAllString(strings.ReplaceAll(why, "\n", ""), -1) {
				if to = cmp.Or(to, origin); origin != to {
					about = append(about, origin+" to "+to)
				}
			}
		}
		if slices.ContainsFunc(about, func(a string) bool { return !n.known[a] }) {
			*count++
		} else {
			n.again++
			t.Logf("asked again, %s %v: %s", tool, args, q)
		}
		for _, a := range about {
			n.known[a] = true
		}
	}
	return text
}

var (
	siteLine = regexp.MustCompile(`(?m)^Site: \S+`)
	origins  = regexp.MustCompile(`https?://[^\s,|)]+`)
)

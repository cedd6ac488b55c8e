package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	soakTabs  = 12 // the most tabs at a time
	soakQuiet = 25 // actions between two quiet points
	soakRound = 75 // the actions of a run without WEBMCP_SOAK
	soakCalms = 8  // how often a long run is measured
)

// TestSoak does random things to a Chromium full of pages, and calls their
// tools all the while. At quiet points the list must be what the pages offer;
// every call must end; and between calm points, with one page left, nothing
// may have piled up in the hub.
//
// WEBMCP_SOAK is how long it goes on, as "5m" (see make soak); without it a
// short round shows that all this works. WEBMCP_SOAK_SEED repeats a run's
// choices, though not its timing.
func TestSoak(t *testing.T) {
	needNPM(t)
	seed := uint64(1)
	var length time.Duration
	if text := os.Getenv("WEBMCP_SOAK"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatalf("WEBMCP_SOAK must be a time like 5m: %v", err)
		}
		seed = uint64(time.Now().UnixNano())
	}
	if text := os.Getenv("WEBMCP_SOAK_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("WEBMCP_SOAK_SEED must be a number: %v", err)
		}
	}
	t.Logf("to repeat this run's choices: WEBMCP_SOAK_SEED=%d", seed)
	s := startSoak(t, seed)
	s.run(length)
	s.report()
	s.checkFlat()
}

// A soak is one run. One goroutine does everything but wait for calls.
type soak struct {
	t         *testing.T
	rng       *rand.Rand
	began     time.Time
	c         *chrome
	h         *hub
	tabs      []*soakTab // in the order of the hub's page indexes
	opened    int        // tabs so far
	documents int        // addresses so far
	listed    []mcp.Tool // what the client read last
	calls     soakCalls
	did       map[string]int
	trail     []string // the newest actions
	quiets    int
	figures   []figures
}

func startSoak(t *testing.T, seed uint64) *soak {
	setenv(t, "WEBMCP_HUB_FIGURES", "1")
	c := ownChrome(t)
	s := &soak{t: t, rng: rand.New(rand.NewPCG(seed, 0)), began: time.Now(), c: c, did: map[string]int{}}
	s.calls.init()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the last actions:\n%s", strings.Join(s.trail, "\n"))
		}
	})
	s.h = attachHub(t, c, "--log-level", "info", "--call-timeout", "3s")
	s.openTab()
	return s
}

// run acts for this long, or for one round. Long runs are calm, and measured,
// soakCalms times, of which the first ends the warm-up.
func (s *soak) run(length time.Duration) {
	if length == 0 {
		s.act(soakRound / 3)
		s.calm()
		s.act(soakRound - soakRound/3)
		s.calm()
		return
	}
	for i := range soakCalms {
		for time.Since(s.began) < length*time.Duration(i+1)/soakCalms {
			s.act(soakQuiet)
		}
		s.calm()
		s.t.Logf("%v: %d actions, %d calls, %d quiet points, %v", time.Since(s.began).Round(time.Second),
			total(s.did), s.calls.count(), s.quiets, s.figures[i])
	}
}

// act does so many random things and sees to it that the list is right.
func (s *soak) act(n int) {
	for i := range n {
		s.anything()
		if i%soakQuiet == soakQuiet-1 {
			s.quiet()
			if s.rng.IntN(2) == 0 {
				s.crash()
			}
		}
	}
	s.quiet()
}

// calm leaves one tab with a fresh page and measures the hub.
func (s *soak) calm() {
	for len(s.tabs) > 1 {
		s.closeTab(len(s.tabs) - 1)
	}
	s.quiet()
	s.tabs[0].navigate(s.url(s.tabs[0], "127.0.0.1"))
	s.quiet()
	s.figures = append(s.figures, s.settled())
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// report prints what was done and what it came to.
func (s *soak) report() {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	table := func(title string, counts map[string]int) {
		fmt.Fprintf(w, "%s\t%d\n", title, total(counts))
		for _, key := range slices.Sorted(maps.Keys(counts)) {
			fmt.Fprintf(w, "  %s\t%d\n", key, counts[key])
		}
	}
	fmt.Fprintf(w, "time\t%v\nquiet points\t%d\n", time.Since(s.began).Round(time.Second), s.quiets)
	table("actions", s.did)
	table("calls", s.calls.ended())
	fmt.Fprintf(w, "list_changed\t%d\ntools/list\t%d\ntabs opened\t%d\n", s.h.count(mcp.MethodNotificationToolsListChanged), s.calls.lists, s.opened)
	_ = w.Flush()
	fmt.Fprint(w, "\nwith one page\tgoroutines\tidle\tfds\tthreads\theap KiB\tobjects\tstacks KiB\tRSS KiB\n")
	for i, f := range s.figures {
		name := fmt.Sprint("after part ", i+1)
		if i == 0 {
			name = "after the warm-up"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", name, f.goroutines, f.idle, f.fds, f.threads, f.heap>>10, f.objects, f.stacks>>10, f.rss>>10)
	}
	_ = w.Flush()
	s.t.Logf("soak, %d tabs at most:\n%s", soakTabs, b.String())
}

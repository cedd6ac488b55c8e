package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// kinds are pages of the kinds that the public demos of WebMCP are, with what a check that
// calls what only reads says of each: the tools it has, and the rules that these break.
var kinds = []struct {
	page, tools string
	breaks      []string // rules, each with its tool
}{
	{"bistro", "reserve_table", nil},
	{"orders", "get_order_status start_return", nil},
	{"doors", "lookAround openCellarDoor openForestDoor", nil},
	{"maze", "start_game", nil},
	{"flights", "search_flights", []string{"members-lost search_flights"}},
	{"agent", "add_topping ask_agent get_pizza set_size", []string{"third-party add_topping", "third-party get_pizza", "third-party set_size"}},
	{"cinema", "buy_tickets search_films", []string{
		"description-when buy_tickets", "hint-consequential-missing buy_tickets", "hint-readonly-missing search_films", "hints-missing search_films",
		"param-description-missing buy_tickets", "title-missing buy_tickets", "title-missing search_films",
	}},
	{"dashboard", "get_sales set_layout", []string{"late get_sales", "late set_layout", "smoke-lenient get_sales"}},
}

// kindJourneys go through those whose tools come and go, and through a form that somebody
// has to send.
const kindJourneys = `
- name: out of the maze
  steps:
    - {open: /maze.html}
    - {call: start_game, result: {$contains: south}}
    - {tools: {has: [look, move], gone: [start_game]}}
    - {call: move, arguments: {direction: north}, fails: true}
    - {call: move, arguments: {direction: south}}
    - {call: move, arguments: {direction: east}}
    - {call: move, arguments: {direction: east}, result: {$contains: south}}
    - {call: move, arguments: {direction: south}, result: You are out!}
    - {tools: {has: [start_game], gone: [look, move]}}
- name: a flight
  steps:
    - {open: /flights.html}
    - {call: search_flights, arguments: {origin: HAM, destination: LIS, day: "2026-12-01"}}
    - {tools: {has: [list_flights, set_filter], gone: [search_flights]}}
    - {call: list_flights, result: {flights: [{number: WM 101}, {$type: object}, {price: 90}]}}
    - {call: set_filter, arguments: {stops: 0}, result: {flights: [{stops: 0}]}}
- name: a table
  steps:
    - {open: /bistro.html}
    - {call: reserve_table, arguments: {guest: Ann, guests: 2, day: "2026-12-24", place: terrace}, result: {$contains: "2 (terrace) is reserved for Ann"}}
`

// TestCheckKinds: the verdicts on pages as sites have them are those of the table.
func TestCheckKinds(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.FileServer(http.Dir("pages")))
	t.Cleanup(server.Close)
	journeys := filepath.Join(t.TempDir(), "journeys.yaml")
	if err := os.WriteFile(journeys, []byte(kindJourneys), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"check", "--json", "--smoke", "--timeout", "60s", "--journey", journeys, "--browser-url", nativeChrome(t).browserURL()}
	for _, k := range kinds {
		args = append(args, server.URL+"/"+k.page+".html")
	}
	out, errs, code := runHub(t, args...)
	var report struct {
		Pages []struct {
			URL, Title, Error string
			Tools             []string
			Findings          []struct{ Rule, Tool, Message string }
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Pages) < len(kinds) {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, errs)
	}
	for i, k := range kinds {
		p := report.Pages[i]
		slices.Sort(p.Tools)
		if got := strings.Join(p.Tools, " "); p.Error != "" || path.Base(p.URL) != k.page+".html" || got != k.tools {
			t.Errorf("%s: %s has the tools %s (%s)", k.page, p.URL, got, p.Error)
		}
		var breaks, why []string
		for _, f := range p.Findings {
			breaks, why = append(breaks, f.Rule+" "+f.Tool), append(why, f.Rule+" "+f.Tool+": "+f.Message)
		}
		slices.Sort(breaks)
		if !slices.Equal(breaks, k.breaks) {
			t.Errorf("%s breaks %q:\n%s", k.page, breaks, strings.Join(why, "\n"))
		}
	}
	for _, j := range report.Pages[len(kinds):] {
		if j.Error != "" || len(j.Findings) > 0 {
			t.Errorf("%s: %s %+v", j.Title, j.Error, j.Findings)
		}
	}
	files, err := filepath.Glob("pages/*.html")
	if err != nil || len(files) != len(kinds)+3 { // two that forms lead to, and one in a frame
		t.Errorf("not all of these are looked at: %q (%v)", files, err)
	}
}

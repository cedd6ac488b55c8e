package tab

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"webmcphub/internal/scripttest"
)

// TestPhaseTable: docs/phases.md says what the table says.
func TestPhaseTable(t *testing.T) {
	scripttest.Document(t, "../../docs/phases.md", phasesDocument(t))
}

// TestTableIsWhole: every phase but the first can be reached, Gone is left by none,
// and every event has a row.
func TestTableIsWhole(t *testing.T) {
	reached := map[Phase]bool{Known: true}
	for again := true; again; {
		again = false
		for _, r := range rows {
			for _, p := range r.in {
				for _, n := range r.next {
					if reached[p] && !reached[n] {
						reached[n], again = true, true
					}
				}
				if p == Gone && slices.ContainsFunc(r.next, func(n Phase) bool { return n != Gone }) {
					t.Errorf("%s leads out of gone", r.on)
				}
			}
		}
	}
	meanings := meaningsOfPhases(t)
	for p := range Phase(phases) {
		if !reached[p] || phaseNames[p] == "" || meanings[p] == "" {
			t.Errorf("phase %s can't be reached, or has no name or meaning", p)
		}
	}
	for e := range event(events) {
		if !slices.ContainsFunc(rows, func(r row) bool { return r.on == e }) || e.String() == "" {
			t.Errorf("event %d (%s) has no row, or no name", e, e)
		}
	}
	// Messages that anybody may send at any time have a row in each phase.
	for _, e := range []event{wanted, unwanted, offered, attachFailed, targetCrashed, targetChanged, titleListed, resynced, gone, called, cancelled, asked, callsNamed, reportsDue, panicked, other} {
		for p := range Phase(phases) {
			if table[e][p] == nil {
				t.Errorf("%s has no row in phase %s", e, p)
			}
		}
	}
}

// meaningsOfPhases reads what phase.go says of each.
func meaningsOfPhases(t *testing.T) (meanings [phases]string) {
	file, err := parser.ParseFile(token.NewFileSet(), "phase.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	next := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && spec.Doc != nil && next < phases {
			words := strings.Join(strings.Fields(spec.Doc.Text()), " ")
			meaning := strings.TrimPrefix(words, spec.Names[0].Name+": ")
			meanings[next] = strings.ToUpper(meaning[:1]) + strings.ReplaceAll(meaning[1:], "[ReleaseTimeout]", ReleaseTimeout.String())
			next++
		}
		return true
	})
	return meanings
}

func phasesDocument(t *testing.T) []byte {
	meanings := meaningsOfPhases(t)
	var b bytes.Buffer
	b.WriteString(`# The phases of a tab

<!-- Written by go test ./actors/tab -run TestPhaseTable -update. Do not edit. -->

Each tab is one actor (` + "`actors/tab`" + `), and is in one phase at a time. This table is made from the code (` + "`actors/tab/table.go`" + `).
What has no row can't happen; if it does, the hub logs an error that names the event and the phase, and does nothing else.

`)
	b.WriteString("| phase | meaning |\n|---|---|\n")
	for p := range Phase(phases) {
		fmt.Fprintf(&b, "| %s | %s |\n", p, meanings[p])
	}
	b.WriteString("\nA tab begins as known. \"Next\" says which phases an event may lead to; \"—\" means that the tab stays in its phase.\n\n| event | in phase | next | what the tab does |\n|---|---|---|---|\n")
	for _, r := range rows {
		next := "—"
		if len(r.next) > 0 {
			next = listed(r.next)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.on, listed(r.in), next, r.does)
	}
	b.WriteString("\nEvery phase is left when the supervisor says that the tab has gone. Detaching, severed and closing end by themselves after ")
	fmt.Fprintf(&b, "%v.\n", ReleaseTimeout)
	return b.Bytes()
}

func listed(all []Phase) string {
	texts := make([]string, len(all))
	for i, p := range all {
		texts[i] = p.String()
	}
	return strings.Join(texts, ", ")
}

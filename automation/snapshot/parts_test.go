package snapshot

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
)

// TestQueriesOfLargePages: a query finds options of a select, what fields hold and what is in a root
// also where a document is too large to be asked for as a whole; passwords it doesn't.
func TestQueriesOfLargePages(t *testing.T) {
	t.Parallel()
	tab, snaps := automationtest.Open(t, automationtest.HTML(`<label>Land <select><option>Austria<option>Germany</select></label><input aria-label=City><input type=password aria-label=Key><main><div id=d></div></main><script>
		let h = ""; for (let i = 0; i < 2500; i++) h += "<div><span>text " + i + "</span></div>"; d.innerHTML = h
		document.querySelector("input").value = "Vienna"; document.querySelector("input[type=password]").value = "s3cret"</script>`)), NewTab(0)
	for _, q := range []string{"Germany", "Vienna", "text 2400"} {
		has(t, take(t, tab, snaps, Options{View: View{Query: q}}), "1 match")
	}
	hasNot(t, take(t, tab, snaps, Options{View: View{Query: "s3cret"}}), "1 match")
	main := uidOf(t, take(t, tab, snaps, Options{}), "main")
	has(t, take(t, tab, snaps, Options{View: View{Query: "text 2400", Root: main}}), "1 match", "text 2400")
	hasNot(t, take(t, tab, snaps, Options{View: View{Query: "Germany", Root: main}}), "1 match")
}

// TestManyFrames: what is asked for at once of a page is bounded however many frames it has.
func TestManyFrames(t *testing.T) {
	t.Parallel()
	tab, snaps := automationtest.Open(t, automationtest.HTML(`<h1>Big</h1><script>
		let h = ""; for (let i = 0; i < 1250; i++) h += "<div><span>text " + i + "</span></div>";
		for (let i = 0; i < 5; i++) { const f = document.createElement("iframe"); document.body.append(f); f.contentDocument.body.innerHTML = h }</script>`)), NewTab(0)
	s := take(t, tab, snaps, Options{})
	if s.Tree.Nodes > 4_000 { // of three frames with 1,250 texts each
		t.Errorf("%d nodes", s.Tree.Nodes)
	}
	last := ""
	for _, n := range s.Tree.Root.Children {
		if n.Role == "iframe" {
			last = n.UID
		}
	}
	has(t, take(t, tab, snaps, Options{View: View{Root: last}}), "text 29")
}

// TestHintsOfLargePages: what a line of a large page says about how to see the rest brings it.
func TestHintsOfLargePages(t *testing.T) {
	t.Parallel()
	tab, snaps := automationtest.Open(t, automationtest.HTML(`<div id=g></div><script>
		let h = ""; for (let i = 0; i < 40; i++) { h += "<div>"; for (let k = 0; k < 30; k++) h += "<p><button>row " + (10000 + i * 30 + k) + "</button> <i>a</i> <b>b</b></p>"; h += "</div>" } g.innerHTML = h</script>`)), NewTab(0)
	s := take(t, tab, snaps, Options{})
	hints := regexp.MustCompile(`… [\d,]+ more[^\n]*: root=(\S+)(?: skip=(\d+))?`).FindAllStringSubmatch(s.Text, -1)
	if len(hints) == 0 {
		t.Fatalf("nothing is left out:\n%s", s.Text)
	}
	for _, h := range hints {
		skip, _ := strconv.Atoi(h[2])
		if next := take(t, tab, snaps, Options{View: View{Root: h[1], Skip: skip}}); !strings.Contains(next.Text, "row 1") {
			t.Errorf("%s brings nothing:\n%s", h[0], next.Text)
		}
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"time"

	"webmcphub/automation/corpus"
	"webmcphub/bench/machine"
	"webmcphub/registry/tokencount"
)

// A pageShown is how one server shows one page of the corpus in a snapshot.
type pageShown struct {
	kept   float64 // the share of the texts that a person can read
	tokens int
	took   time.Duration // the median of snapshotTimes
}

// snapshotTimes is how often a page's snapshot is taken.
const snapshotTimes = 3

// compareSnapshots has each server take snapshots of the corpus' pages, and prints the table.
func compareSnapshots(ctx context.Context, c *chromium, all []*peer) (failed error) {
	pages, err := corpus.Open("automation/corpus")
	if err != nil {
		return err
	}
	defer pages.Close()
	c.pages.Close()
	c.pages = httptest.NewServer(pages)
	shown := map[*peer]map[string]pageShown{}
	for _, at := range all {
		shown[at] = map[string]pageShown{}
		failed = errors.Join(failed, at.serve(ctx, c, at.automationFlags, nil, func(st *stand) error {
			return st.corpus(ctx, shown[at])
		}))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	writeCorpus(os.Stdout, all, shown)
	return failed
}

// corpus takes snapshots of all pages. A page that the server can't show has none, and the error says why.
func (st *stand) corpus(ctx context.Context, shown map[string]pageShown) (failed error) {
	for _, p := range corpus.Pages {
		if !p.There() {
			continue
		}
		is, err := st.show(ctx, p)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", p.Name, err))
			continue
		}
		shown[p.Name] = is
		fmt.Fprintf(os.Stderr, "%s, %s: %.0f %% of the text, %d tokens, %d ms\n", st.at.name, p.Name, 100*is.kept,
			is.tokens, is.took.Milliseconds())
	}
	return failed
}

func (st *stand) show(ctx context.Context, p corpus.Page) (is pageShown, err error) {
	c := st.c
	t, err := c.alone(ctx, func(ctx context.Context) (*tab, error) {
		c.opened++
		path, fragment, parted := strings.Cut(p.Path, "#")
		if path += fmt.Sprintf("?%d", c.opened); parted {
			path += "#" + fragment
		}
		return c.openAt(ctx, path, corpus.Is(p.Until()))
	})
	if err != nil {
		return is, err
	}
	var seen corpus.Seen
	value, err := c.evaluate(ctx, t, "("+corpus.SeenScript+")()")
	if err == nil {
		err = json.Unmarshal(value, &seen)
	}
	if err != nil {
		return is, err
	}
	if len(seen.Runs) == 0 {
		return is, errors.New("nobody can read anything on it")
	}
	d := st.at.dialect
	page, err := d.arrive(ctx, st.s, t)
	if err != nil {
		return is, err
	}
	q := d.ask(opSnapshot, aim{page: page})[0]
	if d.whole != nil {
		q = d.whole(page)
	}
	var text string
	var took []time.Duration
	for range snapshotTimes {
		begun := time.Now()
		if text, err = st.s.call(ctx, q.tool, q.args); err != nil {
			return is, err
		}
		took = append(took, time.Since(begun))
	}
	lost := len(corpus.Compare(seen, textsIn(st.at, text)).Lost)
	return pageShown{1 - float64(lost)/float64(len(seen.Runs)), tokencount.Estimate(text),
		machine.Quantile(took, 0.5)}, nil
}

// textsIn are the texts of a page in a server's snapshot. Of the others' each line counts whole, with whatever is in it
// besides: that finds too much rather than too little.
func textsIn(at *peer, snapshot string) []string {
	if at.name == "hub" {
		return corpus.Shown(snapshot)
	}
	return strings.Split(strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(snapshot), "\n")
}

// writeCorpus prints a row for each page.
func writeCorpus(w io.Writer, all []*peer, shown map[*peer]map[string]pageShown) {
	titles := []string{"page"}
	for _, of := range []string{"text", "tokens", "ms"} {
		for _, at := range all {
			titles = append(titles, of+": "+at.title+" "+at.version)
		}
	}
	writeLine(w, titles)
	writeLine(w, slices.Repeat([]string{"---"}, len(titles)))
	var ratios []float64 // of tokens, where the first two show the page whole
	for _, p := range corpus.Pages {
		if !p.There() {
			continue
		}
		var text, size, took []string
		for _, at := range all {
			is, there := shown[at][p.Name]
			if !there {
				text, size, took = append(text, dash), append(size, dash), append(took, dash)
				continue
			}
			text = append(text, fmt.Sprintf("%.0f %%", 100*is.kept))
			size = append(size, fmt.Sprint(is.tokens))
			took = append(took, fmt.Sprint(is.took.Milliseconds()))
		}
		writeLine(w, slices.Concat([]string{p.Name}, text, size, took))
		if len(all) > 1 {
			a, b := shown[all[0]][p.Name], shown[all[1]][p.Name]
			if a.kept == 1 && b.kept == 1 {
				ratios = append(ratios, float64(a.tokens)/float64(b.tokens))
			}
		}
	}
	if len(ratios) > 0 {
		fmt.Fprintf(w, "\nOn the %d pages that both show whole, %s takes %.2f of the tokens of %s in the median.\n",
			len(ratios), all[0].title, machine.Quantile(ratios, 0.5), all[1].title)
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"webmcphub/automation/corpus"
	"webmcphub/bench/peers/server"
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

// compareCorpus has each server take snapshots of the corpus' pages, and prints the table.
func compareCorpus(ctx context.Context, hub, modules, only, dir string) error {
	all, err := dialects(hub, modules, nodeIn(modules))
	if err != nil {
		return err
	}
	if all, err = chosen(all, only, func(d *dialect) string { return d.name }); err != nil {
		return err
	}
	pages, err := corpus.Open(dir)
	if err != nil {
		return err
	}
	defer pages.Close()
	c, err := startChromium(ctx, modules, false, 0)
	if err != nil {
		return err
	}
	defer c.close()
	c.pages.Close()
	c.pages = httptest.NewServer(pages)
	begun, at := time.Now(), load()
	shown := map[*dialect]map[string]pageShown{}
	var failed error
	for _, d := range all {
		shown[d] = map[string]pageShown{}
		if err := corpusBy(ctx, c, d, shown[d]); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", d.name, err))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	fmt.Printf("%s; %s, headless, Node %s; whole snapshots, the median time of %d; %d processors, load before %s; took %s\n\n",
		begun.UTC().Format("2006-01-02 15:04 MST"), c.version(), nodeVersion(modules), snapshotTimes, runtime.NumCPU(), at,
		time.Since(begun).Round(time.Second))
	writeCorpus(os.Stdout, all, shown)
	return failed
}

// corpusBy has one server take snapshots of all pages. A page that it can't show has none, and the error says why.
func corpusBy(ctx context.Context, c *chromium, d *dialect, shown map[string]pageShown) error {
	dir, err := os.MkdirTemp("", "bench-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := server.Start(dir, d.command(c))
	if err != nil {
		return err
	}
	defer s.End(toEnd)
	if err := s.Greet(ctx); err != nil {
		return err
	}
	var failed error
	for _, p := range corpus.Pages {
		if !p.There() {
			continue
		}
		is, err := showOne(ctx, c, d, s, p)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", p.Name, err))
			fmt.Fprintf(os.Stderr, "%s, %s: failed: %v\n", d.name, p.Name, err)
			continue
		}
		shown[p.Name] = is
		fmt.Fprintf(os.Stderr, "%s, %s: %.0f %% of the text, %d tokens, %d ms\n", d.name, p.Name, 100*is.kept, is.tokens,
			is.took.Milliseconds())
	}
	return failed
}

func showOne(ctx context.Context, c *chromium, d *dialect, s *session, p corpus.Page) (is pageShown, err error) {
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
	page, err := d.arrive(ctx, c, s, t)
	if err != nil {
		return is, err
	}
	calls := d.ask(opSnapshot, aim{page: page})
	if d.whole != nil {
		calls = []request{d.whole(page)}
	}
	var r reply
	var took []time.Duration
	for range snapshotTimes {
		begun := time.Now()
		for _, q := range calls {
			if r, err = s.Do(ctx, q.tool, q.args); err == nil && r.IsError {
				err = fmt.Errorf("%s: %.500s", q.tool, r.Text)
			}
			if err != nil {
				return is, err
			}
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	lost := len(corpus.Compare(seen, textsIn(d, r.Text)).Lost)
	return pageShown{1 - float64(lost)/float64(len(seen.Runs)), tokencount.Estimate(r.Text), took[len(took)/2]}, nil
}

// textsIn are the texts of a page in a server's snapshot. Of the others' each line counts whole, with whatever is in it
// besides: that finds too much rather than too little.
func textsIn(d *dialect, snapshot string) []string {
	if d.name == "hub" {
		return corpus.Shown(snapshot)
	}
	return strings.Split(strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(snapshot), "\n")
}

// writeCorpus prints a row for each page.
func writeCorpus(w io.Writer, all []*dialect, shown map[*dialect]map[string]pageShown) {
	titles := []string{"page", "controls that " + all[0].title + " operates"}
	for _, of := range []string{"text", "tokens", "ms"} {
		for _, d := range all {
			titles = append(titles, of+": "+strings.TrimSpace(d.title+" "+d.version))
		}
	}
	line := func(cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
	line(titles)
	line(slices.Repeat([]string{"---"}, len(titles)))
	var ratios []float64 // of tokens, where the first two show the page whole
	for _, p := range corpus.Pages {
		if !p.There() {
			continue
		}
		text, size, took := []string{}, []string{}, []string{}
		for _, d := range all {
			is, there := shown[d][p.Name]
			if !there {
				text, size, took = append(text, "–"), append(size, "–"), append(took, "–")
				continue
			}
			text = append(text, fmt.Sprintf("%.0f %%", 100*is.kept))
			size = append(size, fmt.Sprint(is.tokens))
			took = append(took, fmt.Sprint(is.took.Milliseconds()))
		}
		line(slices.Concat([]string{p.Name, fmt.Sprint(len(p.Controls))}, text, size, took))
		if len(all) > 1 {
			a, b := shown[all[0]][p.Name], shown[all[1]][p.Name]
			if a.kept == 1 && b.kept == 1 {
				ratios = append(ratios, float64(a.tokens)/float64(b.tokens))
			}
		}
	}
	if len(ratios) > 0 {
		fmt.Fprintf(w, "\nOn the %d pages that both show whole, %s takes %.2f of the tokens of %s in the median.\n",
			len(ratios), all[0].title, quantile(ratios, 0.5), all[1].title)
	}
}

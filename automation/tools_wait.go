package automation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"webmcphub/automation/page"
	"webmcphub/registry/sanitize"
)

// waits is how long wait_for waits, unless the call sets a limit.
const waits = 30 * time.Second

type waitArguments struct {
	Text []string `json:"text" least:"1" is:"Any of these"`
	Gone []string `json:"textGone" least:"1" is:"None of these"`
	URL  string   `json:"urlContains"`
	timeoutArgument
	snapshotArgument
	pageArguments
}

func (r *Request) waitFor(ctx context.Context, p *opened, a waitArguments) (*Result, error) {
	blank := func(s string) bool { return strings.TrimSpace(s) == "" }
	switch {
	case len(a.Text) == 0 && len(a.Gone) == 0 && a.URL == "":
		return nil, errors.New("nothing was waited for: give text, textGone or urlContains")
	case slices.ContainsFunc(a.Text, blank) || slices.ContainsFunc(a.Gone, blank):
		return nil, errors.New("nothing was waited for: a text is empty")
	}
	limit := r.limit(a.Timeout, waits)
	found, err := page.Wait(ctx, p.Page, page.Condition{Text: a.Text, Gone: a.Gone, URL: a.URL}, limit,
		func(waited time.Duration) {
			r.Progress(fmt.Sprintf("still waiting, for %v of %v", waited, limit))
		})
	if err != nil {
		return nil, err
	}
	lines := found.Sentences(a.Gone)
	if main, there := p.Main(); there && (a.URL != "" || len(lines) == 0) {
		lines = append(lines, "The page is at "+sanitize.Text(main.Address(), 200)+".")
	}
	result := &Result{Text: strings.Join(lines, "\n")}
	if a.Snapshot {
		result.Text += "\n" + r.after(ctx, p, true)
	}
	return result, nil
}

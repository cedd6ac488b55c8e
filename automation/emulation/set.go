package emulation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"webmcphub/automation/page"
)

// Page is what one page is made to see, from when its sessions began. Calls of Set take
// turns.
type Page struct {
	is      Settings
	headers headers
	// own is the size that the page had before it was given another, if that is known.
	own   [2]float64
	known bool
}

// New is for a page that sees the truth. permits says which addresses may get headers; nil
// is all, and costs nothing. The page's own goroutine calls it.
func New(permits func(address string) bool) *Page { return &Page{headers: headers{permits: permits}} }

// Set has a page see other settings: those that change makes of the ones in force, which
// it returns. If Chrome refuses one of them, the error says which, and what was
// set before stays.
func (e *Page) Set(ctx context.Context, p *page.Page, change func(Settings) (Settings, error)) (Settings, error) {
	release, err := p.Turn(ctx, "emulation")
	if err != nil {
		return Settings{}, err
	}
	defer release()
	to, err := change(e.is)
	if err != nil {
		return e.is, err
	}
	shape, other := e.screenFor(ctx, p, to)
	commands := to.commands(e.is, &e.headers)
	e.headers.send(p, to.Headers)
	for i, c := range commands {
		if strings.HasPrefix(c.method, "Network.") {
			err = p.Enable(ctx, "Network")
		}
		if err == nil {
			err = p.Setup(ctx, c.method, c.params)
		}
		if err != nil {
			e.headers.send(p, e.is.Headers)
			back(ctx, p, e.is.commands(to, &e.headers)[:i+1])
			return e.is, fmt.Errorf("the browser did not take it (%s): %w", c.method, err)
		}
	}
	e.is = to
	if other {
		takeShape(ctx, p, shape)
	}
	return to, nil
}

// back takes back what was done of a change that failed. A page that doesn't answer is told
// all the same, and does so later.
func back(ctx context.Context, p *page.Page, commands []command) {
	ctx, cancel := context.WithTimeout(page.DespiteDialog(context.WithoutCancel(ctx)), backMost)
	defer cancel()
	for _, c := range commands {
		_ = p.Setup(ctx, c.method, c.params) // nobody is left to tell
	}
}

// backMost is how long a page may take to answer that.
const backMost = 500 * time.Millisecond

package emulation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"webmcphub/automation/page"
)

// Page has the emulation settings of one page, since its sessions began. Calls of Set take turns.
type Page struct {
	turn    page.Turn // guards the fields below
	is      Settings
	headers headers
	// own is the size that the page had before it was resized; known says whether it is known.
	own   [2]float64
	known bool
}

// New returns a Page without any emulation. permits says which addresses may get headers; nil permits all and costs
// nothing. It is called on the page's own goroutine.
func New(permits func(address string) bool) *Page {
	return &Page{turn: page.NewTurn(), headers: headers{permits: permits}}
}

// Set replaces the settings in force by those that change returns, and returns the new ones. If Chrome refuses one of
// them, the error says which one, and the former settings stay in force.
func (e *Page) Set(ctx context.Context, p *page.Page, change func(Settings) (Settings, error)) (Settings, error) {
	release, err := e.turn.Wait(ctx, p)
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

// back undoes the commands of a change that failed. A page that doesn't answer still gets them and carries them out
// later.
func back(ctx context.Context, p *page.Page, commands []command) {
	ctx, cancel := context.WithTimeout(page.DespiteDialog(context.WithoutCancel(ctx)), backMost)
	defer cancel()
	for _, c := range commands {
		_ = p.Setup(ctx, c.method, c.params) // nobody could handle the error
	}
}

// backMost bounds the wait for a page's answers to back.
const backMost = 500 * time.Millisecond

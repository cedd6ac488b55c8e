package inspectcmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"webmcphub/actors"
	"webmcphub/automation/page"
	"webmcphub/automation/records"
	"webmcphub/automation/records/live"
	"webmcphub/live/model"
	"webmcphub/registry"
)

// console hears what a page says, with the rings that the browser tools have.
type console struct {
	hub *actors.Hub
	of  registry.PageID
	log *slog.Logger

	mu      sync.Mutex // guards what follows; nothing blocks under it
	page    *page.Page
	kept    *live.Records // nil before
	problem string        // why it isn't heard now
}

func newConsole(hub *actors.Hub, of registry.PageID, log *slog.Logger) *console {
	return &console{hub: hub, of: of, log: log}
}

// open begins to hear the page, and is told what it has said before.
func (c *console) open(ctx context.Context) error {
	access, err := c.hub.Debugger(c.of)
	if err != nil {
		return err
	}
	c.mu.Lock()
	var given records.Given
	if c.kept != nil {
		given = c.kept.Given()
	}
	c.mu.Unlock()
	o := page.Options{Log: c.log, Gone: access.Gone, Answered: access.Answered, Earlier: c.dialog}
	kept := live.New(records.Bounds{}, given)
	kept.Hear(&o)
	p, err := page.Open(ctx, access.Conn, access.Target, o)
	if err != nil {
		return err
	}
	if err := kept.Attach(ctx, p); err != nil {
		p.Close()
		return fmt.Errorf("what the page says can't be heard: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.page, c.kept, c.problem = p, kept, ""
	return nil
}

// dialog is the one that was open before the page was heard.
func (c *console) dialog() (page.EarlierDialog, bool) {
	d, open := c.hub.OpenDialog(c.of)
	return page.EarlierDialog{Dialog: page.Dialog{Kind: d.Kind, Message: d.Message, Default: d.Default, URL: d.URL, Frame: d.Frame}, Session: d.Session}, open
}

// errorPage begins the addresses of pages that Chrome shows instead of one that it can't load.
const errorPage = "chrome-error:"

// loaded waits until the page has loaded. A page that waits for an answer to a dialog, or
// takes longer than ctx allows, can be looked at as it is.
func (c *console) loaded(ctx context.Context) error {
	err := c.page.WaitLoad(ctx, "", page.Loaded)
	if main, there := c.page.Main(); there && strings.HasPrefix(main.URL, errorPage) {
		return errors.New("it doesn't load; is the address right, and the server running?")
	}
	var failed *page.NotLoaded
	if errors.As(err, &failed) {
		return err
	}
	return nil
}

// again is how long a page that can't be heard is left alone.
const again = time.Second

// follow hears the page on after it has crashed, until ctx ends.
func (c *console) follow(ctx context.Context) {
	for {
		c.mu.Lock()
		p := c.page
		c.mu.Unlock()
		select {
		case <-p.Done():
		case <-ctx.Done():
			return
		}
		for err := p.Err(); err != nil; err = c.open(ctx) {
			c.mu.Lock()
			c.problem = "It isn't heard now: " + err.Error() + "."
			c.mu.Unlock()
			select {
			case <-time.After(again):
			case <-ctx.Done():
				return
			}
		}
	}
}

// said is what was said last.
func (c *console) said() (said []model.Said, problem string) {
	c.mu.Lock()
	kept, problem := c.kept, c.problem
	c.mu.Unlock()
	list, err := kept.Messages(records.MessageQuery{Preserved: true})
	if err != nil {
		return nil, err.Error()
	}
	for _, m := range list.Messages {
		s := model.Said{Kind: m.Type, Text: m.Text, Count: m.Count}
		if m.Time > 0 {
			s.At = time.UnixMicro(int64(m.Time * 1000))
		}
		if m.URL != "" {
			s.Where = fmt.Sprintf("%s:%d", m.URL, m.Line)
		}
		said = append(said, s)
	}
	return said, problem
}

// close hears it no more.
func (c *console) close() {
	c.mu.Lock()
	p := c.page
	c.mu.Unlock()
	if p != nil {
		p.Close()
	}
}

package commands

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"webmcphub/actors"
	"webmcphub/automation/page"
	"webmcphub/automation/records"

	model "webmcphub/live"
	"webmcphub/registry"
)

// console hears what a page says, with the rings that the browser tools have.
type console struct {
	hub *actors.Hub
	of  registry.PageID
	log *slog.Logger

	mu      sync.Mutex // guards what follows; nothing blocks under it
	page    *page.Page
	kept    *records.Records // nil before
	earlier []model.Said     // what was heard before kept was there, at most maxEarlier
	problem string           // why it isn't heard now
}

func newConsole(hub *actors.Hub, of registry.PageID, log *slog.Logger) *console {
	return &console{hub: hub, of: of, log: log}
}

// open begins to hear the page, and is told what it has said before. What an earlier page of
// the tab has said, which crashed, stays.
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
	kept := records.NewRecords(records.Bounds{}, given)
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
	if c.kept != nil {
		if was, err := listed(c.kept); err == nil {
			c.earlier = joined(c.earlier, was)
			c.earlier = c.earlier[max(0, len(c.earlier)-maxEarlier):]
		}
	}
	c.page, c.kept, c.problem = p, kept, ""
	return nil
}

// maxEarlier is how much is kept of what was said before a crash.
const maxEarlier = 200

// joined puts what was said earlier before what is heard now. Chrome tells again what a page
// said that lives on.
func joined(earlier, now []model.Said) []model.Said {
	var first time.Time
	for _, s := range now {
		if !s.At.IsZero() && (first.IsZero() || s.At.Before(first)) {
			first = s.At
		}
	}
	all := slices.DeleteFunc(slices.Clone(earlier),
		func(s model.Said) bool { return !first.IsZero() && !s.At.IsZero() && !s.At.Before(first) })
	return append(all, now...)
}

// dialog is the one that was open before the page was heard.
func (c *console) dialog() (page.EarlierDialog, bool) {
	d, open := c.hub.OpenDialog(c.of)
	return page.EarlierDialog{Dialog: page.Dialog{Kind: d.Kind, Message: d.Message, Default: d.Default, URL: d.URL,
		Frame: d.Frame}, Session: d.Session}, open
}

// errorPage begins the addresses of pages that Chrome shows instead of one that it can't load.
const errorPage = "chrome-error:"

// errUnloaded says that Chrome shows its error page. The hub knows why.
var errUnloaded = errors.New("it doesn't load")

// loaded waits until the page has loaded. A page that waits for an answer to a dialog, or
// takes longer than ctx allows, can be looked at as it is.
func (c *console) loaded(ctx context.Context) error {
	err := c.page.WaitLoad(ctx, "", page.Loaded)
	if main, there := c.page.Main(); there && strings.HasPrefix(main.URL, errorPage) {
		return errUnloaded
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
	kept, earlier, problem := c.kept, c.earlier, c.problem
	c.mu.Unlock()
	now, err := listed(kept)
	if err != nil {
		return nil, err.Error()
	}
	return joined(earlier, now), problem
}

// listed is what records have, the oldest first.
func listed(kept *records.Records) (said []model.Said, err error) {
	list, err := kept.Messages(records.MessageQuery{Preserved: true})
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
	return said, err
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

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

	"webmcphub/cdpclient"
	model "webmcphub/live"
	"webmcphub/registry"
)

// console listens to what a page logs, and keeps it like the browser tools.
type console struct {
	hub *actors.Hub
	of  registry.PageID
	log *slog.Logger

	mu      sync.Mutex // guards what follows; nothing blocks under it
	page    *page.Page
	kept    *records.Records       // nil before open
	earlier []model.ConsoleMessage // what was logged before kept existed, at most maxEarlier messages
	problem string                 // why it isn't listening now
}

func newConsole(hub *actors.Hub, of registry.PageID, log *slog.Logger) *console {
	return &console{hub: hub, of: of, log: log}
}

// open starts listening to the page, and gets what the page has logged before. Messages of an earlier page of the tab
// that crashed are kept.
func (c *console) open(ctx context.Context) error {
	access, err := c.hub.DebugAccess(c.of)
	if err != nil {
		return err
	}
	c.mu.Lock()
	var given records.LastIDs
	if c.kept != nil {
		given = c.kept.LastIDs()
	}
	c.mu.Unlock()
	o := page.Options{Gone: access.Gone, Answered: access.Answered, Earlier: c.dialog}
	kept := records.NewRecords(records.Bounds{}, given)
	kept.SetOptions(&o)
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

// maxEarlier is how many messages from before a crash are kept.
const maxEarlier = 200

// joined puts the earlier messages before the current ones. Chrome repeats the messages of a page that lives on.
func joined(earlier, now []model.ConsoleMessage) []model.ConsoleMessage {
	var first time.Time
	for _, s := range now {
		if !s.At.IsZero() && (first.IsZero() || s.At.Before(first)) {
			first = s.At
		}
	}
	all := slices.DeleteFunc(slices.Clone(earlier),
		func(s model.ConsoleMessage) bool { return !first.IsZero() && !s.At.IsZero() && !s.At.Before(first) })
	return append(all, now...)
}

// dialog returns the dialog that was open before listening began.
func (c *console) dialog() (cdpclient.OpenDialog, bool) { return c.hub.OpenDialog(c.of) }

// errorPage begins the addresses of the pages that Chrome shows instead of pages that it can't load.
const errorPage = "chrome-error:"

// errUnloaded says that Chrome shows its error page. The hub knows why.
var errUnloaded = errors.New("it doesn't load")

// loaded waits until the page has loaded. A page that waits for an answer to a dialog, or takes longer than ctx
// allows, can be inspected as it is.
func (c *console) loaded(ctx context.Context) error {
	err := c.page.WaitLoad(ctx, "", page.Loaded)
	if main, there := c.page.Main(); there && strings.HasPrefix(main.URL, errorPage) {
		return errUnloaded
	}
	if errors.As(err, new(*page.NotLoaded)) {
		return err
	}
	return nil
}

// again is how long to wait before listening to a page again.
const again = time.Second

// follow resumes listening after the page has crashed, until ctx ends.
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

// messages returns the latest messages.
func (c *console) messages() (messages []model.ConsoleMessage, problem string) {
	c.mu.Lock()
	kept, earlier, problem := c.kept, c.earlier, c.problem
	c.mu.Unlock()
	now, err := listed(kept)
	if err != nil {
		return nil, err.Error()
	}
	return joined(earlier, now), problem
}

// listed returns the recorded messages, oldest first.
func listed(kept *records.Records) (messages []model.ConsoleMessage, err error) {
	list, err := kept.Messages(records.MessageQuery{Preserved: true})
	for _, m := range list.Messages {
		s := model.ConsoleMessage{Kind: m.Type, Text: m.Text, Count: m.Count}
		if m.Time > 0 {
			s.At = time.UnixMicro(int64(m.Time * 1000))
		}
		if m.URL != "" {
			s.Where = fmt.Sprintf("%s:%d", m.URL, m.Line)
		}
		messages = append(messages, s)
	}
	return messages, err
}

// close stops listening.
func (c *console) close() {
	c.mu.Lock()
	p := c.page
	c.mu.Unlock()
	if p != nil {
		p.Close()
	}
}

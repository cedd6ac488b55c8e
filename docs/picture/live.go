package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/internal/agent"
)

// hubLog takes what the hub logs, and gives the link to its live page.
type hubLog struct {
	links chan string // has room for one
	text  []byte
}

var liveLink = regexp.MustCompile(`url="(http://[^"]+\?token=\w+)"`)

func (l *hubLog) Write(text []byte) (int, error) {
	if len(l.links) > 0 {
		return len(text), nil
	}
	l.text = append(l.text, text...)
	if found := liveLink.FindSubmatch(l.text); found != nil {
		l.links <- string(found[1])
	}
	return len(text), nil
}

// live is true once the live page shows what is so now.
const live = `document.readyState === 'complete' && document.getElementById('status').textContent === 'Live' && `

// shootLive draws what the hub's live page shows after the film: a tab, its timeline and the calls, with one call's
// details.
func shootLive(ctx context.Context, b *browser, a *agent.Agent, hub *hubLog, out string) error {
	for _, call := range []struct {
		tool string
		args map[string]any
	}{
		{"search", map[string]any{"query": "bread"}},
		{"add_to_cart", map[string]any{"product": "tea", "count": 1}}, // which the shop doesn't have
		{"add_to_cart", map[string]any{"product": "bread", "count": 1}},
	} {
		name, err := tool(ctx, a, call.tool)
		if err != nil {
			return err
		}
		if _, err := a.Call(ctx, name, call.args); err != nil {
			return err
		}
	}
	page, err := b.openLive(ctx, hub, 1440, 1000)
	if err != nil {
		return err
	}
	const calls = live + `document.querySelectorAll('#calls tbody tr').length >= 6 && `
	for _, step := range []string{
		calls + `[...document.querySelectorAll('#tabs li')].some((row) =>
			row.textContent.includes('shop.html') && (row.querySelector('a').click(), true))`,
		calls + `[...document.querySelectorAll('#one a')].some((a) => a.textContent === '1 minute' && (a.click(), true))`,
		calls + `location.search.includes('span=1m') &&
			([...document.querySelectorAll('#calls tbody a')].find((a) => a.textContent === 'checkout').click(), true)`,
		calls + `!!document.querySelector('#call pre')`,
	} {
		if err := b.until(ctx, page, step); err != nil {
			return err
		}
	}
	return b.save(ctx, page, out)
}

// shootQuestion draws what the live page of a hub with --safe asks before an agent puts something into the cart: on a
// wide screen and on a phone.
func shootQuestion(ctx context.Context, b *browser, hub, endpoint, out string) error {
	said := &hubLog{links: make(chan string, 1)}
	agent, err := startAgent(ctx, hub, endpoint, said, "--safe", "--no-share")
	if err != nil {
		return err
	}
	defer func() { _ = agent.Close() }()
	name, err := tool(ctx, agent, "add_to_cart")
	if err != nil {
		return err
	}
	page, err := b.openLive(ctx, said, 1100, 720)
	if err != nil {
		return err
	}
	if err := b.until(ctx, page, live+"true"); err != nil { // somebody looks at it, so it can ask
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	called := make(chan struct{})
	go func() {
		defer close(called)
		_, _ = agent.Call(ctx, name, map[string]any{"product": "olives", "count": 3}) // nobody answers
	}()
	defer func() { cancel(); <-called }()
	const asked = live + `!!document.querySelector('.question:not(.settling) button')`
	for _, s := range []struct {
		name          string
		width, height int
	}{{"-question.png", 1100, 720}, {"-phone.png", 390, 844}} {
		if err := b.size(ctx, page, s.width, s.height); err != nil {
			return err
		}
		if err := b.until(ctx, page, fmt.Sprintf("innerWidth === %d && %s", s.width, asked)); err != nil {
			return err
		}
		if err := b.save(ctx, page, out+s.name); err != nil {
			return err
		}
	}
	return nil
}

// openLive opens a hub's live page in a tab of this size.
func (b *browser) openLive(ctx context.Context, hub *hubLog, width, height int) (cdpclient.SessionID, error) {
	select {
	case link := <-hub.links:
		return b.open(ctx, link, width, height)
	case <-ctx.Done():
		return "", errors.New("the hub's log has no link to its live page")
	}
}

// save writes a PNG of what the tab shows to a file.
func (b *browser) save(ctx context.Context, tab cdpclient.SessionID, out string) error {
	shot, err := b.screenshot(ctx, tab)
	if err != nil {
		return err
	}
	return os.WriteFile(out, shot, 0o644)
}

// until evaluates an expression in a tab until it is true.
func (b *browser) until(ctx context.Context, tab cdpclient.SessionID, expression string) error {
	for {
		var got struct {
			Result struct{ Value json.RawMessage }
		}
		err := b.conn.Call(ctx, tab, "Runtime.evaluate",
			map[string]any{"expression": expression, "returnByValue": true}, &got)
		if err == nil && bytes.Equal(got.Result.Value, []byte("true")) {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return errors.New("the live page never showed " + strconv.Quote(expression))
		}
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strconv"
	"time"

	"webmcphub/cdpclient"
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

// shootLive draws what the hub's live page shows after the film: a tab, its timeline and the
// calls, with one call's details.
func shootLive(ctx context.Context, b *browser, hub *hubLog, out string) error {
	var link string
	select {
	case link = <-hub.links:
	case <-ctx.Done():
		return errors.New("the hub's log has no link to its live page")
	}
	page, err := b.open(ctx, link, 1440, 1000)
	if err != nil {
		return err
	}
	const calls = `document.readyState === 'complete' && document.querySelectorAll('#calls tbody tr').length >= 3 && `
	for _, step := range []string{
		calls + `[...document.querySelectorAll('#tabs li')].some((row) => row.textContent.includes('` + site +
			`') && (row.querySelector('a').click(), true))`,
		calls + `[...document.querySelectorAll('#one a')].some((a) => a.textContent === '1 minute' && (a.click(), true))`,
		calls + `location.search.includes('span=1m') && document.getElementById('status').textContent === 'Live' && (document.querySelector('#calls tbody a').click(), true)`,
		calls + `location.search.includes('call=') && document.querySelector('#call pre') && document.getElementById('status').textContent === 'Live'`,
	} {
		if err := b.until(ctx, page, step); err != nil {
			return err
		}
	}
	shot, err := b.screenshot(ctx, page)
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

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"image"
	"image/draw"
	"image/png"
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
// details. It returns four views for the sheet.
func shootLive(ctx context.Context, b *browser, a *agent.Agent, hub *hubLog, out string) (all []view, err error) {
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
			return nil, err
		}
		if _, err := a.Call(ctx, name, call.args); err != nil {
			return nil, err
		}
	}
	page, err := b.openLive(ctx, hub, 1440, 1000)
	if err != nil {
		return nil, err
	}
	const calls, checkout = live + `document.querySelectorAll('#calls tbody tr').length >= 6 && `,
		`[...document.querySelectorAll('#calls tbody a')].find((a) => a.textContent === 'checkout')`
	const tab, span, details = calls + `[...document.querySelectorAll('#tabs li')].some((row) =>
			row.textContent.includes('shop.html') && (row.querySelector('a').click(), true))`,
		calls + `[...document.querySelectorAll('#one a')].some((a) => a.textContent === '1 minute' && (a.click(), true))`,
		calls + `(` + checkout + `.click(), true)`
	for _, step := range []string{tab, span,
		calls + `location.search.includes('span=1m') && (` + checkout + `.click(), true)`,
		calls + `!!document.querySelector('#call pre')`} {
		if err := b.until(ctx, page, step); err != nil {
			return nil, err
		}
	}
	if err := b.save(ctx, page, out); err != nil {
		return nil, err
	}
	const back, home = `document.readyState === 'complete' && (location.href = './', true)`,
		live + `location.search === ''`
	for _, v := range []struct {
		name  string
		steps []string
	}{
		{"A call's details", []string{back, home, details, calls + `!!document.querySelector('#call pre')`}},
		{"Tabs and clients, and a search", []string{back, home, calls + `(location.href = './?q=cart', true)`,
			live + `location.search === '?q=cart' && document.querySelectorAll('#calls tbody tr').length === 3 && (document.getElementById('tabs').scrollIntoView(), true)`}},
		{"A tab's timeline", []string{back, home, tab, span, calls + `location.search.includes('span=1m') &&
			(document.querySelector('.timeline').scrollIntoView({block: 'center'}), true)`}},
		{"A watched tab, taken over", []string{back, home, tab,
			calls + `[...document.querySelectorAll('#one a')].some((a) =>
				a.textContent === 'Watch this tab' && (a.click(), true))`,
			`!document.getElementById('take').hidden && (document.getElementById('take').click(), true)`,
			`!!document.querySelector('#screen.yours') && !document.getElementById('frame').hidden`}},
	} {
		for _, step := range v.steps {
			if err := b.until(ctx, page, step); err != nil {
				return nil, err
			}
		}
		shot, err := b.view(ctx, page, v.name, v.steps[len(v.steps)-1])
		if err != nil {
			return nil, err
		}
		all = append(all, shot)
	}
	return all, nil
}

// shootQuestion draws what the live page of a hub with --safe asks before an agent puts something into the cart: on a
// wide screen, on a phone, and as a view for the sheet.
func shootQuestion(ctx context.Context, b *browser, hub, endpoint, out string) ([]view, error) {
	output := &hubLog{links: make(chan string, 1)}
	agent, err := startAgent(ctx, hub, endpoint, output, "--safe", "--no-share")
	if err != nil {
		return nil, err
	}
	defer func() { _ = agent.Close() }()
	name, err := tool(ctx, agent, "add_to_cart")
	if err != nil {
		return nil, err
	}
	page, err := b.openLive(ctx, output, 1100, 720)
	if err != nil {
		return nil, err
	}
	if err := b.until(ctx, page, live+"true"); err != nil { // somebody looks at it, so it can ask
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	called := make(chan struct{})
	go func() {
		defer close(called)
		_, _ = agent.Call(ctx, name, map[string]any{"product": "olives", "count": 3}) // nobody answers
	}()
	defer func() { cancel(); <-called }()
	const answerable = live + `!!document.querySelector('.question:not(.settling) button')`
	for _, s := range []struct {
		name          string
		width, height int
	}{{"-question.png", 1100, 720}, {"-phone.png", 390, 844}} {
		if err := b.size(ctx, page, s.width, s.height); err != nil {
			return nil, err
		}
		if err := b.until(ctx, page, fmt.Sprintf("innerWidth === %d && %s", s.width, answerable)); err != nil {
			return nil, err
		}
		if err := b.save(ctx, page, out+s.name); err != nil {
			return nil, err
		}
	}
	v, err := b.view(ctx, page, "A question",
		answerable+` && (document.querySelector(".question details").open = true)`)
	return []view{v}, err
}

// view is one view of the live page at several widths, as addresses of pictures.
type view struct {
	Name  string
	Shots []template.URL
}

// view draws what a tab shows at three widths, the middle one dark, once an expression is true there.
func (b *browser) view(ctx context.Context, page cdpclient.SessionID, name, ready string) (view, error) {
	v := view{Name: name}
	for _, width := range []int{1440, 900, 390} {
		if err := errors.Join(b.size(ctx, page, width, 900), b.dark(ctx, page, width == 900),
			b.until(ctx, page, fmt.Sprintf("innerWidth === %d && %s", width, ready))); err != nil {
			return v, err
		}
		shot, err := b.screenshot(ctx, page)
		if err != nil {
			return v, err
		}
		v.Shots = append(v.Shots, template.URL("data:image/png;base64,"+base64.StdEncoding.EncodeToString(shot)))
	}
	return v, b.dark(ctx, page, false)
}

var sheetTemplate = template.Must(template.New("sheet").Parse(`<!doctype html>
<style>body{margin:20px;font:16px system-ui,sans-serif;background:#d5d9e0;width:max-content}
p{margin:0 0 8px}div{display:flex;gap:20px;margin-bottom:20px}img{height:400px}</style>
{{range .}}<p>{{.Name}}</p><div>{{range .Shots}}<img src="{{.}}">{{end}}</div>{{end}}`))

// sheet writes a PNG of views, a row each.
func (b *browser) sheet(ctx context.Context, views []view, out string) error {
	page, err := b.open(ctx, "about:blank", 1290, 20+len(views)*448)
	if err != nil {
		return err
	}
	var html bytes.Buffer
	if err := sheetTemplate.Execute(&html, views); err != nil {
		return err
	}
	if err := b.show(ctx, page, html.String()); err != nil {
		return err
	}
	if err := b.until(ctx, page, "[...document.images].every((i) => i.complete)"); err != nil {
		return err
	}
	shot, err := b.screenshot(ctx, page)
	if err != nil {
		return err
	}
	from, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return err
	}
	to := image.NewRGBA(from.Bounds())
	draw.Draw(to, to.Bounds(), from, from.Bounds().Min, draw.Src)
	for i := range to.Pix {
		to.Pix[i] |= 3 // makes the file a good deal smaller
	}
	var file bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&file, to); err != nil {
		return err
	}
	return os.WriteFile(out, file.Bytes(), 0o644)
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

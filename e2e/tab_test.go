package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A tab is an open tab, as its user would handle it.
type tab struct {
	t       *testing.T
	chrome  *chrome
	target  string
	session string
}

// open opens a tab on the address and waits until its page has loaded.
func (c *chrome) open(t *testing.T, url string) *tab {
	t.Helper()
	p := c.openAndLeave(t, url)
	p.waitLoaded()
	return p
}

// openAndLeave opens a tab and doesn't wait for its page.
func (c *chrome) openAndLeave(t *testing.T, url string) *tab {
	t.Helper()
	p := &tab{t: t, chrome: c}
	var created struct{ TargetID string }
	p.browser("Target.createTarget", map[string]any{"url": url}, &created)
	p.target = created.TargetID
	p.attach()
	return p
}

func (p *tab) attach() {
	p.t.Helper()
	var attached struct{ SessionID string }
	p.browser("Target.attachToTarget", map[string]any{"targetId": p.target, "flatten": true}, &attached)
	p.session = attached.SessionID
}

func (p *tab) browser(method string, params map[string]any, result any) {
	p.t.Helper()
	p.must(p.chrome.withPatience("", method, params, result))
}

func (p *tab) page(method string, params map[string]any, result any) {
	p.t.Helper()
	p.must(p.chrome.withPatience(p.session, method, params, result))
}

func (p *tab) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (c *chrome) withPatience(session, method string, params map[string]any, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return c.call(ctx, session, method, params, result)
}

// waitLoaded waits until a page other than the initial blank one, or the one
// that reload left behind, has loaded. The
// document that is asked may be replaced meanwhile; then the next one is asked.
func (p *tab) waitLoaded() {
	p.t.Helper()
	const loaded = `location.href === 'about:blank' || window.old ? new Promise(() => {})
		: document.readyState === 'complete' ? true
		: new Promise(resolve => addEventListener('load', () => resolve(true)))`
	for {
		_, err := p.evaluate(loaded)
		if err == nil {
			return
		}
		if !errors.Is(err, errReplaced) {
			p.t.Fatalf("waiting for the page to load: %v", err)
		}
	}
}

var errReplaced = errors.New("the document was replaced")

// eval runs an expression in the page and waits for it when it's a promise.
func (p *tab) eval(expression string) json.RawMessage {
	p.t.Helper()
	value, err := p.evaluate(expression)
	if err != nil {
		p.t.Fatalf("in the page, %s: %v", expression, err)
	}
	return value
}

// happened waits until the page has noted name, and returns what it noted.
func (p *tab) happened(name string) json.RawMessage {
	p.t.Helper()
	return p.eval(fmt.Sprintf("happened(%q)", name))
}

func (p *tab) evaluate(expression string) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return p.evaluateWithin(ctx, expression)
}

func (p *tab) evaluateWithin(ctx context.Context, expression string) (json.RawMessage, error) {
	var out struct {
		Result struct {
			Value       json.RawMessage
			Description string
		}
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err := p.chrome.call(ctx, p.session, "Runtime.evaluate", map[string]any{
		"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true,
	}, &out)
	switch {
	case err != nil && ctx.Err() == nil && (strings.Contains(err.Error(), "navigated") || strings.Contains(err.Error(), "context")):
		return nil, fmt.Errorf("%w: %w", errReplaced, err)
	case err != nil:
		return nil, err
	case out.ExceptionDetails != nil:
		return nil, fmt.Errorf("%s %s", out.ExceptionDetails.Text, out.ExceptionDetails.Exception.Description)
	}
	return out.Result.Value, nil
}

// navigate goes to another address and waits until it has loaded.
func (p *tab) navigate(url string) {
	p.t.Helper()
	p.page("Page.navigate", map[string]any{"url": url}, nil)
	p.waitLoaded()
}

// reload reloads the page and waits until the new document has loaded.
func (p *tab) reload() {
	p.t.Helper()
	p.eval(`window.old = true`)
	p.page("Page.reload", nil, nil)
	p.waitLoaded()
}

func (p *tab) close() {
	p.t.Helper()
	p.browser("Target.closeTarget", map[string]any{"targetId": p.target}, nil)
}

// crash ends the page's process. Chrome doesn't answer the command.
func (p *tab) crash() {
	p.t.Helper()
	_, err := p.chrome.send(p.session, "Page.crash", nil)
	p.must(err)
}

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

//go:embed light.html
var lightHTML string

const loaded = `document.readyState == "complete"`

// serveAutomation gives the pages that are operated: the light one, of which each tab has
// an address of its own, the hostile ones, and the ten of which snapshots are taken.
func (c *chromium) serveAutomation(mux *http.ServeMux) {
	html := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(text))
	}
	mux.HandleFunc("/light/{tab}/{$}", func(w http.ResponseWriter, _ *http.Request) { html(w, lightHTML) })
	mux.HandleFunc("/hostile/{number}/{tab}/{$}", func(w http.ResponseWriter, r *http.Request) {
		for i, h := range hostiles {
			if fmt.Sprint(i) == r.PathValue("number") {
				html(w, "<!doctype html><title>hostile</title><h1>Hostile</h1>"+h.html)
			}
		}
	})
	mux.HandleFunc("/{name}", func(w http.ResponseWriter, r *http.Request) {
		text, err := os.ReadFile(filepath.Join(c.ten, filepath.Base(r.PathValue("name"))))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		html(w, c.addressed(string(text)))
	})
}

// addressed has the site's addresses in a page: {{b}} is of another origin than {{a}}.
func (c *chromium) addressed(page string) string {
	other := strings.Replace(c.pages.URL, "127.0.0.1", "localhost", 1)
	return strings.NewReplacer("{{a}}", c.pages.URL, "{{b}}", other, "{{c}}", c.pages.URL).Replace(page)
}

// light opens the light page in a tab.
func (c *chromium) light(ctx context.Context) (*tab, error) {
	c.opened++
	return c.openAt(ctx, fmt.Sprintf("/light/%d/", c.opened), loaded)
}

// says is an error unless a script in the page gives what it should, soon: events of
// the page's own may be on their way.
func (c *chromium) says(ctx context.Context, t *tab, script string, want any) error {
	wanted, err := json.Marshal(want)
	if err != nil {
		return err
	}
	var got json.RawMessage
	for deadline := time.Now().Add(time.Second); ; {
		if got, err = c.evaluate(ctx, t, script); err != nil || string(got) == string(wanted) {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the page says of %s: %s, and not %s", script, got, wanted)
		}
	}
}

// front is the tab that the browser shows: Chrome lists the one that was active last first.
func (c *chromium) front(ctx context.Context) (target string, err error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/json/list", nil)
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var all []struct{ ID, Type string }
	if err := json.NewDecoder(answer.Body).Decode(&all); err != nil {
		return "", err
	}
	for _, t := range all {
		if t.Type == "page" {
			return t.ID, nil
		}
	}
	return "", &url.Error{Op: "GET", URL: c.url, Err: errNotSeen}
}

// bring brings a tab to the front, and waits until it is there.
func (c *chromium) bring(ctx context.Context, t *tab) error {
	if err := c.pipe.Call(ctx, "", "Target.activateTarget", map[string]any{"targetId": t.target}, nil); err != nil {
		return err
	}
	return c.until(ctx, "the tab doesn't come to the front", func() (bool, error) {
		at, err := c.front(ctx)
		return at == t.target, err
	})
}

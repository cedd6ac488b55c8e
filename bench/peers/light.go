package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

//go:embed light.html
var lightHTML string

const loaded = `document.readyState == "complete"`

// serveAutomation gives the pages that are operated: the light one, of which each tab has
// an address of its own, and the hostile ones.
func serveAutomation(mux *http.ServeMux) {
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
}

// light opens the light page in a tab.
func (c *chromium) light(ctx context.Context) (*tab, error) {
	c.opened++
	return c.openAt(ctx, fmt.Sprintf("/light/%d/", c.opened), loaded)
}

// expect is an error unless a script in the page gives what it should, soon: events of
// the page's own may be on their way.
func (c *chromium) expect(ctx context.Context, t *tab, script string, want any) error {
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

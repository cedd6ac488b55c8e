package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// journey is the price of an order in four shops: five steps in each of four tabs. Single
// steps need what the ones before gave; a batch refers to it.
type journey struct {
	*rawHub
	trips, bytes int // of tools/call: how many, and their messages in both directions
}

// step calls a tool and gives its structured result, counting what that costs.
func (j *journey) step(name string, args any) (result struct {
	StructuredContent json.RawMessage
	IsError           bool
}) {
	j.t.Helper()
	j.last++
	line := asLine(map[string]any{"jsonrpc": "2.0", "id": j.last, "method": "tools/call", "params": map[string]any{"name": name, "arguments": args}})
	j.write(line)
	j.trips++
	j.bytes += len(line) + 1
	for {
		select {
		case line := <-j.lines:
			var m message
			if json.Unmarshal([]byte(line), &m) != nil || !m.is(j.last) {
				continue
			}
			j.bytes += len(line)
			if json.Unmarshal(m.Result, &result) != nil || result.IsError {
				j.t.Fatalf("%s: %.1000s", name, line)
			}
			return result
		case <-time.After(patience):
			j.t.Fatalf("%s was not answered", name)
		}
	}
}

// TestAJourneyInOneTurn: 20 steps over 4 tabs are one round trip, and at most 40 % of the
// bytes of single calls, with the same outcome.
func TestAJourneyInOneTurn(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	for shop := range 4 {
		c.open(t, pages.url("journey.html", fmt.Sprint("shop=", shop+1)))
	}
	j := &journey{rawHub: startRaw(t, "--browser-url", c.browserURL(), "--no-share")}
	j.initialize()
	tool := func(shop int, name string) string { return toolName(fmt.Sprint(shop), name) }
	for shop := range 4 {
		j.waitListed(tool(shop, "checkout_preview"))
	}
	read := func(raw json.RawMessage, into any) {
		if err := json.Unmarshal(raw, into); err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
	}
	var want []string
	for shop := range 4 {
		var found struct{ Items []struct{ ID string } }
		read(j.step(tool(shop, "search"), map[string]any{"query": "tent"}).StructuredContent, &found)
		var about struct{ SKU string }
		read(j.step(tool(shop, "details"), map[string]any{"id": found.Items[0].ID}).StructuredContent, &about)
		var cart struct{ Lines []struct{ Line string } }
		read(j.step(tool(shop, "add_to_cart"), map[string]any{"sku": about.SKU, "quantity": 1}).StructuredContent, &cart)
		j.step(tool(shop, "set_quantity"), map[string]any{"line": cart.Lines[0].Line, "quantity": 3})
		var preview struct{ Total json.RawMessage }
		read(j.step(tool(shop, "checkout_preview"), map[string]any{}).StructuredContent, &preview)
		want = append(want, string(preview.Total))
	}
	apart := *j
	batch := func(returns bool) (trips, bytes int, got []string) {
		for shop := range 4 {
			j.step(tool(shop, "empty_cart"), map[string]any{})
		}
		j.trips, j.bytes = 0, 0
		ref := func(path string, args ...any) map[string]any {
			return map[string]any{"$ref": fmt.Sprintf(path, args...)}
		}
		var steps []map[string]any
		var paths []string
		for shop := range 4 {
			steps = append(steps,
				map[string]any{"tool": tool(shop, "search"), "arguments": map[string]any{"query": "tent"}, "as": fmt.Sprint("found", shop)},
				map[string]any{"tool": tool(shop, "details"), "arguments": map[string]any{"id": ref("found%d.items[0].id", shop)}, "as": fmt.Sprint("about", shop)},
				map[string]any{"tool": tool(shop, "add_to_cart"), "arguments": map[string]any{"sku": ref("about%d.sku", shop), "quantity": 1}, "as": fmt.Sprint("cart", shop)},
				map[string]any{"tool": tool(shop, "set_quantity"), "arguments": map[string]any{"line": ref("cart%d.lines[0].line", shop), "quantity": 3}},
				map[string]any{"tool": tool(shop, "checkout_preview"), "arguments": map[string]any{}, "as": fmt.Sprint("order", shop)})
			paths = append(paths, fmt.Sprintf("order%d.total", shop))
		}
		args := map[string]any{"steps": steps}
		if returns {
			args["return"] = paths
		}
		var out struct {
			Steps []struct {
				Result struct{ Total json.RawMessage }
			}
			Returned map[string]json.RawMessage
		}
		read(j.step("call_webmcp_tools", args).StructuredContent, &out)
		for shop, path := range paths {
			if total := string(out.Returned[path]); total != "" {
				got = append(got, total)
			} else {
				got = append(got, string(out.Steps[shop*5+4].Result.Total))
			}
		}
		return j.trips, j.bytes, got
	}
	_, whole, got := batch(false)
	trips, chosen, orders := batch(true)
	if fmt.Sprint(got) != fmt.Sprint(want) || fmt.Sprint(orders) != fmt.Sprint(want) {
		t.Errorf("the orders cost %s and %s, and %s by single calls", got, orders, want)
	}
	t.Logf("%d single calls: %d bytes; one call of %d steps: %d bytes (%d %%), with whole results %d (%d %%)", apart.trips, apart.bytes, 20, chosen, 100*chosen/apart.bytes, whole, 100*whole/apart.bytes)
	if apart.trips != 20 || trips != 1 || chosen*100 > apart.bytes*40 {
		t.Errorf("%d calls of %d bytes, in place of %d of %d bytes; want one, of 40 %% of the bytes at most", trips, chosen, apart.trips, apart.bytes)
	}
	if strings.Contains(fmt.Sprint(want), "NaN") {
		t.Errorf("the orders cost %s", want)
	}
}

// TestABatchThatTravels: opening a page, a tool of it, going elsewhere, waiting, and a tool
// of the page that comes then are one call.
func TestABatchThatTravels(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := attachHub(t, c, "--automation", "--no-share")
	c.open(t, pages.url("plain.html"))
	result := h.call("call_webmcp_tools", map[string]any{
		"steps": []map[string]any{
			{"tool": "new_page", "arguments": map[string]any{"url": pages.url("journey.html", "shop=1"), "background": false}},
			{"tool": "search", "arguments": map[string]any{"query": "tent"}, "as": "found"},
			{"tool": "navigate_page", "arguments": map[string]any{"url": pages.url("shop.html")}},
			{"tool": "wait_for", "arguments": map[string]any{"text": []string{"A shop with a fixed set of tools"}}},
			{"tool": "add-to-cart", "arguments": map[string]any{"product": map[string]any{"$ref": "found.items[0].name"}}, "as": "added"},
			{"tool": "checkout_preview"}, // which the page before had
		},
		"stopOn": "never", "return": []string{"found.count", "added"},
	})
	var out struct {
		Steps    []struct{ Outcome, Why string }
		Returned map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(asJSON(result.StructuredContent)), &out); err != nil || len(out.Steps) != 6 {
		t.Fatalf("%v: %s", err, textOf(result))
	}
	for i, step := range out.Steps {
		if want := map[bool]string{true: "ok", false: "error"}[i < 5]; step.Outcome != want {
			t.Errorf("step %d: %+v", i, step)
		}
	}
	if !strings.Contains(out.Steps[5].Why, "checkout_preview") || string(out.Returned["found.count"]) != "12" || !strings.Contains(string(out.Returned["added"]), "added 1 × Tent for ") {
		t.Errorf("%s", textOf(result))
	}
}

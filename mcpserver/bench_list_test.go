package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// BenchmarkListing measures putting a catalog's tools/list result together, once
// per catalog version: sorting, and joining what is encoded already. 20,000 tools
// are the whole list of 200 pages; 200 tools are what a page of the list would
// be. Clients' requests of the same version cost none of it.
func BenchmarkListing(b *testing.B) {
	for _, n := range []int{200, 2000, 20000} {
		b.Run(fmt.Sprint("tools=", n), func(b *testing.B) {
			h := newHub(b, func(context.Context, calls.Call) registry.Result { return sanitize.TextResult("") })
			c := catalogOf(h, n)
			if c.Len() != n {
				b.Fatalf("%d tools", c.Len())
			}
			b.ReportAllocs()
			empty := h.current.Load().Next(registry.EmptyCatalog()) // after it, no list is kept
			size := 0
			var last json.RawMessage
			for b.Loop() {
				b.StopTimer()
				fresh := nextVersion(h) // the sorted order is kept by a catalog
				b.StartTimer()
				raw := empty.Next(fresh).List().Legacy()
				size, last = len(raw), raw
			}
			b.SetBytes(int64(size))
			if got := bytes.Count(last, []byte(`"inputSchema"`)); got < n || !json.Valid(last) {
				b.Fatalf("%d tools in the list, want %d and our own", got, n)
			}
		})
	}
}

// BenchmarkListPage measures one page of 200 of a list of 20,000 tools, from the
// client's request to its last byte, with --list-page-size=200.
func BenchmarkListPage(b *testing.B) {
	h := newHub(b, func(context.Context, calls.Call) registry.Result { return sanitize.TextResult("") }, inPages(200))
	if n := catalogOf(h, 20000).Len(); n != 20000 {
		b.Fatalf("%d tools", n)
	}
	w, r := h.pipe(b)
	cursor := ""
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":%q}}`+"\n", cursor); err != nil {
			b.Fatal(err)
		}
		line, err := r.ReadBytes('\n')
		if err != nil {
			b.Fatal(err)
		}
		at := bytes.LastIndex(line, []byte(`"nextCursor":"`))
		if n := bytes.Count(line, []byte(`"inputSchema"`)); n > 210 || at >= 0 && n < 200 { // some of ours say the word again
			b.Fatalf("a page of %d tools", n)
		}
		cursor = ""
		if at >= 0 {
			cursor = string(bytes.TrimRight(line[at+len(`"nextCursor":"`):], "\"}\n"))
		}
	}
}

// catalogOf makes pages with 100 tools each.
func catalogOf(h *hub, n int) *registry.Catalog {
	var events []registry.Event
	for p := range n / 100 {
		id, url := fmt.Sprint("P", p), fmt.Sprintf("https://site%d.test/", p)
		var specs []string
		for i := range 100 {
			specs = append(specs, fmt.Sprintf(`tool%d {"type":"object","properties":{"a":{"type":"string","description":"the first"},"b":{"type":"integer"}},"required":["a"]}`, i))
		}
		events = append(events, open(id, url), navigated(id, 1, url), tools(id, 1, specs...))
	}
	h.change(events...)
	return h.catalog()
}

// nextVersion changes one page's address, which is a new catalog of the same tools.
func nextVersion(h *hub) *registry.Catalog {
	before := h.catalog().Version()
	h.change(registry.PageChanged{Page: "P0", URL: fmt.Sprintf("https://site0.test/%d", before)})
	return h.catalog()
}

// BenchmarkListBesideFlush measures a flush (the registry actor's Apply of one
// change) while a client lists 20,000 tools all the time. ns/op is the median,
// which should be BenchmarkApply's, for neither waits for the other; p99 also
// contains what two goroutines cost each other on the processors.
func BenchmarkListBesideFlush(b *testing.B) {
	h := bigHub(b)
	w, r := h.pipe(b)
	stop, stopped := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				stopped <- n
				return
			default:
				roundTrip(b, w, r, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n"))
				n++
			}
		}
	}()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		effects := h.state.Step(tools("P0", 1, fmt.Sprint("new", i)))
		effects = append(effects, h.state.Step(registry.FlushDue{})...)
		begin := time.Now()
		h.Apply(effects)
		took = append(took, time.Since(begin))
	}
	close(stop)
	if n := <-stopped; n == 0 {
		b.Error("no list was read")
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2]), "ns/op")
	b.ReportMetric(float64(took[len(took)*99/100])/1e3, "p99-µs")
}

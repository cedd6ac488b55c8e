package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"testing"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// bigHub has 20,000 tools on 200 pages.
func bigHub(b *testing.B) *hub {
	h := newHub(b, func(context.Context, calls.Call) registry.Result { return sanitize.TextResult("") })
	var events []registry.Event
	for p := range 200 {
		id, url := fmt.Sprint("P", p), fmt.Sprintf("https://site%d.test/", p)
		var specs []string
		for i := range 100 {
			specs = append(specs, fmt.Sprintf(`tool%d {"type":"object","properties":{"a":{"type":"string","description":"the first"},"b":{"type":"integer"}},"required":["a"]}`, i))
		}
		events = append(events, open(id, url), navigated(id, 1, url), tools(id, 1, specs...))
	}
	h.change(events...)
	return h
}

// pipe is a session that a benchmark writes to and reads from.
func (h *hub) pipe(b *testing.B) (w io.Writer, r *bufio.Reader) {
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- h.ServeStdio(context.Background(), serverIn, serverOut) }()
	b.Cleanup(func() {
		in.Close()
		go io.Copy(io.Discard, out)
		<-served
		serverOut.Close()
	})
	return in, bufio.NewReaderSize(out, 1<<20)
}

// roundTrip sends one message and reads the answer.
func roundTrip(b *testing.B, w io.Writer, r *bufio.Reader, line []byte) (size int) {
	if _, err := w.Write(line); err != nil {
		b.Fatal(err)
	}
	for {
		part, err := r.ReadSlice('\n')
		size += len(part)
		if err == nil {
			return size
		}
		if err != bufio.ErrBufferFull {
			b.Fatal(err)
		}
	}
}

// BenchmarkListFirst measures tools/list with 20,000 tools after a change, from
// the client's write to its read: serialised anew, and 8 MB through the pipe.
func BenchmarkListFirst(b *testing.B) {
	h := bigHub(b)
	w, r := h.pipe(b)
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		h.change(tools("P0", 1, fmt.Sprint("new", i)))
		b.StartTimer()
		b.SetBytes(int64(wholeList(b, h, w, r)))
	}
}

// BenchmarkListAgain measures the same list asked for again, unchanged: the
// pipe alone.
func BenchmarkListAgain(b *testing.B) {
	h := bigHub(b)
	w, r := h.pipe(b)
	for b.Loop() {
		b.SetBytes(int64(wholeList(b, h, w, r)))
	}
}

// wholeList lists, and checks that the answer is as long as all tools together.
func wholeList(b *testing.B, h *hub, w io.Writer, r *bufio.Reader) int {
	size := roundTrip(b, w, r, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n"))
	want := 0
	own := h.current.Load().Next(registry.StartingCatalog()).List().Legacy()
	want += len(own) - len(`{"tools":[]}`)
	for _, t := range h.catalog().Tools() {
		want += len(t.Encoded) + 1
	}
	if size < want || size > want+100 {
		b.Fatalf("the list has %d bytes, its tools %d", size, want)
	}
	return size
}

// BenchmarkCall measures one call by a no-op Caller, from the client's write to
// its read.
func BenchmarkCall(b *testing.B) {
	w, r := bigHub(b).pipe(b)
	b.ReportAllocs()
	line := []byte(callLine("1", "webmcp_site7_test_page7_tool42", `{"a":"x","b":7}`) + "\n")
	for b.Loop() {
		roundTrip(b, w, r, line)
	}
}

// BenchmarkUnknownCall measures the same with an answer to be had without any
// work, for comparison.
func BenchmarkUnknownCall(b *testing.B) {
	w, r := bigHub(b).pipe(b)
	for b.Loop() {
		roundTrip(b, w, r, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`+"\n"))
	}
}

// BenchmarkCallsSideBySide measures the same calls with 16 of them open at a
// time; ns/op is for one.
func BenchmarkCallsSideBySide(b *testing.B) {
	w, r := bigHub(b).pipe(b)
	const side = 16
	lines := make([][]byte, side)
	for i := range lines {
		lines[i] = []byte(callLine(fmt.Sprint(i), "webmcp_site7_test_page7_tool42", `{"a":"x","b":7}`) + "\n")
	}
	b.ReportAllocs()
	free := make(chan int, side)
	for i := range side {
		free <- i
	}
	done := make(chan bool)
	n := 0
	go func() {
		defer close(done)
		for range b.N {
			if _, err := r.ReadSlice('\n'); err != nil {
				return
			}
			free <- n % side
			n++
		}
	}()
	for range b.N {
		w.Write(lines[<-free])
	}
	<-done
}

// BenchmarkApply measures what the server does with one flush of one change
// among 20,000 tools, besides a session that is not told.
func BenchmarkApply(b *testing.B) {
	h := bigHub(b)
	h.pipe(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		effects := h.state.Step(tools("P0", 1, fmt.Sprint("new", i)))
		effects = append(effects, h.state.Step(registry.FlushDue{})...)
		b.StartTimer()
		h.Apply(effects)
	}
}

package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"webmcphub/bench/machine"
	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/recording"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// BenchmarkRecorded measures calls at 10,000 a second, of a tool whose page answers at once,
// with and without a recorder between the client and the hub, in turns of a second. A call's
// time is from when it was due. ns/op is the median with the recorder. The recording is read
// afterwards, and has to have all that was said. cpu is this process's processor time a call,
// with that of the client.
func BenchmarkRecorded(b *testing.B) {
	const rate, share = 10_000, 10 // so many calls are due at once, because a sleep is no shorter
	file := filepath.Join(b.TempDir(), "session.jsonl")
	recorder, err := recording.Create(recording.Options{Path: file, MaxSize: 4 << 30, Mask: recording.Secrets,
		By: "bench", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	plain, recorded := echoing(b, nil), echoing(b, recorder)
	var with, without samples
	turns := 0
	var cpu, plainCPU time.Duration
	plain.second(b, rate, share)
	recorded.second(b, rate, share)
	for b.Loop() {
		begin := machine.OwnCPU()
		without = append(without, plain.second(b, rate, share)...)
		between := machine.OwnCPU()
		with = append(with, recorded.second(b, rate, share)...)
		cpu, plainCPU = cpu+machine.OwnCPU()-between, plainCPU+between-begin
		turns++
	}
	recorder.Close()
	f, err := os.Open(file)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	s, err := recording.Read(f)
	if err != nil || s.Lost > 0 || s.Full || len(s.Lines) < 2*rate*(turns+1) {
		b.Fatalf("the recording has %d lines, %d are lost: %v", len(s.Lines), s.Lost, err)
	}
	b.ReportMetric(float64(with.quantile(0.5)), "ns/op")
	b.ReportMetric(micros(with.quantile(0.99)), "with-p99-µs")
	b.ReportMetric(micros(without.quantile(0.5)), "without-p50-µs")
	b.ReportMetric(micros(without.quantile(0.99)), "without-p99-µs")
	b.ReportMetric(micros(cpu)/float64(rate*turns), "with-cpu-µs/call")
	b.ReportMetric(micros(plainCPU)/float64(rate*turns), "without-cpu-µs/call")
}

// echoer is a client of a server whose only tool answers at once.
type echoer struct {
	in  io.Writer
	out *bufio.Reader
}

type atOnce struct{}

func (atOnce) Call(_ context.Context, c calls.Call) registry.Result {
	return sanitize.TextResult(string(c.Args))
}

func echoing(b *testing.B, r *recording.Recorder) *echoer {
	b.Helper()
	server := mcpserver.New(mcpserver.Options{}, atOnce{})
	state := registry.NewState(registry.Options{})
	for _, e := range []registry.Event{
		registry.PageOpened{Page: "A", URL: "https://a.test/"},
		registry.Navigated{Page: "A", Gen: 1, URL: "https://a.test/"},
		registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{{Frame: "F", Doc: 1, Runtime: offer.Native, Name: "echo"}}},
		registry.FlushDue{}, registry.FlushDue{},
	} {
		server.Apply(state.Step(e))
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	from, to := io.Reader(theirIn), io.Writer(theirOut)
	if r != nil {
		from, to = r.Tap(from, to)
	}
	served := make(chan error, 1)
	go func() { served <- server.ServeStdio(context.Background(), from, to) }()
	b.Cleanup(func() {
		_ = in.Close()
		<-served
		for _, f := range []*os.File{theirIn, theirOut, out} {
			_ = f.Close()
		}
	})
	c := &echoer{in, bufio.NewReaderSize(out, 1<<20)}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}`)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.line(b)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":"b","method":"tools/list"}`)
	for line := c.line(b); !bytes.Contains(line, []byte(`"id":"b"`)); line = c.line(b) { // list_changed may come first
	}
	return c
}

func (c *echoer) line(b *testing.B) []byte {
	line, err := c.out.ReadSlice('\n')
	if err != nil {
		b.Fatal(err)
	}
	return line
}

// second makes so many calls, share at a time, and returns how long each took.
func (c *echoer) second(b *testing.B, calls, share int) samples {
	took := make(samples, calls)
	begin := time.Now()
	due := func(i int) time.Time {
		return begin.Add(time.Duration(i/share*share) * time.Second / time.Duration(calls))
	}
	go func() {
		var batch []byte
		for i := range calls {
			batch = fmt.Appendf(batch, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"webmcp_a_test_page0_echo","arguments":{"n":%d,"text":"some words to be echoed"}}}`+"\n", i, i)
			if (i+1)%share == 0 {
				<-time.After(time.Until(due(i)))
				if _, err := c.in.Write(batch); err != nil {
					return // the test says so: nothing is answered
				}
				batch = batch[:0]
			}
		}
	}()
	for range calls {
		line := c.line(b)
		id, rest, _ := bytes.Cut(bytes.TrimPrefix(line, []byte(`{"jsonrpc":"2.0","id":`)), []byte(","))
		n, err := strconv.Atoi(string(id))
		if err != nil || !bytes.Contains(rest, []byte(`some words`)) {
			b.Fatalf("the answer is %s", line)
		}
		took[n] = time.Since(due(n))
	}
	return took
}

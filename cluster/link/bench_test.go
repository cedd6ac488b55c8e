package link

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"webmcphub/cluster/wire"
)

// pair is a gateway and a node with certificates. The node answers pings.
func pair(b *testing.B, receive func(wire.Message)) (gateway *Link, node Peer) {
	b.Helper()
	files := sealed(b, "gateway/g", "node/n")
	open := func(o Options) *Link {
		o.Listen, o.Lost = "127.0.0.1:0", func(p Peer, why error) { b.Log(p, why) }
		l, err := Open(o)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(l.Close)
		return l
	}
	var n *Link
	n = open(Options{Self: Peer{Role: Node, Name: "n"}, TLS: files["node/n"], Receive: func(from Peer, m wire.Message) {
		if ping, ok := m.(wire.Ping); ok {
			_ = n.Send(from, wire.Pong{Seq: ping.Seq})
		}
	}})
	gateway = open(Options{Self: Peer{Role: Gateway, Name: "g"}, TLS: files["gateway/g"], Receive: func(_ Peer, m wire.Message) { receive(m) }})
	return gateway, Peer{Node, "n", n.Addr()}
}

// processor is what this process has taken of it since its start.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRoundTrip is one small message there and one back, with TLS. What it takes of the
// processor, on both sides together, changes less than the time where the machine does much else.
func BenchmarkRoundTrip(b *testing.B) {
	back := make(chan struct{}, 1)
	gateway, node := pair(b, func(wire.Message) { back <- struct{}{} })
	_ = gateway.Send(node, wire.Ping{})
	<-back
	b.ReportAllocs()
	var took []time.Duration
	before := processor()
	for b.Loop() {
		from := time.Now()
		_ = gateway.Send(node, wire.Ping{})
		<-back
		took = append(took, time.Since(from))
	}
	b.ReportMetric(float64((processor()-before).Microseconds())/float64(b.N), "cpu-µs/op")
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkMessages is how many small messages go there and back, as fast as they are taken.
func BenchmarkMessages(b *testing.B) {
	back := make(chan struct{}, 1000)
	gateway, node := pair(b, func(wire.Message) { back <- struct{}{} })
	window := make(chan struct{}, 1000)
	go func() {
		for range back {
			<-window
		}
	}()
	for b.Loop() {
		window <- struct{}{}
		if err := gateway.Send(node, wire.Ping{}); err != nil {
			b.Fatal(err)
		}
	}
	for range cap(window) {
		window <- struct{}{}
	}
	close(back)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "round-trips/s")
}

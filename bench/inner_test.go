package bench

import (
	"context"
	"io"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"webmcphub/bench/storm/hubs"
	"webmcphub/cdpclient"
)

// innerHub is a hub in this process, over pipes of the system too, so that
// -cpuprofile, -memprofile and -trace show it, and with a watch at each of its doors.
type innerHub struct {
	*client
	hub    hubs.Hub
	cancel context.CancelFunc
	served chan error
	ends   []io.Closer

	crossed crossings
}

func startInnerHub(b testing.TB, at *browser) *innerHub {
	b.Helper()
	theirIn, in, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	h := &innerHub{client: newClient(in, out), served: make(chan error, 1), ends: []io.Closer{theirIn, theirOut, in, out}}
	h.hub = hubs.Start(func(ctx context.Context) (cdpclient.Wire, error) {
		wire, err := cdpclient.DialWebSocket(ctx, at.endpoint, nil)
		return timedWire{wire, &h.crossed}, err
	}, 0, nil)
	var ctx context.Context
	ctx, h.cancel = context.WithCancel(context.Background())
	go func() {
		h.served <- h.hub.Serve(ctx, timedReader{theirIn, &h.crossed}, timedWriter{theirOut, &h.crossed})
	}()
	h.hello(b)
	return h
}

func (h *innerHub) end(b testing.TB) {
	h.in.Close()
	<-h.served
	h.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := h.hub.Stop(ctx); err != nil {
		b.Error(err)
	}
	for _, c := range h.ends {
		c.Close()
	}
}

// crossings are the moments at which something last passed a door of the hub,
// in nanoseconds. One call at a time gives them meaning.
type crossings struct {
	fromClient, toChrome, fromChrome, toClient atomic.Int64
}

func stamp(at *atomic.Int64) { at.Store(time.Now().UnixNano()) }

type timedReader struct {
	io.Reader
	at *crossings
}

func (r timedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	stamp(&r.at.fromClient)
	return n, err
}

type timedWriter struct {
	io.Writer
	at *crossings
}

func (w timedWriter) Write(p []byte) (int, error) {
	stamp(&w.at.toClient)
	return w.Writer.Write(p)
}

type timedWire struct {
	cdpclient.Wire
	at *crossings
}

func (w timedWire) Read() ([]byte, error) {
	msg, err := w.Wire.Read()
	stamp(&w.at.fromChrome)
	return msg, err
}

func (w timedWire) Write(msg []byte) error {
	stamp(&w.at.toChrome)
	return w.Wire.Write(msg)
}

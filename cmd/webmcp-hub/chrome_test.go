package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"testing"
	"time"

	"webmcphub/mcpserver/share"
)

// TestTakeOverOfNoChrome: what no owner says of a Chrome is not acted on. A process
// group that is killed by the number 0 or 1 is this process's own, or every one.
func TestTakeOverOfNoChrome(t *testing.T) {
	for _, note := range []string{`{}`, `{"pid":1,"owners":1}`, `{"pid":-7,"owners":1}`, `{"pid":7,"owners":0}`, `{"pid":7,"owners":9223372036854775807}`, `null`} {
		in, to, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		from, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = out.Close()
		c := &OwnedChrome{Shared: true}
		if c.TakeOver(t.Context(), share.Files{Note: []byte(note), Open: []*os.File{from, to}}, "", nil, slog.New(slog.DiscardHandler)) {
			t.Errorf("%s was taken over", note)
		}
		if told, err := io.ReadAll(in); err != nil || len(told) > 0 {
			t.Errorf("%s was told %q (%v)", note, told, err)
		}
		_ = in.Close()
	}
}

// TestCloseAfterAHubThatDidNotStop: the hub still has the wire when its time to stop is
// over. Nothing of this process may reach Chrome once another one goes on with it.
func TestCloseAfterAHubThatDidNotStop(t *testing.T) {
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { // Chrome, until nobody speaks to it any more
		defer out.Close()
		said := bufio.NewReader(in)
		for {
			msg, err := said.ReadBytes(0)
			if err != nil {
				over <- err
				return
			}
			var m struct{ ID int }
			if json.Unmarshal(msg[:len(msg)-1], &m) == nil {
				_, _ = fmt.Fprintf(out, `{"id":%d,"result":{}}`+"\x00", m.ID)
			}
		}
	}()
	released := 0
	hold := func(context.Context, string) (func(), error) { return func() { released++ }, nil }
	c := &OwnedChrome{Shared: true}
	note := fmt.Appendf(nil, `{"pid":%d,"owners":1}`, 1<<30) // no process has this number
	if !c.TakeOver(t.Context(), share.Files{Note: note, Open: []*os.File{from, to}}, "", hold, slog.New(slog.DiscardHandler)) {
		t.Fatal("not taken over")
	}
	wire, err := c.Dialer(nil).Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.Leave()
	c.Close()
	_ = in.SetReadDeadline(time.Now().Add(10 * time.Second)) // so that it fails
	if err := <-over; err != io.EOF {
		t.Errorf("Chrome can still be spoken to: %v", err)
	}
	_ = wire.Close() // the hub, later
	if released != 1 {
		t.Errorf("the profile was released %d times", released)
	}
}

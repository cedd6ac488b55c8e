package extlink_test

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/extlink"
	"webmcphub/extlink/exttest"
	"webmcphub/internal/fakeclock"
)

// peer is a connection and what its inbox got.
type peer struct {
	t    *testing.T
	wire *exttest.Wire
	conn *extlink.Conn
	log  lines

	mu   sync.Mutex
	got  []extlink.Message
	owed int
	hold bool // nothing is handled
}

type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

func newPeer(t *testing.T) *peer {
	p := &peer{t: t, wire: exttest.NewWire()}
	started := make(chan struct{})
	p.conn = extlink.NewConn(p.wire, extlink.Connect{}, slog.New(slog.NewTextHandler(&p.log, nil)), func(m extlink.Message, cost int) {
		<-started
		p.mu.Lock()
		p.got = append(p.got, m)
		p.owed += cost
		hold := p.hold
		p.mu.Unlock()
		if !hold {
			p.conn.Handled(cost)
		}
	})
	close(started)
	if first, _ := p.wire.Next(); first != `{"type":"connect"}` {
		t.Errorf("the greeting is %s", first)
	}
	t.Cleanup(func() { _ = p.wire.Close(); <-p.conn.Done() })
	return p
}

func (p *peer) messages() []extlink.Message {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.got
}

func (p *peer) closed() error {
	p.t.Helper()
	all := p.messages()
	if len(all) == 0 {
		p.t.Fatal("nothing came")
	}
	last, ok := all[len(all)-1].(extlink.Closed)
	if !ok {
		p.t.Fatalf("the last message is %T", all[len(all)-1])
	}
	return last.Err
}

// TestSilence: pings keep a connection, silence ends it.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		for range 10 {
			fakeclock.Elapse(20 * time.Second)
			p.wire.Say(`{"type":"ping"}`)
			if got, _ := p.wire.Next(); got != `{"type":"pong"}` {
				t.Fatalf("the answer to a ping is %s", got)
			}
		}
		fakeclock.Elapse(extlink.Silence - time.Second)
		if n := len(p.messages()); n != 0 {
			t.Fatalf("%d messages", n)
		}
		fakeclock.Elapse(2 * time.Second)
		if err := p.closed(); !strings.Contains(err.Error(), "sent nothing for 1m0s") {
			t.Errorf("it ended with %v", err)
		}
		if p.wire.Code() != extlink.ClosePolicy {
			t.Errorf("the code is %d", p.wire.Code())
		}
	})
}

// TestBadMessages: they are logged at a bounded rate, and the next is read.
func TestBadMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		for range 500 {
			p.wire.Say(`{"type":"tabClosed"}`)
			p.wire.Say(`nonsense`)
			p.wire.SayTooMuch()
		}
		p.wire.Say(`{"type":"toolsChanged","tabId":1,"tools":[{}]}`)
		p.wire.Say(`{"type":"tabClosed","tabId":7}`)
		got := p.messages()
		if len(got) != 2 || got[1] != (extlink.TabClosed{TabID: 7}) {
			t.Errorf("got %v", got)
		}
		if n := p.log.count("is ignored"); n < 1 || n > 20 {
			t.Errorf("%d log lines", n)
		}
		fakeclock.Elapse(10 * time.Second)
		p.wire.Say(`nonsense`)
		synctest.Wait()
		if p.log.count("unsaid=149") == 0 {
			t.Error("the log doesn't say how many it left out")
		}
	})
}

// TestUnhandled: reading stops while the owner can't keep up, and goes on.
func TestUnhandled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		p.hold = true
		const n = 40
		for range n {
			p.wire.Say(`{"type":"toolResult","callId":"c","result":"` + strings.Repeat("x", 200<<10) + `"}`)
		}
		some := len(p.messages())
		if some >= n || some*200<<10 > extlink.MaxUnhandled+200<<10 || p.wire.Unread() == 0 {
			t.Errorf("%d messages were taken, %d wait", some, p.wire.Unread())
		}
		p.mu.Lock()
		owed := p.owed
		p.hold = false
		p.mu.Unlock()
		p.conn.Handled(owed)
		if got := len(p.messages()); got != n {
			t.Errorf("%d messages in the end", got)
		}
	})
}

// TestUnhandledEnds: a reader that waits for its owner ends with the connection.
func TestUnhandledEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		p.hold = true
		for range 3 {
			p.wire.Say(`{"type":"toolResult","callId":"c","result":"` + strings.Repeat("x", extlink.MaxUnhandled) + `"}`)
		}
		synctest.Wait()
		p.conn.Close(extlink.CloseReplaced, "replaced")
		if err := p.closed(); err == nil || p.wire.Code() != extlink.CloseReplaced {
			t.Errorf("it ended with %v, %d", err, p.wire.Code())
		}
	})
}

// TestCloseIsBehindWhatWasSent, and before it ends by force where the peer
// doesn't read.
func TestCloseIsBehindWhatWasSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		for i := range 100 {
			p.conn.Send(extlink.CancelTool{CallID: fmt.Sprint(i)})
		}
		p.conn.Close(extlink.CloseGoingAway, "bye")
		p.conn.Send(extlink.Pong{})
		synctest.Wait()
		n := 0
		for {
			if _, ok := p.wire.Next(); !ok {
				break
			}
			n++
		}
		if n != 100 || p.wire.Code() != extlink.CloseGoingAway {
			t.Errorf("%d messages, code %d", n, p.wire.Code())
		}
		p.closed()
	})
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		p.wire.StopReading()
		p.conn.Send(extlink.Pong{})
		synctest.Wait()
		p.conn.Close(extlink.CloseGoingAway, "bye")
		fakeclock.Elapse(2 * time.Second)
		p.closed()
	})
}

// TestDeafPeer: one that has stopped reading is let go before the memory is full.
func TestDeafPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		p.wire.StopReading()
		args := []byte(`"` + strings.Repeat("x", 1<<20) + `"`)
		for range 70 {
			p.conn.Send(extlink.CallTool{CallID: "c", Args: args})
		}
		if err := p.closed(); !strings.Contains(err.Error(), "stopped reading") {
			t.Errorf("it ended with %v", err)
		}
	})
}

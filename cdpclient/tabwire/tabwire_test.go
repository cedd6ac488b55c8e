package tabwire_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/tabwire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer notes commands and answers none.
type peer struct {
	commands chan command
	detached chan struct{}
}

type command struct {
	id              uint64
	session, method string
}

func (p peer) Command(id uint64, session, method string, _ json.RawMessage) {
	p.commands <- command{id, session, method}
}

func (p peer) Detach() { close(p.detached) }

func dial(t *testing.T) (*tabwire.Wire, *cdpclient.Conn, peer) {
	t.Helper()
	p := peer{make(chan command, 10), make(chan struct{})}
	w := tabwire.New("T", p)
	conn := w.Dial()
	t.Cleanup(func() {
		_ = conn.Close()
		<-conn.Done()
	})
	return w, conn, p
}

func attach(t *testing.T, conn *cdpclient.Conn) (browser, tab cdpclient.SessionID) {
	t.Helper()
	var b, s cdpclient.SessionParams
	ctx := context.Background()
	if err := errors.Join(conn.Call(ctx, "", cdpclient.TargetAttachToBrowser, nil, &b),
		conn.Call(ctx, b.SessionID, cdpclient.TargetAttachToTarget, map[string]any{"targetId": "T", "flatten": true}, &s)); err != nil {
		t.Fatal(err)
	}
	return b.SessionID, s.SessionID
}

// TestSessions: commands go to the tab's own session or to a frame's, and what they report comes back there.
func TestSessions(t *testing.T) {
	w, conn, p := dial(t)
	_, tab := attach(t, conn)
	events := make(chan cdpclient.Message, 10)
	conn.Attach(tab, func(m cdpclient.Message) { events <- m })
	taken := make(chan struct{}, 10)
	took := func() { taken <- struct{}{} }

	conn.Post(tab, "Page.enable", nil, "one")
	if c := <-p.commands; c.session != "" || c.method != "Page.enable" {
		t.Errorf("the peer got %+v", c)
	} else {
		w.Event("", "Page.loadEventFired", json.RawMessage(`{"timestamp":1}`), took)
		w.Reply(c.id, json.RawMessage(`{}`), nil, took)
	}
	if e, is := (<-events).(cdpclient.Event); !is || e.Method != "Page.loadEventFired" || string(e.Params) != `{"timestamp":1}` {
		t.Errorf("the event came as %+v", e)
	}
	if r, is := (<-events).(cdpclient.Reply); !is || r.Tag != "one" || r.Err != nil {
		t.Errorf("the reply came as %+v", r)
	}
	conn.Attach("FRAME", func(cdpclient.Message) {})
	conn.Post("FRAME", "DOM.enable", nil, "two")
	c := <-p.commands
	if c.session != "FRAME" {
		t.Errorf("the frame's command went to %q", c.session)
	}
	w.Reply(c.id, nil, &tabwire.Error{Code: -32000, Message: "no"}, took)
	w.Reply(c.id, nil, nil, took) // once more: nobody waits
	for range 4 {
		<-taken // each message is given back once
	}
}

// TestBrowser: what the browser is asked is answered for this tab, and else refused with a reason.
func TestBrowser(t *testing.T) {
	w, conn, _ := dial(t)
	w.Shows("https://a.test/", "A")
	ctx := context.Background()
	var info cdpclient.TargetInfoChanged
	if err := conn.Call(ctx, "", "Target.getTargetInfo", map[string]any{"targetId": "T"}, &info); err != nil || info.TargetInfo.URL != "https://a.test/" {
		t.Errorf("got %+v, %v", info, err)
	}
	for _, method := range []string{"Target.createBrowserContext", "Browser.grantPermissions", "Target.attachToTarget"} {
		if err := conn.Call(ctx, "", method, map[string]any{"targetId": "another"}, nil); err == nil || !strings.Contains(err.Error(), tabwire.Refused) {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// TestLastUser: the wire ends when the last session is detached, and the peer detaches.
func TestLastUser(t *testing.T) {
	_, conn, p := dial(t)
	first, _ := attach(t, conn)
	second, _ := attach(t, conn)
	ctx := context.Background()
	if err := conn.Call(ctx, "", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: first}, nil); err != nil {
		t.Error(err)
	}
	if err := conn.Err(); err != nil {
		t.Errorf("it ended with a user left: %v", err)
	}
	conn.Post("", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: second}, nil)
	<-p.detached
	<-conn.Done()
}

// TestEnd: the end fails what is in flight, with its reason, and gives back what comes later.
func TestEnd(t *testing.T) {
	w, conn, p := dial(t)
	_, tab := attach(t, conn)
	failed := make(chan error, 1)
	go func() { failed <- conn.Call(context.Background(), tab, "Page.enable", nil, nil) }()
	c := <-p.commands
	w.End(errors.New("the user has ended it"))
	if err := <-failed; !errors.Is(err, cdpclient.ErrConnClosed) || !strings.Contains(err.Error(), "the user has ended it") {
		t.Errorf("got %v", err)
	}
	taken := 0
	w.Reply(c.id, nil, nil, func() { taken++ })
	w.Event("", "Page.loadEventFired", nil, func() { taken++ })
	if taken != 2 {
		t.Errorf("%d of 2 late messages were given back", taken)
	}
}

// TestReserved: the wire doesn't end between its being handed out and that user's attaching, and ends if they
// never do.
func TestReserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, conn, p := dial(t)
		ctx := context.Background()
		leave := func(browser cdpclient.SessionID) {
			t.Helper()
			if err := conn.Call(ctx, "", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: browser}, nil); err != nil {
				t.Error(err)
			}
		}
		w.Reserve()
		first, _ := attach(t, conn)
		if !w.Reserve() { // the second user has the connection, and has yet to attach
			t.Fatal("a wire in use can't be reserved")
		}
		if err := conn.Call(ctx, first, cdpclient.TargetAttachToTarget, map[string]any{"targetId": "T"}, nil); err != nil {
			t.Fatal(err) // the first user's second session isn't what the reservation is for
		}
		leave(first)
		if err := conn.Err(); err != nil {
			t.Fatalf("the wire of the second user ended: %v", err)
		}
		<-time.After(tabwire.ReservedFor - time.Second)
		second, _ := attach(t, conn)
		<-time.After(time.Hour)
		if err := conn.Err(); err != nil {
			t.Fatalf("it ended with a user: %v", err)
		}
		w.Reserve()
		w.Reserve()
		leave(second)
		<-time.After(tabwire.ReservedFor - time.Second)
		w.Reserve() // keeps the others, too
		<-time.After(tabwire.ReservedFor - time.Second)
		if err := conn.Err(); err != nil {
			t.Fatalf("it ended before the reservations did: %v", err)
		}
		<-time.After(2 * time.Second)
		<-p.detached
		<-conn.Done()
		if err := conn.Err(); !errors.Is(err, tabwire.ErrUnused) {
			t.Errorf("it ended with %v", err)
		}
		if w.Reserve() {
			t.Error("a wire that has ended can be reserved")
		}
	})
}

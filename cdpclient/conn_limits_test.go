package cdpclient

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// stuckWire never takes a message.
type stuckWire struct{ *memWire }

func (w stuckWire) Write([]byte) error { <-w.closed; return io.ErrClosedPipe }

func TestPostNeverBlocks(t *testing.T) {
	w := stuckWire{newMemWire()}
	l := newLog()
	c := NewConn(w, l.in)
	big := json.RawMessage(`{"x":"` + strings.Repeat("x", 1<<20) + `"}`)
	for range 70 {
		c.Post("", "X.big", big, nil)
	}
	<-c.Done()
	if !strings.Contains(c.Err().Error(), "stopped reading") {
		t.Error(c.Err())
	}
}

func TestBounds(t *testing.T) {
	c, w, browser := start(t)
	for i := range maxKeptEvents + 10 {
		w.say(`{"method":"E","params":%d,"sessionId":"A"}`, i)
	}
	for i := range 2 * maxUnclaimed {
		w.say(`{"method":"E","sessionId":"S%d"}`, i)
	}
	w.say(`{"method":"B.sync"}`)
	browser.expect(t, "B.sync ")
	if n := len(c.sessions); n > maxUnclaimed+1 {
		t.Errorf("%d sessions kept", n)
	}
	for i := range 2 * maxGone {
		w.say(`{"method":"Target.attachedToTarget","params":{"sessionId":"T%d"}}`, i)
		w.say(`{"method":"Target.detachedFromTarget","params":{"sessionId":"T%d"}}`, i)
		<-browser.more
		<-browser.more
	}
	w.say(`{"method":"B.sync"}`)
	<-browser.more
	if len(c.gone) != maxGone || len(c.goneOrder) != maxGone {
		t.Errorf("%d ended sessions kept", len(c.gone))
	}
}

// A session that is known by an event only and was used is kept while a reply is pending, and no longer.
func TestBoundsOfUsedStrangers(t *testing.T) {
	c, w, browser := start(t)
	sync := func() {
		t.Helper()
		w.say(`{"method":"B.sync"}`)
		browser.expect(t, "B.sync ")
	}
	strangers := func(name string) {
		for i := range 2 * maxUnclaimed {
			w.say(`{"method":"E","sessionId":"%s%d"}`, name, i)
		}
		sync()
	}
	const used = maxUnclaimed + 10
	ids := make([]int, used)
	for i := range used {
		w.say(`{"method":"E","sessionId":"U%d"}`, i)
		sync()
		c.Post(SessionID(fmt.Sprint("U", i)), "X.y", nil, i)
		ids[i] = w.command(t).ID
	}
	strangers("S")
	for i := range used {
		if c.sessions[SessionID(fmt.Sprint("U", i))] == nil {
			t.Fatalf("session %d is forgotten before its reply", i)
		}
	}
	for i, id := range ids[1:] {
		if i%2 == 0 {
			w.say(`{"id":%d,"result":{}}`, id)
		} else {
			w.say(`{"id":%d,"error":{"code":1,"message":"no"}}`, id)
		}
	}
	strangers("T")
	if n := len(c.sessions); n > maxUnclaimed+1 {
		t.Errorf("%d sessions kept", n)
	}
	w.say(`{"id":%d,"result":{}}`, ids[0])
	a := newLog()
	c.Attach("U0", a.in)
	a.expect(t, "E ", "reply 0 {}")
}

// Every Post with a tag gets one reply, whatever ends when.
func TestExactlyOneReply(t *testing.T) {
	c, w, _ := start(t)
	var mu sync.Mutex
	got := map[int]int{}
	var wg sync.WaitGroup
	in := func(m Message) {
		if r, ok := m.(Reply); ok {
			mu.Lock()
			got[r.Tag.(int)]++
			mu.Unlock()
			wg.Done()
		}
	}
	for s := range 4 {
		c.Attach(SessionID(fmt.Sprint("S", s)), in)
	}
	const each = 300
	wg.Add(4 * each)
	for s := range 4 {
		go func() {
			for i := range each {
				c.Post(SessionID(fmt.Sprint("S", s)), "X.y", nil, s*each+i)
			}
		}()
	}
	go func() {
		n := 0
		for {
			select {
			case b := <-w.out:
				var m struct{ ID int }
				_ = json.Unmarshal(b, &m)
				n++
				msg := fmt.Sprintf(`{"id":%d,"result":{}}`, m.ID)
				switch {
				case n == 200:
					msg = `{"method":"Target.detachedFromTarget","params":{"sessionId":"S1"}}`
				case n == 300:
					msg = fmt.Sprintf(`{"id":%d,"error":{"code":-32001,"message":"gone"}}`, m.ID)
				case n == 500:
					w.Close()
					return
				case n%7 == 0:
					continue
				}
				select {
				case w.in <- []byte(msg):
				case <-w.closed:
					return
				}
			case <-w.closed:
				return
			}
		}
	}()
	<-c.Done() // what the peer left open ends with the connection
	wg.Wait()
	for tag, n := range got {
		if n != 1 {
			t.Errorf("tag %d: %d replies", tag, n)
		}
	}
	if len(got) != 4*each {
		t.Errorf("%d replies of %d", len(got), 4*each)
	}
}

package mcpserver

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
)

// A client that is gone before it has read what it is asked can't come back: the call ends
// then, and the page's questions are those of other clients again.
func TestRoundsThatNobodyReads(t *testing.T) {
	t.Run("a question", func(t *testing.T) { endsUnread(t, `{"sampling":{}}`, gathering) })
	t.Run("a task", func(t *testing.T) {
		endsUnread(t, `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, TaskAfter)
	})
}

func endsUnread(t *testing.T, can string, answered time.Duration) {
	bubble(t, func(t *testing.T) {
		h := newOfferHub(t)
		ended := h.hangs()
		h.page("A", "https://a.test/")
		w, pipes := h.hub.onPipes(t)
		conn, err := pipes.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequest("POST", w.url, strings.NewReader(ask("1", "tools/call", round{id: "1", can: can}.params())))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Authorization": "Bearer " + testToken, "Content-Type": "application/json", "Accept": "application/json",
			"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "webmcp_a_test_page0_use"} {
			req.Header.Set(name, value)
		}
		if err := req.Write(conn); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		asked := h.asks(t.Context(), sample("A"))
		synctest.Wait()
		fakeclock.Elapse(answered)
		synctest.Wait()
		select {
		case cause := <-ended:
			t.Fatalf("the call ended before: %v", cause)
		default:
		}
		conn.Close()
		synctest.Wait()
		select {
		case <-ended:
		default:
			t.Error("the call goes on, which nobody can continue")
		}
		<-asked
		h.wantGiven(h.asks(t.Context(), sample("A")), "may ask only while it carries out a call")
		fakeclock.Elapse(PageRequestTimeout)
	})
}

package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is a server with three tools, in lists of two.
func scripted(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n")
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Cursor, Name string }
		}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil || r.Header.Get("Authorization") != "Bearer t" {
			t.Errorf("%v %v", err, r.Header)
		}
		w.Header().Set("Content-Type", "application/json")
		say := func(result string) { fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result) }
		switch m.Method + m.Params.Cursor + m.Params.Name {
		case "initialize":
			w.Header().Set("Mcp-Session-Id", "s1")
			say(`{}`)
		case "tools/list":
			say(`{"tools":[{"name":"find_tools"},{"name":"w_page1_k1_t2","description":"version 3. x"}],"nextCursor":"n"}`)
		case "tools/listn":
			say(`{"tools":[{"name":"w_page2_k2_t2","description":"version 0."},{"name":"w_page3_k2_t2","description":"version 0."}]}`)
		case "tools/callgood":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\ndata: ")
			say(`{"content":[{"text":"yes"}]}`)
			fmt.Fprint(w, "\n\n")
		case "tools/callbad":
			say(`{"content":[{"text":"no"}],"isError":true}`)
		case "tools/callunknown":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"unknown tool"}}`, m.ID)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestAgents(t *testing.T) {
	for _, manner := range []Manner{Modern, Session} {
		a := New(scripted(t).URL, "t", manner)
		t.Cleanup(a.Close)
		list, err := a.List(t.Context())
		if err != nil || len(list.Names) != 2 || list.Versions["k1_t2"] != 3 || list.Names["k1_t2"] != "w_page1_k1_t2" {
			t.Fatalf("%+v, %v", list, err)
		}
		err = list.Against(map[string]int{"k1_t2": 4, "k3_t2": 0})
		if want := "4 of 2 tools are wrong in a list of 2 (stale: k1_t2, missing: k3_t2, too many: k2_t2, twice: k2_t2)"; err == nil || err.Error() != want {
			t.Errorf("got %v", err)
		}
		if said, err := a.Call(t.Context(), "good", nil); said != "yes" || err != nil {
			t.Errorf("%q, %v", said, err)
		}
		var failed *ToolFailed
		if _, err := a.Call(t.Context(), "bad", nil); !errors.As(err, &failed) || failed.Text != "no" {
			t.Errorf("got %v", err)
		}
		var refused *Refused
		if _, err := a.Call(t.Context(), "unknown", nil); !errors.As(err, &refused) || refused.Code != -32602 {
			t.Errorf("got %v", err)
		}
	}
}

func TestListening(t *testing.T) {
	a := New(scripted(t).URL, "t", Session)
	defer a.Close()
	n := 0
	err := a.Listen(context.Background(), func() { n++ })
	if err == nil || n != 2 || !strings.Contains(err.Error(), "EOF") {
		t.Errorf("told %d times, %v", n, err)
	}
}

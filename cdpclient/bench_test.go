package cdpclient_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"

	"github.com/gorilla/websocket"
)

// What the connection adds to a call of a page's tool, on a real Chrome:
//
//	go test ./cdpclient -run xxx -bench Invoke -benchtime 3000x
//
// The ways take turns, call by call, so that a noisy machine is noisy for all;
// medians in microseconds. bare is a gorilla websocket that waits for the words
// it needs, conn is the same socket behind a Conn with an inbox that hands over
// to another goroutine, pipe is a Conn over a pipe.

const benchTool = `document.modelContext.registerTool({name:"t",description:"d",inputSchema:{type:"object"},execute:()=>"ok"}).then(()=>1)`

// benchPage prepares a page with a tool and gives its session and main frame.
func benchPage(b *testing.B, c *cdpclient.Conn) (cdpclient.SessionID, string) {
	b.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><p>x"))
	}))
	b.Cleanup(srv.Close)
	ctx := context.Background()
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	var target cdpclient.CreateTargetResult
	must(c.Call(ctx, "", cdpclient.TargetCreateTarget, cdpclient.CreateTargetParams{URL: srv.URL}, &target))
	var s cdpclient.SessionParams
	must(c.Call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &s))
	must(c.Call(ctx, s.SessionID, cdpclient.WebMCPEnable, nil, nil))
	var r cdpclient.EvaluateResult
	for ok := false; !ok; { // until the page is there
		err := c.Call(ctx, s.SessionID, cdpclient.RuntimeEvaluate, cdpclient.EvaluateParams{Expression: benchTool, AwaitPromise: true}, &r)
		ok = err == nil && string(r.Result.Value) == "1"
	}
	return s.SessionID, string(target.TargetID)
}

// connCaller gives a function that makes one call over a Conn.
func connCaller(b *testing.B, w cdpclient.Wire) func() {
	c := cdpclient.NewConn(w, func(cdpclient.Message) {})
	b.Cleanup(func() { _ = c.Close(); <-c.Done() })
	s, frame := benchPage(b, c)
	replied, responded := make(chan string, 1), make(chan string, 4)
	c.Attach(s, func(m cdpclient.Message) {
		switch m := m.(type) {
		case cdpclient.Reply:
			var r cdpclient.InvokeToolResult
			_ = json.Unmarshal(m.Result, &r)
			replied <- r.InvocationID
		case cdpclient.Event:
			if m.Method == cdpclient.WebMCPToolResponded {
				var r cdpclient.ToolResponded
				_ = r.Decode(m.Params)
				responded <- r.InvocationID
			}
		}
	})
	p := cdpclient.InvokeToolParams{FrameID: frame, ToolName: "t", Input: json.RawMessage(`{"n":1}`)}
	return func() {
		c.Post(s, cdpclient.WebMCPInvokeTool, p, 1)
		if <-replied != <-responded {
			b.Fatal("another call's result")
		}
	}
}

func BenchmarkInvoke(b *testing.B) {
	if _, err := launch.Find(""); err != nil {
		b.Skip(err)
	}
	chrome, err := launch.Start(b.Context(), launch.Options{Headless: true, Args: []string{"--disable-gpu", "--remote-debugging-port=0"}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = chrome.Close() })
	var url string
	for url == "" {
		url, _ = cdpclient.ActivePortURL(chrome.UserDataDir)
	}
	w, err := cdpclient.DialWebSocket(b.Context(), url, nil)
	if err != nil {
		b.Fatal(err)
	}
	names := []string{"bare", "conn", "pipe"}
	calls := []func(){bareCaller(b, url), connCaller(b, w), connCaller(b, chrome.Wire)}
	for _, call := range calls {
		for range 100 {
			call()
		}
	}
	took := make([][]time.Duration, len(calls))
	for b.Loop() {
		for i, call := range calls {
			start := time.Now()
			call()
			took[i] = append(took[i], time.Since(start))
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, name := range names {
		slices.Sort(took[i])
		b.ReportMetric(float64(took[i][len(took[i])/2].Nanoseconds())/1e3, name+"-µs")
	}
}

// bareCaller makes calls on a socket without a Conn.
func bareCaller(b *testing.B, url string) func() {
	w, err := cdpclient.DialWebSocket(b.Context(), url, nil)
	if err != nil {
		b.Fatal(err)
	}
	c := cdpclient.NewConn(w, func(cdpclient.Message) {})
	defer func() { _ = c.Close(); <-c.Done() }()
	_, frame := benchPage(b, c)
	ws, _, err := websocket.DefaultDialer.Dial(url, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = ws.Close() })
	say := func(text string) {
		if err := ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
			b.Fatal(err)
		}
	}
	hear := func(text string) string {
		for {
			_, msg, err := ws.ReadMessage()
			if err != nil {
				b.Fatal(err)
			}
			if strings.Contains(string(msg), text) {
				return string(msg)
			}
		}
	}
	say(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"` + frame + `","flatten":true}}`)
	var r struct{ Result cdpclient.SessionParams }
	if err := json.Unmarshal([]byte(hear(`"id":1`)), &r); err != nil {
		b.Fatal(err)
	}
	id := string(r.Result.SessionID)
	say(`{"id":2,"method":"WebMCP.enable","sessionId":"` + id + `"}`)
	hear(`"id":2`)
	call := `{"id":3,"method":"WebMCP.invokeTool","sessionId":"` + id + `","params":{"frameId":"` + frame + `","toolName":"t","input":{"n":1}}}`
	return func() {
		say(call)
		hear(`WebMCP.toolResponded`)
	}
}

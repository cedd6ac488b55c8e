package mcpbhub

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/extlink"
	"webmcphub/extlink/exttest"
	"webmcphub/internal/fakeclock"
)

// A tool's own _meta and extensions are told in its _meta; the registration's
// extensions are not, for they are between the proxy and the hub.
func TestToolsBringTheirExtensions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := connect(t)
		tools := func(list string) string { return strings.Replace(register, `{"name":"x","inputSchema":{}}`, list, 1) }
		p.says(strings.Replace(tools(`{"name":"x","inputSchema":{}}`), `"tabUrl"`, `"extensions":{"token":"secret"},"tabUrl"`, 1))
		p.hears(connected, tools1)
		for _, step := range []struct{ says, hub string }{
			{`{"name":"x","inputSchema":{},"_meta":{"a/b":1}}`, `{"name":"x","inputSchema":{},"_meta":{"a/b":1}}`},
			{`{"name":"x","inputSchema":{},"extensions":{"e":[1]}},{"name":"y","inputSchema":{}}`, `{"_meta":{"mcp-b/extensions":{"e":[1]}},"inputSchema":{},"name":"x"},{"name":"y","inputSchema":{}}`},
			{`{"name":"x","inputSchema":{},"extensions":{"e":1},"_meta":{"mcp-b/extensions":2,"a/b":1}}`, `{"_meta":{"a/b":1,"mcp-b/extensions":{"e":1}},"inputSchema":{},"name":"x"}`},
			{`{"name":"x","inputSchema":{},"extensions":{"e":1},"_meta":7}`, `{"_meta":{"mcp-b/extensions":{"e":1}},"inputSchema":{},"name":"x"}`},
			{`{"name":"x","inputSchema":{},"runtime":"dom","frameId":3,"FrameURL":"https://bank.test/","DOC":"9","Origin":"https://bank.test"},{"name":"y","inputSchema":{}}`, `{"inputSchema":{},"name":"x"},{"name":"y","inputSchema":{}}`},
			{`{"name":"x","inputSchema":{},"extensions":[1]}`, `{"name":"x","inputSchema":{},"extensions":[1]}`},
			{`{"name":"x","inputSchema":{"properties":{"extensions":{}}}}`, `{"name":"x","inputSchema":{"properties":{"extensions":{}}}}`},
		} {
			say := p.says
			if strings.Contains(step.says, `"_meta":7`) || strings.Contains(step.says, `"extensions":[`) {
				say = p.misspeaks // and is understood all the same
			}
			for range 2 { // the second time it is no news
				say(tools(step.says))
			}
			p.hears(`{"type":"toolsChanged","tabId":1,"doc":"1","tools":[` + step.hub + `]}`)
		}
		p.close()
	})
}

// What a result brings beside its payload is told beside it, be it a success or not.
func TestResultsBringTheirExtensions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := connect(t)
		for _, step := range []struct{ says, hub string }{
			{`"success":true,"payload":1,"extensions":{"e":[1]}`, `"result":1,"_meta":{"mcp-b/extensions":{"e":[1]}}`},
			{`"success":true,"payload":{"content":[]},"_meta":{"a/b":1}`, `"result":{"content":[]},"_meta":{"a/b":1}`},
			{`"success":false,"payload":"no","_meta":{"a/b":1},"extensions":{"e":1}`, `"error":"no","_meta":{"a/b":1,"mcp-b/extensions":{"e":1}}`},
			{`"success":true,"payload":1,"_meta":[],"extensions":"x"`, `"result":1`},
		} {
			say := p.says
			if strings.Contains(step.says, `"_meta":[]`) {
				say = p.misspeaks
			}
			say(`{"jsonrpc":"2.0","id":"7","result":{` + step.says + `}}`)
			p.hears(`{"type":"toolResult","callId":"7",` + step.hub + `}`)
		}
		p.close()
	})
}

// What a proxy floods the hub with fills no log.
func TestFloodsAreLoggedNowAndThen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var log bytes.Buffer
		w := exttest.NewWire()
		hub := extlink.NewConn(Translate(w, extlink.Capabilities{}), extlink.Connect{}, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), func(extlink.Message, int) {})
		flood := func() {
			for range 100 {
				w.Say(`{"jsonrpc":"2.0","id":7,"result":{}}`)
				w.Say(`{"jsonrpc":"2.0","method":"browser/updateTools","params":{},"more":"` + strings.Repeat("x", 1000) + `"}`)
				w.SayTooMuch()
			}
			synctest.Wait()
		}
		flood()
		if n := strings.Count(log.String(), "ignored"); n != 10 {
			t.Errorf("%d lines, want 10", n)
		}
		fakeclock.Elapse(2 * time.Second)
		flood()
		if n := strings.Count(log.String(), "ignored"); n != 12 || !strings.Contains(log.String(), "unsaid=290") {
			t.Errorf("%d lines, want 12:\n%s", n, &log)
		}
		hub.Close(extlink.CloseGoingAway, "")
		<-hub.Done()
	})
}

package mcpserver

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"

	"webmcphub/internal/browsertool"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// line has one tool, which answers when there is something to give.
type line struct{ given chan string }

func (l line) Tools(string) []browsertool.Tool {
	return []browsertool.Tool{{Name: "wait_in_line", Input: json.RawMessage(`{"type":"object"}`), Encoded: json.RawMessage(`{"name":"wait_in_line","inputSchema":{"type":"object"}}`),
		OwnTime: true, Arguments: func(args json.RawMessage) json.RawMessage { return args }}}
}

func (l line) ClientGone(string) {}

func (l line) Call(context.Context, browsertool.Call) registry.Result {
	return sanitize.TextResult(<-l.given)
}

// A client that waits in line, maybe for minutes, hears at once what changes meanwhile.
func TestNoChangeWaitsForALine(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := line{make(chan string)}
		h := newHub(t, nil, func(o *Options, _ *registry.Options) { o.Automation = l })
		h.page("A", "https://a.test/", "add")
		c := h.connect(true)
		c.handshake()
		c.list()
		c.send(callLine("1", "wait_in_line", `{}`))
		synctest.Wait()
		h.change(tools("A", 1))
		c.expect(listChanged)
		l.given <- "yours"
		c.expect(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"yours"}]}}`)
		c.hangUp()
	})
}

package trust_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"testing"

	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
	"webmcphub/trust"
	"webmcphub/trust/flow"
	"webmcphub/trust/rules"
)

type answersAtOnce struct{}

func (answersAtOnce) Call(context.Context, calls.Call) registry.Result {
	return sanitize.TextResult("done")
}

// BenchmarkCalls calls a page's tool over stdio through the server, with nobody who decides,
// with 1,000 rules, and with these, limits and flows.
func BenchmarkCalls(b *testing.B) {
	var all []*rules.Rule
	for i := range 1000 {
		r, err := rules.Parse(rules.Deny, fmt.Sprintf("origin=https://*.site%d.example tool=transfer*", i), "bench")
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, r)
	}
	set, err := rules.NewSet(all)
	if err != nil {
		b.Fatal(err)
	}
	policy := trust.NewPolicy(set)
	for name, o := range map[string]*trust.Options{
		"off": nil, "nothing set": {}, "1000 rules": {Rules: policy},
		"1000 rules, rates and flow": {Rules: policy, Rates: trust.NewRateDecider(1<<30, 1<<30, 1<<30), Flow: trust.NewFlowDecider(flow.Options{Mode: flow.Enforce}, nil)},
	} {
		b.Run(name, func(b *testing.B) { benchCalls(b, o) })
	}
}

func benchCalls(b *testing.B, o *trust.Options) {
	var oversight calls.Oversight
	if o != nil {
		oversight.Trust = trust.New(*o)
	}
	s := mcpserver.New(mcpserver.Options{Oversight: oversight}, answersAtOnce{})
	state := registry.NewState(registry.Options{})
	for _, e := range []registry.Event{registry.PageOpened{Page: "A", URL: "https://shop.example/"}, registry.Navigated{Page: "A", Gen: 1, URL: "https://shop.example/"},
		registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{{Frame: "F", Doc: 1, Runtime: offer.Native, Name: "buy"}}}, registry.FlushDue{}, registry.FlushDue{}} {
		s.Apply(state.Step(e))
	}
	toServer, to := io.Pipe()
	from, fromServer := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() { defer close(served); _ = s.ServeStdio(ctx, toServer, fromServer) }()
	defer func() { cancel(); _ = to.Close(); _ = from.Close(); <-served }()
	lines := bufio.NewScanner(from)
	ask := func(line string) {
		if _, err := io.WriteString(to, line+"\n"); err != nil || !lines.Scan() {
			b.Fatal(err)
		}
	}
	ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	if _, err := io.WriteString(to, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"webmcp_shop_example_page0_buy","arguments":{"n":1}}}`, i+1))
	}
}

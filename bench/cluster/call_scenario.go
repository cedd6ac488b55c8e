package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"webmcphub/bench/cluster/agent"
	"webmcphub/bench/cluster/fleet"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
	"webmcphub/internal/proctest"
)

// wayBound is how much longer a call may take by a gateway and a node than by the hub of one
// machine, at the median.
const wayBound = 500 * time.Microsecond

// echoPage registers the tool of a fleet's first browser, in a real Chromium.
const echoPage = `<!doctype html><title>echo</title><script>
document.modelContext.registerTool({
	name: "k0_echo", description: "version 0. Says again what it is told.",
	inputSchema: {type: "object", properties: {text: {type: "string", description: "what to say"}}, required: ["text"]},
	execute: async ({text}) => ({content: [{type: "text", text: "k0 says " + text + "."}]}),
});
</script>`

// way is one of the ways that are compared, and what was seen of it.
type way struct {
	name  string
	view  *View
	by    []*proctest.Process // what carries calls out, beside Chromium
	took  []time.Duration
	spent proctest.Usage
}

// inTurn is how many calls one way has in a row.
const inTurn = 20

// calls: the same page of a real Chromium is called by the hub of one machine and by way of a
// gateway and a node, in turns. Both are attached to the page all the time, and clients reach both
// by HTTP.
func calls(ctx context.Context, r *run) error {
	browser, err := openChromium(ctx)
	if err != nil {
		return err
	}
	defer browser.close()
	c, err := r.start(ctx, func(o *Options) { o.Attach = browser.url })
	if err != nil {
		return err
	}
	defer c.Close()
	hub, base, err := c.singleHub(ctx, r.folder, browser.url)
	if err != nil {
		return err
	}
	defer func() { _ = hub.Kill() }()
	_, nodes, gateways := c.Processes()
	ways := []*way{{name: "the hub", by: []*proctest.Process{hub}},
		{name: "gateway and node", by: append(nodes, gateways...)}}
	for i, at := range []string{base, "http://" + c.GatewayList[0].Address} {
		ways[i].view = NewView(ctx, i, agent.New(at, "", agent.Session))
		defer ways[i].view.Close()
		if err := ways[i].await(ctx); err != nil {
			return err
		}
	}
	for round := range 100 * r.rounds / inTurn {
		for _, w := range ways {
			if err := w.turn(ctx, round); err != nil {
				return fmt.Errorf("by %s: %w", w.name, err)
			}
		}
	}
	for _, w := range ways {
		r.Figure("a call by "+w.name, "p50 %s, p99 %s of %d; %s of the processor", short(Quantile(w.took, 0.5)),
			short(Quantile(w.took, 0.99)), len(w.took), short(w.spent.CPU/time.Duration(len(w.took))))
	}
	more := Quantile(ways[1].took, 0.5) - Quantile(ways[0].took, 0.5)
	r.Figure("p50 by way of the node is longer by", "%s (bound %s)", short(more), wayBound)
	if more > wayBound {
		r.Fail("a call by way of a node takes %s longer at the median, and %s is the bound", short(more), wayBound)
	}
	return nil
}

// await waits until the page's tool is listed.
func (w *way) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	if _, err := w.view.Await(ctx,
		func(l *agent.List) error { return l.Against(map[string]int{fleet.Echo(0): 0}) }); err != nil {
		return fmt.Errorf("the page's tool, by %s: %w", w.name, err)
	}
	return nil
}

// turn calls the page. The first turn is to warm up.
func (w *way) turn(ctx context.Context, round int) error {
	before, err := proctest.Total(w.by)
	if err != nil {
		return err
	}
	var took []time.Duration
	for n := range inTurn {
		call := one(ctx, w.view, 0, w.view.Name(fleet.Echo(0)), fmt.Sprintf("%d %d", round, n))
		if call.Err != nil {
			return call.Err
		}
		took = append(took, call.Ended.Sub(call.Begun))
	}
	after, err := proctest.Total(w.by)
	if err == nil && round > 0 {
		w.took, w.spent = append(w.took, took...), w.spent.Plus(after.Minus(before))
	}
	return err
}

// chromium is a real one with a page that echoes.
type chromium struct {
	chrome *launch.Chrome
	pipe   *cdpclient.Conn
	pages  *httptest.Server
	url    string // of its debugging port
}

func openChromium(ctx context.Context) (*chromium, error) {
	c := &chromium{pages: httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, echoPage)
	}))}
	var err error
	c.chrome, err = launch.Start(ctx,
		launch.Options{Headless: true, Args: []string{"--remote-debugging-port=0", "--disable-gpu", c.pages.URL}})
	if err != nil {
		c.pages.Close()
		return nil, err
	}
	c.pipe = cdpclient.NewConn(c.chrome.Wire, func(cdpclient.Message) {})
	endpoint, err := cdpclient.ActivePortURL(c.chrome.UserDataDir)
	if err != nil {
		c.close()
		return nil, err
	}
	c.url = "http://" + strings.Split(strings.TrimPrefix(endpoint, "ws://"), "/")[0]
	return c, nil
}

func (c *chromium) close() {
	c.pipe.Close()
	_ = c.chrome.Close() // its profile is a temporary one
	c.pages.Close()
}

// singleHub starts the hub of one machine for the same browser.
func (c *Cluster) singleHub(ctx context.Context, folder, browserURL string) (*proctest.Process, string, error) {
	path, err := Build(ctx, folder, "webmcp-hub")
	if err != nil {
		return nil, "", err
	}
	ports, err := proctest.FreePorts(1)
	if err != nil {
		return nil, "", err
	}
	p, err := proctest.Start("hub", c.folder, path, []string{"serve", "--browser-url", browserURL, "--listen", ports[0],
		"--no-token", "--no-stdio"}, os.Environ())
	if err != nil {
		return nil, "", err
	}
	base := "http://" + ports[0]
	within, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	a := agent.New(base, "", agent.Modern)
	defer a.Close()
	if err := proctest.Await(within, p, func() error {
		list, err := a.List(within)
		if err == nil && len(list.Names) == 0 {
			err = errors.New("the page's tool isn't listed")
		}
		return err
	}); err != nil {
		_ = p.Kill()
		return nil, "", err
	}
	return p, base, nil
}

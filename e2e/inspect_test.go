package e2e

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// inspectedPage has a tool that says something to the console, and says something itself.
const inspectedPage = `<!doctype html><meta charset=utf-8><title>Shop</title><script>
console.warn("the shop <opens>");
document.modelContext.registerTool({
  name: "search", description: "Finds products.", inputSchema: { type: "object", properties: { words: { type: "string" } }, required: ["words"] },
  execute: ({ words }) => { console.log("searching " + words); setTimeout(() => { throw new Error("nobody catches " + words) }); return "found " + words; },
});
</script>`

var nonceOf = regexp.MustCompile(`name="nonce" value="(\w+)"`)

// TestInspect: the command opens a page in a Chrome that runs, shows its tools and what its
// console says, calls a tool by hand, and closes the page when it ends. Other tabs aren't
// shown.
func TestInspect(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, inspectedPage)
	}))
	t.Cleanup(server.Close)
	c := nativeChrome(t)
	other := c.open(t, pages.url("plain.html", "of=another"))
	i := startInspect(t, "--browser-url", c.browserURL(), server.URL+"/shop")
	i.shows("search", "Finds products.", "the shop &lt;opens&gt;", `<td>warn`)
	if text := i.get(""); strings.Contains(text, "of=another") {
		t.Errorf("another tab is shown: %s", text)
	}

	tool := toolOf.FindStringSubmatch(i.get(""))
	if tool == nil {
		t.Fatalf("the tool can't be tried: %s", i.get(""))
	}
	try := nonceOf.FindStringSubmatch(i.get("try?tool=" + tool[1]))
	if try == nil {
		t.Fatalf("the form is %s", i.get("try?tool="+tool[1]))
	}
	i.post(url.Values{"do": {"call"}, "of": {tool[1]}, "nonce": {try[1]}, "arg.words": {"tea"}})
	i.shows("searching tea", "nobody catches tea", `<span class="pill good">ok`)
	if text := i.get("?call=1"); !strings.Contains(text, "found tea") {
		t.Errorf("the call's details: %s", text)
	}

	p := i.page(c, other)
	p.crash()
	i.shows("It isn&#39;t heard now")
	p.page("Page.reload", nil, nil)
	poll(t, "what was said before and after the crash isn't shown", func() bool {
		text := i.get("")
		return strings.Count(text, "the shop &lt;opens&gt;") == 2 && strings.Contains(text, "searching tea")
	})

	if err := i.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := i.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v: %s", err, i.errs)
	}
	poll(t, "the page that was inspected is still open", func() bool {
		ids, err := c.pageTargets(t.Context())
		return err == nil && len(ids) == 1
	})
}

var toolOf = regexp.MustCompile(`try\?tool=(\w+)`)

// inspecting is the command, and a browser that it has let in.
type inspecting struct {
	t       *testing.T
	cmd     *exec.Cmd
	out     *log
	errs    *log
	client  http.Client
	address string
}

func startInspect(t *testing.T, args ...string) *inspecting {
	t.Helper()
	i := &inspecting{t: t, out: &log{}, errs: &log{}}
	i.cmd = exec.Command(hubUnderTest(t), append([]string{"inspect", "--print", "--timeout", "60s"}, args...)...)
	i.cmd.Stdout, i.cmd.Stderr, i.cmd.Env = i.out, i.errs, environ(t)
	i.cmd.WaitDelay = patience
	if err := i.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = i.cmd.Process.Kill()
		_ = i.cmd.Wait() // it has ended, unless the test failed
		i.errs.check(t)
	})
	i.out.wait(t, "\n")
	link, err := url.Parse(strings.TrimSpace(i.out.String()))
	if err != nil || link.Query().Get("token") == "" {
		t.Fatalf("it prints %q", i.out)
	}
	if i.client.Jar, err = cookiejar.New(nil); err != nil {
		t.Fatal(err)
	}
	i.address = "http://" + link.Host + link.Path
	i.get("?" + link.RawQuery)
	return i
}

// page is the tab that the command has opened beside another.
func (i *inspecting) page(c *chrome, other *tab) *tab {
	i.t.Helper()
	ids, err := c.pageTargets(i.t.Context())
	at := slices.IndexFunc(ids, func(id string) bool { return id != other.target })
	if err != nil || at < 0 {
		i.t.Fatalf("the tabs are %q (%v)", ids, err)
	}
	p := &tab{t: i.t, chrome: c, target: ids[at]}
	p.attach()
	return p
}

// get is a part of the live page.
func (i *inspecting) get(what string) string {
	i.t.Helper()
	answer, err := i.client.Get(i.address + what)
	if err != nil {
		i.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		i.t.Fatalf("%s: %s, %s (%v)", what, answer.Status, text, err)
	}
	return string(text)
}

// post sends a form of the live page.
func (i *inspecting) post(form url.Values) {
	i.t.Helper()
	r, err := http.NewRequest(http.MethodPost, i.address+"do", strings.NewReader(form.Encode()))
	if err != nil {
		i.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://"+r.URL.Host)
	answer, err := i.client.Do(r)
	if err != nil {
		i.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(answer.Body)
		i.t.Fatalf("%s: %s", answer.Status, text)
	}
}

// shows waits until the live page has all these texts.
func (i *inspecting) shows(texts ...string) {
	i.t.Helper()
	for _, text := range texts {
		poll(i.t, "the live page doesn't show "+text, func() bool { return strings.Contains(i.get(""), text) })
	}
}

// TestInspectRefuses: what can't be inspected is said, with check's exit codes.
func TestInspectRefuses(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0) // Chrome refuses its certificate
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)
	for _, row := range []struct {
		args string
		code int
		says string
	}{
		{"", 2, "inspect needs the address of the page"},
		{"localhost:3000", 2, "http://"},
		{"--timeout 0s https://a.example/", 2, "--timeout"},
		{"--ui=nowhere:x https://a.example/", 2, "--ui"},
		{"--headless --browser-url http://127.0.0.1:1 https://a.example/", 2, "--headless"},
		{"--channel beta --browser-url http://127.0.0.1:1 https://a.example/", 2, "inspect starts"},
		{"--browser-url http://127.0.0.1:1 https://a.example/", 3, "127.0.0.1:1"},
		{"--executable-path /nonexistent/chrome https://a.example/", 3, "/nonexistent/chrome"},
		{"--timeout 60s --browser-url " + c.browserURL() + " http://127.0.0.1:1/", 3, "doesn't load: net::ERR_UNSAFE_PORT; Chrome opens no pages of that port"},
		{"--timeout 60s --browser-url " + c.browserURL() + " " + untrusted.URL, 3, "net::ERR_CERT_AUTHORITY_INVALID; Chrome doesn't trust its certificate; go past its warning in the Chrome of --browser-url"},
	} {
		out, errs, code := runHub(t, append([]string{"inspect", "--print"}, strings.Fields(row.args)...)...)
		if code != row.code || !strings.Contains(errs, row.says) || out != "" {
			t.Errorf("inspect %s: exit code %d, want %d, and %q on standard error:\n%s%s", row.args, code, row.code, row.says, out, errs)
		}
	}
}

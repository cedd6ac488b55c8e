package launch

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"webmcphub/cdpclient"
)

const helperEnv = "CDPCLIENT_LAUNCH_HELPER"

// launchHelper is this test binary as a hub that will be killed: it starts
// Chrome, says where, and waits for the end.
func launchHelper() {
	chrome, err := Start(context.Background(), Options{
		Headless: true, UserDataDir: os.Getenv(helperEnv), Args: []string{"--disable-gpu"}})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	conn := cdpclient.NewConn(chrome.Wire, func(cdpclient.Message) {})
	var r cdpclient.CreateTargetResult
	err = conn.Call(context.Background(), "", cdpclient.TargetCreateTarget, cdpclient.CreateTargetParams{URL: "data:text/html,<title>x</title>"}, &r)
	fmt.Println(chrome.PID, err)
	select {}
}

func TestLaunchDiesWithUs(t *testing.T) {
	needChrome(t)
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("needs /proc")
	}
	t.Run("running", func(t *testing.T) { testDiesWithUs(t, false) })
	// A hung browser does not notice that its pipe closed.
	t.Run("hung", func(t *testing.T) { testDiesWithUs(t, true) })
}

func testDiesWithUs(t *testing.T, hang bool) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), helperEnv+"="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if !strings.HasSuffix(line, " <nil>\n") {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		t.Fatalf("helper: %s", line)
	}
	pid, _, _ := strings.Cut(line, " ")
	if family := group(pid); len(family) < 3 {
		t.Errorf("expected a browser and its helpers, saw %v", family)
	}
	if hang {
		if err := exec.Command("kill", "-STOP", pid).Run(); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Process.Kill(); err != nil { // SIGKILL: no clean-up of ours runs
		t.Fatal(err)
	}
	_ = cmd.Wait()
	waitFor(t, time.Minute, func() bool { return len(group(pid)) == 0 },
		func() string { return fmt.Sprint("still running: ", group(pid)) })
}

// group lists the live processes of a process group.
func group(pgid string) []string {
	var found []string
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range names {
		b, _ := os.ReadFile(name)
		i := strings.LastIndex(string(b), ")") // the command name may contain anything
		if i < 0 {
			continue
		}
		// state, parent, group
		if f := strings.Fields(string(b[i+1:])); len(f) > 2 && f[0] != "Z" && f[2] == pgid {
			found = append(found, string(b[:i+1]))
		}
	}
	return found
}

// waitFor polls for something outside of this process, which sends no event.
func waitFor(t *testing.T, limit time.Duration, ok func() bool, say func() string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(limit); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal(say())
		}
	}
}

func TestLaunchAndClose(t *testing.T) {
	needChrome(t)
	chrome, err := Start(t.Context(), Options{Headless: true, Args: []string{"--disable-gpu"}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(chrome.Version.Product, "Chrome/") {
		t.Errorf("version %+v", chrome.Version)
	}
	if chrome.ExitErr() != nil {
		t.Error(chrome.ExitErr())
	}
	start := time.Now()
	if err := chrome.Close(); err != nil {
		t.Error(err)
	}
	if d := time.Since(start); d > quitTimeout {
		t.Errorf("closing the pipe did not make Chrome quit (%s)", d)
	}
	t.Logf("closed in %s, %v", time.Since(start), chrome.ExitErr())
	if _, err := os.Stat(chrome.UserDataDir); !os.IsNotExist(err) {
		t.Errorf("the temporary profile is still there: %v", err)
	}
	if left := group(strconv.Itoa(chrome.PID)); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}

func TestLaunchProfileInUse(t *testing.T) {
	needChrome(t)
	o := Options{Headless: true, UserDataDir: t.TempDir(), Args: []string{"--disable-gpu"}}
	first, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := Start(t.Context(), o)
	if err == nil {
		second.Close()
		t.Fatal("a second Chrome on the same profile started")
	}
	if !strings.Contains(err.Error(), o.UserDataDir) || !strings.Contains(err.Error(), "in use by another Chrome") {
		t.Errorf("unclear: %v", err)
	}
}

// forbidden is a folder in which nobody may make files, be it root.
func forbidden(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "linux" {
		return "/proc/self"
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestLaunchAddresses: Chrome itself refuses more than one without a window.
func TestLaunchAddresses(t *testing.T) {
	needChrome(t)
	site := httptest.NewServer(http.NotFoundHandler())
	defer site.Close()
	addresses := []string{site.URL + "/1", site.URL + "/2", site.URL + "/1", site.URL + "/3"}
	chrome, err := Start(t.Context(), Options{Headless: true, Args: append([]string{"--disable-gpu"}, addresses...)})
	if err != nil {
		t.Fatal(err)
	}
	defer chrome.Close()
	conn := cdpclient.NewConn(chrome.Wire, func(cdpclient.Message) {})
	var open []string
	waitFor(t, time.Minute, func() bool {
		var targets cdpclient.GetTargetsResult
		if err := conn.Call(t.Context(), "", cdpclient.TargetGetTargets, nil, &targets); err != nil {
			t.Fatal(err)
		}
		open = nil
		for _, target := range targets.TargetInfos {
			if target.Type == cdpclient.TypePage {
				open = append(open, target.URL)
			}
		}
		slices.Sort(open)
		return slices.Equal(open, slices.Sorted(slices.Values(addresses)))
	}, func() string { return fmt.Sprint(open) })
	if _, err := Start(t.Context(), Options{Headless: true, Args: []string{"--disable-gpu", site.URL, "no address"}}); err == nil || !strings.Contains(err.Error(), "--chrome-arg=no address") {
		t.Errorf("got %v", err)
	}
}

func TestLaunchErrors(t *testing.T) {
	if err := canLaunch(); err != nil {
		t.Skip(err)
	}
	script := func(body string) string {
		name := filepath.Join(t.TempDir(), "chrome")
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for name, c := range map[string]struct {
		o    Options
		want string
	}{
		"missing":  {Options{ExecutablePath: "/no/such/chrome"}, "--executable-path"},
		"channel":  {Options{Channel: "nightly"}, `no Chrome channel "nightly"`},
		"in use":   {Options{ExecutablePath: script("exit 21"), UserDataDir: "/my/profile"}, "/my/profile is in use"},
		"left":     {Options{ExecutablePath: script("exit 0"), UserDataDir: "/my/profile"}, "exited at once; if another"},
		"file":     {Options{ExecutablePath: script("exit 21"), UserDataDir: script("")}, "can't use the profile"},
		"not ours": {Options{ExecutablePath: script("exit 21"), UserDataDir: forbidden(t)}, "can't use the profile"},
		"lock":     {Options{ExecutablePath: script("echo 'Failed to create /x/SingletonLock: Permission denied (13)' >&2; exit 21"), UserDataDir: t.TempDir()}, "can't use the profile"},
		"display":  {Options{ExecutablePath: script("echo 'Missing X server or $DISPLAY' >&2; exit 1")}, "use --headless"},
		"sandbox":  {Options{ExecutablePath: script("echo 'No usable sandbox!' >&2; exit 1")}, "pass --chrome-arg=--no-sandbox"},
		"crash":    {Options{ExecutablePath: script("echo oh dear >&2; exit 3")}, "oh dear"},
	} {
		t.Run(name, func(t *testing.T) {
			chrome, err := Start(t.Context(), c.o)
			if err == nil {
				chrome.Close()
				t.Fatal("started")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, want it to say %q", err, c.want)
			}
		})
	}
	t.Run("hang", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		said := filepath.Join(t.TempDir(), "said")
		go func() {
			for tick := time.NewTicker(20 * time.Millisecond); ctx.Err() == nil; <-tick.C {
				if _, err := os.Stat(said); err == nil {
					cancel(errTooSlow)
				}
			}
		}()
		_, err := Start(ctx, Options{ExecutablePath: script("echo thinking >&2; : >'" + said + "'; sleep 1000 & sleep 1000")})
		if err == nil || !strings.Contains(err.Error(), "no answer within") || !strings.Contains(err.Error(), "thinking") {
			t.Errorf("got %v", err)
		}
	})
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "webmcp-hub-profile-*")); len(left) > 0 {
		for _, d := range left {
			if info, err := os.Stat(d); err == nil && time.Since(info.ModTime()) < 5*time.Second {
				t.Logf("profile left (another test's?): %s", d)
			}
		}
	}
}

func TestChromeArgs(t *testing.T) {
	o := Options{Headless: true, Args: []string{"--enable-features=Foo,WebMCP", "--user-data-dir=/x", "http://a.test/", "--enable-features=Bar", "--disable-features=Baz"}}
	args := chromeArgs(o, "/p", false)
	for _, want := range []string{"--enable-features=WebMCP,Foo,Bar", "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,Baz",
		"--user-data-dir=/p", "--headless=new", "--remote-debugging-pipe", "http://a.test/"} {
		if !slices.Contains(args, want) {
			t.Errorf("no %s in %v", want, args)
		}
	}
	if slices.Contains(args, "--disable-sync") || slices.Contains(args, "--user-data-dir=/x") {
		t.Errorf("too much in %v", args)
	}
	if got := profileOf(o); got != "/x" {
		t.Errorf("profile %q", got)
	}
	o = Options{Args: []string{"--disable-features=Baz"}}
	if args := chromeArgs(o, "/p", false); !slices.Contains(args, "--disable-features=Baz") {
		t.Errorf("with a window: %v", args)
	}
}

func TestFindAndProfiles(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Setenv("ProgramFiles", `C:\Program Files`)
		for _, ch := range channels {
			if len(executables(goos, ch)) == 0 || len(userDataDirs(goos, ch, "/home/u")) == 0 {
				t.Errorf("%s %s: nothing", goos, ch)
			}
		}
	}
	t.Setenv("XDG_CONFIG_HOME", "")
	if got := userDataDirs("linux", "stable", "/home/u")[0]; got != "/home/u/.config/google-chrome" {
		t.Error(got)
	}
	if DefaultUserDataDirs("nightly") != nil {
		t.Error("unknown channel has a profile")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if _, err := Find("dev"); err == nil || !strings.Contains(err.Error(), "--executable-path") {
		t.Errorf("got %v", err)
	}
	name := filepath.Join(dir, "google-chrome-unstable")
	if err := os.WriteFile(name, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := Find("dev"); err != nil || got != name {
		t.Errorf("got %q, %v", got, err)
	}
}

// A running Chrome, found both ways, over a websocket.
func TestAttachToRunning(t *testing.T) {
	needChrome(t)
	chrome, err := Start(t.Context(), Options{Headless: true, Args: []string{"--disable-gpu", "--remote-debugging-port=0"}})
	if err != nil {
		t.Fatal(err)
	}
	defer chrome.Close()
	var url string
	waitFor(t, time.Minute, func() bool { url, err = cdpclient.ActivePortURL(chrome.UserDataDir); return err == nil },
		func() string { return err.Error() })
	base := "http://" + strings.Split(url, "/")[2]
	if got, err := cdpclient.BrowserWebSocketURL(t.Context(), base+"/"); err != nil || got != url {
		t.Errorf("got %s, %v; want %s", got, err, url)
	}
	w, err := cdpclient.DialWebSocket(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan cdpclient.Message, 1)
	conn := cdpclient.NewConn(w, func(m cdpclient.Message) {
		if _, ok := m.(cdpclient.Closed); ok {
			closed <- m
		}
	})
	var v cdpclient.BrowserVersion
	if err := conn.Call(t.Context(), "", cdpclient.BrowserGetVersion, nil, &v); err != nil || v != chrome.Version {
		t.Errorf("%+v, %v", v, err)
	}
	if err := chrome.Close(); err != nil {
		t.Error(err)
	}
	t.Log((<-closed).(cdpclient.Closed).Err)
	<-conn.Done()
	if _, err := cdpclient.BrowserWebSocketURL(t.Context(), base); err == nil || !strings.Contains(err.Error(), "no browser listens") {
		t.Errorf("got %v", err)
	}
	if _, err := cdpclient.DialWebSocket(t.Context(), url, nil); err == nil || !strings.Contains(err.Error(), "is Chrome running") {
		t.Errorf("got %v", err)
	}
}

package cdpclient

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
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
)

const helperEnv = "CDPCLIENT_LAUNCH_HELPER"

// launchHelper is this test binary as a hub that will be killed: it starts
// Chrome, says where, and waits for the end.
func launchHelper() {
	chrome, err := Launch(context.Background(), LaunchOptions{
		Headless: true, UserDataDir: os.Getenv(helperEnv), Args: []string{"--disable-gpu"}})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	conn := NewConn(chrome.Wire, func(Message) {})
	var r CreateTargetResult
	err = conn.Call(context.Background(), "", TargetCreateTarget, CreateTargetParams{URL: "data:text/html,<title>x</title>"}, &r)
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
	chrome, err := Launch(t.Context(), LaunchOptions{Headless: true, Args: []string{"--disable-gpu"}})
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
	o := LaunchOptions{Headless: true, UserDataDir: t.TempDir(), Args: []string{"--disable-gpu"}}
	first, err := Launch(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := Launch(t.Context(), o)
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
	chrome, err := Launch(t.Context(), LaunchOptions{Headless: true, Args: append([]string{"--disable-gpu"}, addresses...)})
	if err != nil {
		t.Fatal(err)
	}
	defer chrome.Close()
	conn := NewConn(chrome.Wire, func(Message) {})
	var open []string
	waitFor(t, time.Minute, func() bool {
		var targets GetTargetsResult
		if err := conn.Call(t.Context(), "", TargetGetTargets, nil, &targets); err != nil {
			t.Fatal(err)
		}
		open = nil
		for _, target := range targets.TargetInfos {
			if target.Type == TypePage {
				open = append(open, target.URL)
			}
		}
		slices.Sort(open)
		return slices.Equal(open, slices.Sorted(slices.Values(addresses)))
	}, func() string { return fmt.Sprint(open) })
	if _, err := Launch(t.Context(), LaunchOptions{Headless: true, Args: []string{"--disable-gpu", site.URL, "no address"}}); err == nil || !strings.Contains(err.Error(), "--chrome-arg=no address") {
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
		o    LaunchOptions
		want string
	}{
		"missing":  {LaunchOptions{ExecutablePath: "/no/such/chrome"}, "--executable-path"},
		"channel":  {LaunchOptions{Channel: "nightly"}, `no Chrome channel "nightly"`},
		"in use":   {LaunchOptions{ExecutablePath: script("exit 21"), UserDataDir: "/my/profile"}, "/my/profile is in use"},
		"left":     {LaunchOptions{ExecutablePath: script("exit 0"), UserDataDir: "/my/profile"}, "exited at once; if another"},
		"file":     {LaunchOptions{ExecutablePath: script("exit 21"), UserDataDir: script("")}, "can't use the profile"},
		"not ours": {LaunchOptions{ExecutablePath: script("exit 21"), UserDataDir: forbidden(t)}, "can't use the profile"},
		"lock":     {LaunchOptions{ExecutablePath: script("echo 'Failed to create /x/SingletonLock: Permission denied (13)' >&2; exit 21"), UserDataDir: t.TempDir()}, "can't use the profile"},
		"display":  {LaunchOptions{ExecutablePath: script("echo 'Missing X server or $DISPLAY' >&2; exit 1")}, "use --headless"},
		"sandbox":  {LaunchOptions{ExecutablePath: script("echo 'No usable sandbox!' >&2; exit 1")}, "--no-sandbox"},
		"crash":    {LaunchOptions{ExecutablePath: script("echo oh dear >&2; exit 3")}, "oh dear"},
	} {
		t.Run(name, func(t *testing.T) {
			chrome, err := Launch(t.Context(), c.o)
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
		ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, errTooSlow)
		defer cancel()
		_, err := Launch(ctx, LaunchOptions{ExecutablePath: script("echo thinking >&2; sleep 1000 & sleep 1000")})
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
	o := LaunchOptions{Headless: true, Args: []string{"--enable-features=Foo,WebMCP", "--user-data-dir=/x", "http://a.test/", "--enable-features=Bar"}}
	args := chromeArgs(o, "/p", false)
	for _, want := range []string{"--enable-features=WebMCP,Foo,Bar", "--user-data-dir=/p", "--headless=new", "--remote-debugging-pipe", "http://a.test/"} {
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
	if _, err := FindChrome("dev"); err == nil || !strings.Contains(err.Error(), "--executable-path") {
		t.Errorf("got %v", err)
	}
	name := filepath.Join(dir, "google-chrome-unstable")
	if err := os.WriteFile(name, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := FindChrome("dev"); err != nil || got != name {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestActivePortURL(t *testing.T) {
	dir := t.TempDir()
	if _, err := ActivePortURL(dir); err == nil || !os.IsNotExist(unwrapPath(err)) {
		t.Errorf("got %v", err)
	}
	for text, want := range map[string]string{
		"9222\n/devtools/browser/ab-c\n": "ws://127.0.0.1:9222/devtools/browser/ab-c",
		"9222\n":                         "",
		"":                               "",
		"x\n/devtools/browser/ab":        "",
	} {
		if err := os.WriteFile(filepath.Join(dir, "DevToolsActivePort"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ActivePortURL(dir)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v", text, got, err)
		}
	}
}

func unwrapPath(err error) error {
	for err != nil {
		if _, ok := err.(*fs.PathError); ok {
			return err
		}
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		err = u.Unwrap()
	}
	return nil
}

// A running Chrome, found both ways, over a websocket.
func TestAttachToRunning(t *testing.T) {
	needChrome(t)
	chrome, err := Launch(t.Context(), LaunchOptions{Headless: true, Args: []string{"--disable-gpu", "--remote-debugging-port=0"}})
	if err != nil {
		t.Fatal(err)
	}
	defer chrome.Close()
	var url string
	waitFor(t, time.Minute, func() bool { url, err = ActivePortURL(chrome.UserDataDir); return err == nil },
		func() string { return err.Error() })
	base := "http://" + strings.Split(url, "/")[2]
	if got, err := BrowserWebSocketURL(t.Context(), base+"/"); err != nil || got != url {
		t.Errorf("got %s, %v; want %s", got, err, url)
	}
	w, err := DialWebSocket(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan Message, 1)
	conn := NewConn(w, func(m Message) {
		if _, ok := m.(Closed); ok {
			closed <- m
		}
	})
	var v BrowserVersion
	if err := conn.Call(t.Context(), "", BrowserGetVersion, nil, &v); err != nil || v != chrome.Version {
		t.Errorf("%+v, %v", v, err)
	}
	if err := chrome.Close(); err != nil {
		t.Error(err)
	}
	t.Log((<-closed).(Closed).Err)
	<-conn.Done()
	if _, err := BrowserWebSocketURL(t.Context(), base); err == nil || !strings.Contains(err.Error(), "no browser listens") {
		t.Errorf("got %v", err)
	}
	if _, err := DialWebSocket(t.Context(), url, nil); err == nil || !strings.Contains(err.Error(), "is Chrome running") {
		t.Errorf("got %v", err)
	}
}

// Closing one end of a pipe wire must wake a blocked reader.
func TestPipeWire(t *testing.T) {
	r1, w1 := io.Pipe()
	r2, w2 := io.Pipe()
	a, b := NewPipeWire(r1, w2), NewPipeWire(r2, w1)
	big := json.RawMessage(`"` + strings.Repeat("x", 300<<10) + `"`)
	go func() {
		for _, m := range []string{`{"a":1}`, string(big), `{}`} {
			if err := a.Write([]byte(m)); err != nil {
				t.Error(err)
			}
		}
	}()
	for _, want := range []int{7, len(big), 2} {
		m, err := b.Read()
		if err != nil || len(m) != want {
			t.Fatalf("got %d bytes, %v; want %d", len(m), err, want)
		}
	}
	woken := make(chan error)
	go func() { _, err := b.Read(); woken <- err }()
	_ = b.Close()
	if err := <-woken; err == nil {
		t.Error("no error after Close")
	}
	_ = a.Close()
}

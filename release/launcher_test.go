package release

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// standsIn is set in the environment of this program when it is the hub that the launcher starts.
const standsIn = "WEBMCP_TEST_STANDS_IN"

// TestMain also is the hub that the launcher starts in tests: its first argument says what it does.
func TestMain(m *testing.M) {
	if os.Getenv(standsIn) != "" {
		os.Exit(standIn(os.Args[1:]))
	}
	os.Exit(m.Run())
}

func standIn(args []string) int {
	switch args[0] {
	case "echo": // stdin to stdout
		if _, err := io.Copy(os.Stdout, os.Stdin); err != nil {
			return 1
		}
	case "args":
		if err := json.NewEncoder(os.Stdout).Encode(args[1:]); err != nil {
			return 1
		}
	case "exit":
		code, _ := strconv.Atoi(args[1])
		return code
	case "die":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "serve": // until stdin ends or a signal comes, which it names
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR2)
		fmt.Println(os.Getpid())
		ended := make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			close(ended)
		}()
		select {
		case s := <-signals:
			fmt.Println(s)
			return 3
		case <-ended:
		}
	}
	return 0
}

// A node is one way in which the launcher runs.
type node struct {
	name    string
	command []string // with the launcher as the last argument
	becomes bool     // whether the launcher becomes the hub
}

// launchers installs the npm packages with a script as the hub, which becomes this test's program, and returns the ways to
// run their launcher: with execve where there is a Node that has it, and without. To pack the program itself would take
// longer than all that is tested.
func launchers(t *testing.T) (all []node) {
	t.Helper()
	if testing.Short() {
		t.Skip("Node is slow to start")
	}
	if runtime.GOOS == "windows" {
		t.Skip("signals and execve are tested on Unix")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"+standsIn+"=1 exec '"+self+"' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	host := program{runtime.GOOS, runtime.GOARCH, script}
	r := release{names: theNames(t), version: "1.2.3", root: "..", dist: t.TempDir()}
	if err := r.makeNPM([]program{host}); err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(t.TempDir(), "node_modules")
	for _, name := range []string{r.NPM, r.platformPackage(host)} {
		for file, content := range untar(t, filepath.Join(r.dist, tarballName(name, "1.2.3"))) {
			path := filepath.Join(modules, name, strings.TrimPrefix(file, "package/"))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, content, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	launcher := filepath.Join(modules, r.NPM, "webmcp-hub.js")
	without := filepath.Join(t.TempDir(), "without.cjs")
	if err := os.WriteFile(without, []byte("delete process.execve"), 0o644); err != nil {
		t.Fatal(err)
	}
	newer, _ := filepath.Glob("../e2e/node_modules/node-*/bin/node")
	for _, name := range append(newer, "node") {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		out, err := exec.Command(path, "-p", "[process.version, !!process.execve]").Output()
		if err != nil {
			t.Fatal(err)
		}
		version := strings.Split(string(out), "'")[1]
		if strings.Contains(string(out), "true") {
			all = append(all, node{version + " execve", []string{path, launcher}, true})
		}
		all = append(all, node{version + " spawn", []string{path, "--require", without, launcher}, false})
	}
	if all == nil {
		t.Skip("there is no Node here")
	}
	return all
}

func (n node) start(args ...string) *exec.Cmd {
	return exec.Command(n.command[0], append(n.command[1:len(n.command):len(n.command)], args...)...)
}

// TestLauncher: the npm package's launcher is as good as the hub itself: bytes, arguments, exit codes and signals go
// through, and nothing is left when it has ended.
func TestLauncher(t *testing.T) {
	for _, n := range launchers(t) {
		t.Run(strings.ReplaceAll(n.name, " ", "/"), func(t *testing.T) {
			t.Parallel()
			t.Run("bytes", n.testBytes)
			t.Run("arguments", n.testArguments)
			t.Run("exit codes", n.testExitCodes)
			for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGUSR2} {
				t.Run(s.String(), func(t *testing.T) { n.testSignal(t, s) })
			}
			t.Run("kill", n.testKill)
		})
	}
}

// testBytes: a message of 10 MiB of any bytes comes through unchanged, in both directions.
func (n node) testBytes(t *testing.T) {
	message := make([]byte, 10<<20)
	rand.New(rand.NewSource(1)).Read(message)
	c := n.start("echo")
	c.Stdin = bytes.NewReader(message)
	c.Stderr = os.Stderr
	got, err := c.Output()
	if err != nil || !bytes.Equal(got, message) {
		t.Errorf("got %d bytes (%v), not the %d that were sent", len(got), err, len(message))
	}
}

func (n node) testArguments(t *testing.T) {
	want := []string{"", "two words", `"quoted"`, "$HOME", "ü", "--flag=*"}
	out, err := n.start(append([]string{"args"}, want...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := json.Unmarshal(out, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the hub got %q (%v), want %q", got, err, want)
	}
}

func (n node) testExitCodes(t *testing.T) {
	for _, code := range []int{0, 42} {
		err := n.start("exit", strconv.Itoa(code)).Run()
		var exit *exec.ExitError
		if code == 0 && err != nil || code != 0 && (!errors.As(err, &exit) || exit.ExitCode() != code) {
			t.Errorf("%v, want code %d", err, code)
		}
	}
	var exit *exec.ExitError
	if err := n.start("die").Run(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("a hub that was killed ended with %v", err)
	}
}

// serve starts a hub that serves. hub is its process, and out what it prints after its number.
func (n node) serve(t *testing.T) (c *exec.Cmd, stdin io.Closer, hub int, out *bufio.Reader) {
	t.Helper()
	c = n.start("serve")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	out = bufio.NewReader(stdout)
	line, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if hub, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		t.Fatal(err)
	}
	if became := hub == c.Process.Pid; became != n.becomes {
		t.Errorf("whether the launcher has become the hub: %v, want %v", became, n.becomes)
	}
	return c, in, hub, out
}

func (n node) testSignal(t *testing.T, s syscall.Signal) {
	c, _, hub, out := n.serve(t)
	if err := c.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(out)
	if err != nil || strings.TrimSpace(string(said)) != s.String() {
		t.Errorf("the hub got the signal %q (%v), want %s", said, err, s)
	}
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("the launcher ended with %v, want the hub's code", err)
	}
	if err := syscall.Kill(hub, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the hub is still there: %v", err)
	}
}

// testKill: a client that kills the launcher and closes the hub's stdin, as it does when it ends, leaves nothing behind.
func (n node) testKill(t *testing.T) {
	c, stdin, _, out := n.serve(t)
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	stdin.Close()
	if _, err := io.Copy(io.Discard, out); err != nil { // until nobody has stdout open
		t.Error(err)
	}
	_ = c.Wait()
}

// TestLauncherWithoutProgram: where npm has left out the program's package, the launcher says what to do.
func TestLauncherWithoutProgram(t *testing.T) {
	n := launchers(t)[0]
	others, err := filepath.Glob(filepath.Join(filepath.Dir(n.command[len(n.command)-1]), "..", "webmcp-hub-*"))
	if err != nil || len(others) != 1 {
		t.Fatal(others, err)
	}
	if err := os.RemoveAll(others[0]); err != nil {
		t.Fatal(err)
	}
	out, err := n.start("--version").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--omit=optional") {
		t.Errorf("%s: %q (%v)", n.name, out, err)
	}
}

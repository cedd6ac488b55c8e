package bench

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"webmcphub/bench/machine"
)

// hubBinary is the program that is measured; see [machine.HubBinary].
var hubBinary string

// With these every hub of these benchmarks is started with what is to cost calls and storms
// nothing: browser tools that nobody uses, and rules of which none matches.
var (
	automated = flag.Bool("automation", false, "start the hub with --automation")
	ruled     = flag.Int("rules", 0, "start the hub with a --policy of so many rules, and --flow=enforce")
)

// policy is the file of those rules; "" is none.
var policy string

func writePolicy(dir string) error {
	if *ruled == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("rules:\n")
	for i := range *ruled {
		fmt.Fprintf(&b, "  - deny: origin=https://*.site%d.example tool=transfer*\n", i)
	}
	policy = filepath.Join(dir, "policy.yaml")
	return os.WriteFile(policy, []byte(b.String()), 0o600)
}

// hubArgs are those of every hub.
func hubArgs(args ...string) []string {
	all := []string{"serve", "--log-level", "error"}
	if *automated {
		all = append(all, "--automation")
	}
	if policy != "" {
		all = append(all, "--policy", policy, "--flow", "enforce")
	}
	return append(all, args...)
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	dir, err := os.MkdirTemp("", "webmcp-bench-")
	if err == nil {
		defer os.RemoveAll(dir)
		err = writePolicy(dir)
	}
	if err == nil && flag.Lookup("test.bench").Value.String() != "" { // something is measured
		hubBinary, err = machine.HubBinary(context.Background(), dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	return m.Run()
}

// hub is a hub process and its client.
type hub struct {
	*client
	cmd     *exec.Cmd
	started time.Time
}

// startHub starts the binary; the session isn't initialized yet.
func startHub(b testing.TB, args ...string) *hub {
	b.Helper()
	theirIn, in, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(hubBinary, hubArgs(args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, os.Stderr
	h := &hub{client: newClient(in, out), cmd: cmd, started: time.Now()}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	return h
}

// attachHub starts the binary on a browser and initializes.
func attachHub(b testing.TB, at *browser, args ...string) *hub {
	b.Helper()
	h := startHub(b, append([]string{"--ws-endpoint", at.endpoint}, args...)...)
	h.hello(b)
	return h
}

// end closes the session as clients do, and waits for the process.
func (h *hub) end(b testing.TB) {
	h.in.Close()
	if err := h.cmd.Wait(); err != nil {
		b.Errorf("the hub ended badly: %v", err)
	}
	h.out.Close()
}

// memory gives a figure of /proc/PID/status, such as VmRSS, in MiB.
func (h *hub) memory(b testing.TB, key string) float64 {
	n, err := machine.Status(h.cmd.Process.Pid, key)
	if err != nil {
		b.Fatal(err)
	}
	return float64(n) / (1 << 20)
}

// cpu gives the processor time that the hub has used. The scheduler's own
// account of each thread is finer than the ticks of /proc/PID/stat.
func (h *hub) cpu(b testing.TB) time.Duration {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", h.cmd.Process.Pid))
	if err != nil || len(files) == 0 {
		b.Fatalf("the hub's processor time can't be read: %v", err)
	}
	var sum time.Duration
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // the thread has ended
		}
		ns, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(ns, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(n)
	}
	return sum
}

func versionOf() ([]byte, error) { return exec.Command(hubBinary, "version").Output() }

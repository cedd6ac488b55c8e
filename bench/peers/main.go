package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"webmcphub/bench/machine"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	dir := flag.String("dir", "bench/peers", "the folder that npm installed the peers in")
	only := flag.String("only", "", "names of the peers to measure, with commas between; all if empty")
	var p plan
	flag.IntVar(&p.rounds, "rounds", 3, "how often each is measured; the table has the medians")
	flag.IntVar(&p.calls, "calls", 300, "how many calls of a page's tool are timed in a round, at most")
	flag.DurationVar(&p.calling, "calling", 20*time.Second, "after how long there are no more calls in a round")
	flag.IntVar(&p.changes, "changes", 10, "how many tools a page registers one by one")
	flag.IntVar(&p.tabs, "tabs", 16, "how many tabs there are in the end")
	automation := flag.Bool("automation", false, "measure how the servers operate pages, and not the pages' tools; "+
		"-rounds is then how often each operation is timed, 100 if it isn't given")
	corpusDir := flag.String("corpus", "", "take snapshots of the corpus' pages and nothing else; names the folder of the "+
		"corpus, automation/corpus")
	var a automationFlags
	a.add(flag.CommandLine)
	flag.Parse()
	if min(p.rounds, p.calls, p.changes, p.tabs) < 1 {
		return errors.New("rounds, calls, changes and tabs are at least 1")
	}
	modules, err := installed(*dir)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "bench-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	hub, err := theHubsBinary(ctx, temp)
	if err != nil {
		return err
	}
	if *corpusDir != "" {
		return compareCorpus(ctx, hub, modules, *only, *corpusDir)
	}
	if *automation {
		flag.Visit(func(f *flag.Flag) {
			if f.Name == "rounds" {
				a.rounds = p.rounds
			}
		})
		return a.run(ctx, hub, modules, *only)
	}
	all, err := peers(hub, modules, nodeIn(modules))
	if err != nil {
		return err
	}
	if all, err = chosen(all, *only, func(p *peer) string { return p.name }); err != nil {
		return err
	}
	begun := load()
	columns, browser, err := p.compare(ctx, modules, all)
	if err != nil {
		return err
	}
	fmt.Printf("%s; %s, Node %s; %d rounds, medians; %d processors, load before %s\n\n",
		time.Now().UTC().Format("2006-01-02 15:04 MST"),
		browser, nodeVersion(modules), p.rounds, runtime.NumCPU(), begun)
	write(os.Stdout, rows(p.tabs), columns)
	return nil
}

// compare measures all in turns, round by round, and says with which browser.
func (p plan) compare(ctx context.Context, modules string, all []*peer) (columns []*column, browser string, err error) {
	native, err := startChromium(ctx, modules, false, 0)
	if err != nil {
		return nil, "", err
	}
	defer native.close()
	port, err := freePort()
	if err != nil {
		return nil, "", err
	}
	mcpb, err := startChromium(ctx, modules, true, port)
	if err != nil {
		return nil, "", err
	}
	defer mcpb.close()
	for _, at := range all {
		columns = append(columns, &column{title: at.title + " " + at.version})
	}
	bare := &column{title: "no server: a bare client of Chrome"}
	for n := range p.rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d: bare", n+1, p.rounds)
		v, err := p.bare(ctx, native)
		if err != nil {
			return nil, "", fmt.Errorf("bare: %w", err)
		}
		bare.rounds = append(bare.rounds, v)
		for i, at := range all {
			fmt.Fprintf(os.Stderr, ", %s", at.name)
			c := native
			if at.mcpb {
				c = mcpb
			}
			if v, err = p.measure(ctx, c, at); err != nil {
				return nil, "", fmt.Errorf("%s: %w", at.name, err)
			}
			columns[i].rounds = append(columns[i].rounds, v)
		}
		fmt.Fprintln(os.Stderr)
	}
	return append(columns, bare), native.version(), nil
}

// theHubsBinary builds it as make build does, unless WEBMCP_HUB names one.
func theHubsBinary(ctx context.Context, dir string) (string, error) {
	if name := os.Getenv("WEBMCP_HUB"); name != "" {
		return filepath.Abs(name)
	}
	version := "dev"
	if out, err := exec.CommandContext(ctx, "git", "describe", "--tags", "--always").Output(); err == nil {
		version = strings.TrimSpace(string(out))
	}
	binary := filepath.Join(dir, "webmcp-hub")
	source, err := machine.Hub(ctx)
	if err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-C", source, "-trimpath", "-ldflags", "-s -w -X main.version="+
		version, "-o", binary, "./cmd/webmcp-hub")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the hub: %w\n%s", err, out)
	}
	return binary, nil
}

// nodeIn is the Node that npm installed, or else the machine's own.
func nodeIn(modules string) string {
	for _, platform := range []string{"linux-x64", "linux-arm64"} {
		name := filepath.Join(modules, "node-"+platform, "bin", "node")
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return "node"
}

func nodeVersion(modules string) string {
	out, err := exec.Command(nodeIn(modules), "--version").Output()
	if err != nil {
		return "?"
	}
	return strings.TrimSpace(string(out))
}

func chosen[P any](all []P, only string, nameOf func(P) string) ([]P, error) {
	if only == "" {
		return all, nil
	}
	var some []P
	for _, name := range strings.Split(only, ",") {
		i := slices.IndexFunc(all, func(p P) bool { return nameOf(p) == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no peer %q", name)
		}
		some = append(some, all[i])
	}
	return some, nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// load is what the machine does besides, as it says.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(text))[:1], " ")
}

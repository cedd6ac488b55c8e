package hubs

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/internal/gctuning"
)

// childEnv tells a program that it is to be a hub, and how, as JSON.
const childEnv = "WEBMCP_STORM_HUB"

// order is what the hub's process is told.
type order struct {
	Endpoint       string
	Token          string // the extension's, if it comes by that
	NotifyInterval time.Duration
	Clients        int
	Profiles
}

// The hub's process has its orders on file 3, its usage on 4, the sessions'
// pipes from 5, and after them the extension's port.
const firstFile = 3

// Child makes this process the hub of another's storm if it was started as
// one, and then doesn't return. It must be the first thing that a program
// does.
func Child() {
	text := os.Getenv(childEnv)
	if text == "" {
		return
	}
	if err := child(text); err != nil {
		fmt.Fprintln(os.Stderr, "storm: the hub's process:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func child(text string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	if o.CPUProfile != "" {
		f, err := os.Create(o.CPUProfile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	defer gctuning.Start()()
	ask, tell := os.NewFile(firstFile, "ask"), os.NewFile(firstFile+1, "tell")
	h, err := startOrdered(o)
	if err != nil {
		return err
	}
	var theirs []Ends
	for i := range o.Clients {
		at := uintptr(firstFile + 2 + 2*i)
		theirs = append(theirs, Ends{os.NewFile(at, "in"), os.NewFile(at+1, "out")})
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	wait := h.serveAll(ctx, theirs)
	answers := json.NewEncoder(tell)
	for lines := bufio.NewScanner(ask); lines.Scan(); {
		if err := answers.Encode(Own(lines.Text() == "fresh")); err != nil {
			return err
		}
	}
	if err := heapTo(o.MemProfile); err != nil { // while it all is still there
		return err
	}
	if err := wait(); err != nil {
		return err
	}
	return h.Stop(ctx)
}

// startOrdered starts the hub that the orders are for.
func startOrdered(o order) (Hub, error) {
	if o.Token == "" {
		return Start(func(ctx context.Context) (cdpclient.Wire, error) {
			return cdpclient.DialWebSocket(ctx, o.Endpoint, nil)
		}, o.NotifyInterval, nil), nil
	}
	f := os.NewFile(uintptr(firstFile+2+2*o.Clients), "extension's port")
	defer f.Close()
	l, err := net.FileListener(f)
	if err != nil {
		return Hub{}, err
	}
	return startLinked(&Door{l, o.Token}, o.NotifyInterval), nil
}

// heapTo writes a profile of what is in use and what was allocated, if the file
// has a name.
func heapTo(name string) error {
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	runtime.GC()
	return pprof.Lookup("heap").WriteTo(f, 0)
}

// Profiles are files for the profiles of a hub in its own process: of processor
// time, and of the heap at the end. "" is none.
type Profiles struct{ CPUProfile, MemProfile string }

// Apart runs a hub in a process of its own, with the settings that webmcp-hub serve
// gives itself.
func Apart(b Browser, notifyInterval time.Duration, clients int, p Profiles) (*Running, error) {
	ours, theirs, err := pipes(clients)
	if err != nil {
		return nil, err
	}
	control, controlled, err := pipes(1)
	if err != nil {
		return nil, err
	}
	what := order{b.Endpoint, "", notifyInterval, clients, p}
	var files []*os.File
	for _, e := range append(controlled, theirs...) {
		files = append(files, e.In, e.Out)
	}
	if b.Door != nil {
		what.Token = b.Door.Token
		f, err := b.Door.file()
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	cmd, err := what.start(files)
	for _, f := range files {
		f.Close()
	}
	if err != nil {
		return nil, err
	}
	hub := &hubProcess{cmd: cmd, ask: control[0].In, out: control[0].Out, answers: json.NewDecoder(control[0].Out)}
	return &Running{Ends: ours, Usage: hub.usage, Stop: hub.stop}, nil
}

// start runs this program as the hub that the order is for, with these files.
func (o order) start(files []*os.File) (*exec.Cmd, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	if os.Getenv("GOMAXPROCS") == "" {
		cmd.Env = append(cmd.Env, "GOMAXPROCS="+strconv.Itoa(max(1, runtime.NumCPU()/2)))
	}
	cmd.Stderr = os.Stderr
	cmd.ExtraFiles = files
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("the hub's process could not be started: %w", err)
	}
	return cmd, nil
}

// hubProcess is a hub in a process of its own, as the one that measures sees it.
type hubProcess struct {
	cmd *exec.Cmd

	mu      sync.Mutex // one question after the other
	ask     *os.File
	out     *os.File
	answers *json.Decoder // of out
}

func (p *hubProcess) usage(fresh bool) (u Usage, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	word := "now\n"
	if fresh {
		word = "fresh\n"
	}
	if _, err = p.ask.WriteString(word); err == nil {
		err = p.answers.Decode(&u)
	}
	return u, err
}

func (p *hubProcess) stop() error {
	p.ask.Close()
	defer p.out.Close()
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("the hub's process ended badly: %w", err)
	}
	return nil
}

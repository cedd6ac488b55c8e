package storm

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

	"webmcphub/cdpclient"
	"webmcphub/internal/pace"
)

// childEnv tells a program that it is to be a hub, and how, as JSON.
const childEnv = "WEBMCP_STORM_HUB"

// order is what the hub's process is told.
type order struct {
	Kind       Kind
	Endpoint   string
	Token      string // the extension's, if it comes by that
	Tuning     Tuning
	Clients    int
	CPUProfile string
	MemProfile string
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
	defer pace.Start()()
	ask, tell := os.NewFile(firstFile, "ask"), os.NewFile(firstFile+1, "tell")
	h, err := startOrdered(o)
	if err != nil {
		return err
	}
	var theirs []ends
	for i := range o.Clients {
		at := uintptr(firstFile + 2 + 2*i)
		theirs = append(theirs, ends{os.NewFile(at, "in"), os.NewFile(at+1, "out")})
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	wait := h.serveAll(ctx, theirs)
	answers := json.NewEncoder(tell)
	for lines := bufio.NewScanner(ask); lines.Scan(); {
		if err := answers.Encode(ownUsage(lines.Text() == "fresh")); err != nil {
			return err
		}
	}
	if err := heapTo(o.MemProfile); err != nil { // while it all is still there
		return err
	}
	if err := wait(); err != nil {
		return err
	}
	return h.stop(ctx)
}

// startOrdered starts the hub that the orders are for.
func startOrdered(o order) (inner, error) {
	if o.Token == "" {
		return startInner(o.Kind, func(ctx context.Context) (cdpclient.Wire, error) {
			return cdpclient.DialWebSocket(ctx, o.Endpoint, nil)
		}, o.Tuning, nil)
	}
	f := os.NewFile(uintptr(firstFile+2+2*o.Clients), "extension's port")
	defer f.Close()
	l, err := net.FileListener(f)
	if err != nil {
		return inner{}, err
	}
	return startLinked(&door{l, o.Token}, o.Tuning), nil
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

// startApart runs a hub in a process of its own, with the settings that
// webmcp-hub serve gives itself.
func startApart(o Options, d driver, clients int) (*running, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var token string
	door := d.door()
	if door != nil {
		token = door.token
	}
	text, err := json.Marshal(order{o.Kind, d.endpoint(), token, o.Tuning, clients, o.CPUProfile, o.MemProfile})
	if err != nil {
		return nil, err
	}
	ours, theirs, err := pipes(clients)
	if err != nil {
		return nil, err
	}
	control, controlled, err := pipes(1)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	if os.Getenv("GOMAXPROCS") == "" {
		cmd.Env = append(cmd.Env, "GOMAXPROCS="+strconv.Itoa(max(1, runtime.NumCPU()/2)))
	}
	cmd.Stderr = os.Stderr
	for _, e := range append(controlled, theirs...) {
		cmd.ExtraFiles = append(cmd.ExtraFiles, e.in, e.out)
	}
	if door != nil {
		f, err := door.file()
		if err != nil {
			return nil, err
		}
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
	}
	err = cmd.Start()
	for _, f := range cmd.ExtraFiles {
		f.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("the hub's process could not be started: %w", err)
	}
	ask, answers := control[0].in, json.NewDecoder(control[0].out)
	var asking sync.Mutex
	return &running{
		ends: ours,
		usage: func(fresh bool) (u usage, err error) {
			asking.Lock()
			defer asking.Unlock()
			word := "now\n"
			if fresh {
				word = "fresh\n"
			}
			if _, err = ask.WriteString(word); err == nil {
				err = answers.Decode(&u)
			}
			return u, err
		},
		stop: func() error {
			ask.Close()
			defer control[0].out.Close()
			if err := cmd.Wait(); err != nil {
				return fmt.Errorf("the hub's process ended badly: %w", err)
			}
			return nil
		},
	}, nil
}

package uicmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"
)

// Cmd opens the live page of a hub that runs.
type Cmd struct {
	Hub   int  `placeholder:"PID" help:"The process whose hub is meant, where several run."`
	Print bool `help:"Only print the link, which lets one browser in, once."`
}

var errNone = errors.New("no webmcp-hub with a live page runs: start one with --ui, for example by adding it to the arguments in your MCP client's configuration")

// Run prints the link and opens it.
func (c *Cmd) Run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	links, err := running(ctx, c.Hub)
	if err != nil {
		return err
	}
	pids := slices.Sorted(maps.Keys(links))
	switch {
	case len(pids) == 0 && c.Hub != 0:
		return fmt.Errorf("process %d has no hub with a live page", c.Hub)
	case len(pids) == 0:
		return errNone
	case len(pids) > 1:
		return fmt.Errorf("several hubs with a live page run, of the processes %v; choose one by --hub=PID", pids)
	}
	link := links[pids[0]]
	fmt.Println(link)
	if c.Print {
		return nil
	}
	if err := Browse(link); err != nil {
		fmt.Fprintln(os.Stderr, "The browser could not be opened; open the link yourself:", err)
	}
	return nil
}

// Browse opens a link in the user's browser.
func Browse(link string) error {
	program := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if program == nil {
		program = []string{"xdg-open"}
	}
	return exec.Command(program[0], append(program[1:], link)...).Start()
}

package livepage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// UICmd opens the live page of a running hub.
type UICmd struct {
	Hub   int  `placeholder:"PID" help:"The process id of the hub, if several run. Default: the only hub; if there is none, the page of a webmcp-hub inspect."`
	Print bool `help:"Only print the link, which lets one browser in, once."`
}

var errNone = errors.New("no webmcp-hub with a live page runs: start one with --ui, for example by adding it to the " +
	"arguments in your MCP client's configuration")

// Run prints the link and opens it.
func (c *UICmd) Run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	all, err := All(ctx, c.Hub)
	if err != nil {
		return err
	}
	one, err := choose(all, c.Hub)
	if err != nil {
		return err
	}
	if one.About != "" && c.Hub == 0 {
		fmt.Fprintf(os.Stderr, "No hub with a live page runs; this is the page of webmcp-hub inspect %q.\n", one.About)
	}
	link := one.Link
	fmt.Println(link)
	if c.Print {
		return nil
	}
	if err := Browse(link); err != nil {
		fmt.Fprintln(os.Stderr, "The browser could not be opened; open the link yourself:", err)
	}
	return nil
}

// choose returns the page of the process pid, or if pid is 0, the only page. Pages of hubs come before those of
// webmcp-hub inspect.
func choose(all []Running, pid int) (Running, error) {
	if hubs := slices.DeleteFunc(slices.Clone(all), func(s Running) bool { return s.About != "" }); len(hubs) > 0 {
		all = hubs
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0 && pid != 0:
		return Running{}, fmt.Errorf("process %d has no hub with a live page", pid)
	case len(all) == 0:
		return Running{}, errNone
	}
	var these strings.Builder
	for _, s := range all {
		fmt.Fprintf(&these, "\n  --hub=%d", s.PID)
		if s.About != "" {
			fmt.Fprintf(&these, "  inspect %q", s.About)
		}
	}
	return Running{}, fmt.Errorf("several live pages are served; choose one:%s", &these)
}

// Browse opens a link in the user's browser.
func Browse(link string) error {
	program := map[string][]string{"darwin": {"open"},
		"windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if program == nil {
		program = []string{"xdg-open"}
	}
	return exec.Command(program[0], append(program[1:], link)...).Start()
}

package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"webmcphub/check/report"

	"webmcphub/cmd/webmcp-hub/livepage"
	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/internal/mask"

	"webmcphub/internal/terminal"
)

// Inspect is the command "inspect", which shows a page's tools to its author.
type Inspect struct {
	URL      string           `arg:"" name:"url" help:"The address of the page."`
	Timeout  time.Duration    `env:"-" default:"20s" help:"How long Chrome and the page may take to appear."`
	UI       livepage.Address `name:"ui" env:"-" placeholder:"ADDR" help:"Serve the live page here: 127.0.0.1:8809, or just a port. Default: a free port."`
	Print    bool             `env:"-" help:"Only print the link, which lets one browser in, once."`
	Headless *bool            `negatable:"" env:"-" help:"Start Chrome without a window. Default: only where there is no display."`
	Quiet    bool             `short:"q" env:"-" help:"Show no progress on the terminal."`
	Browser
}

// Validate checks the flags. The parser calls it.
func (c *Inspect) Validate() error {
	if c.URL == "" {
		return nil // the parser says what is missing
	}
	if err := Address(c.URL); err != nil {
		return err
	}
	switch {
	case c.Timeout <= 0:
		return errors.New("--timeout must be more than 0")
	case c.BrowserURL != "" && c.Headless != nil:
		return errors.New("--headless is for a Chrome that inspect starts; it does nothing for the one of --browser-url")
	}
	return c.Browser.Check("inspect")
}

// plain returns an address without the parts that may be secret.
func plain(address string) string {
	u, err := url.Parse(address)
	if err != nil { // it was checked before
		return ""
	}
	u.User, u.RawQuery, u.Fragment, u.ForceQuery = nil, "", "", false
	return u.String()
}

// longestLine is practically forever.
const longestLine = 10 * 365 * 24 * time.Hour

// Run shows the page until it is closed or the user ends the command. The program's version is among the parser's
// variables.
func (c *Inspect) Run(vars kong.Vars) error {
	if err := Address(c.URL); err != nil { // the argument was given, and is empty
		return c.fails(report.Misused, err)
	}
	ctx, cancel := process.UntilSignal(longestLine)
	defer cancel()
	log := slog.New(mask.Handler(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	ui, err := livepage.OpenUI(livepage.UIFlags{UI: cmp.Or(c.UI, livepage.AnyPort)}, log)
	if err != nil {
		return c.fails(report.Misused, err)
	}
	ui.IsAbout(plain(c.URL))
	i := newInspection(ui, strings.TrimPrefix(vars["version"], "webmcp-hub "), log)
	defer i.close()
	line := terminal.On(os.Stderr, c.Quiet)
	defer line.Done()
	if err := c.begin(ctx, i, line); err != nil {
		if errors.Is(context.Cause(ctx), process.ErrInterrupted) {
			return process.ErrInterrupted
		}
		return c.fails(report.Unchecked, err)
	}
	line.Done()
	stop := i.serve(ctx)
	defer stop()
	link := ui.Link()
	fmt.Println(link)
	fmt.Fprintln(os.Stderr, "The live page shows the tools of "+c.URL+" and its console, and calls them. Ctrl-C ends "+
		"that; so does closing the page.")
	if !c.Print {
		if err := livepage.Browse(link); err != nil {
			fmt.Fprintln(os.Stderr, "The browser could not be opened; open the link yourself:", err)
		}
	}
	return i.wait(ctx)
}

// begin opens the page and starts listening to its console.
func (c *Inspect) begin(ctx context.Context, i *inspection, line *terminal.Line) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("that took longer than %v; --timeout "+
		"allows for more", c.Timeout))
	defer cancel()
	line.Say("waiting for Chrome")
	if err := i.start(ctx, c.way()); err != nil {
		return err
	}
	line.Say("opening " + c.URL)
	return i.open(ctx, c.URL)
}

func (c *Inspect) fails(code int, err error) error {
	fmt.Fprintf(os.Stderr, "webmcp-hub: %v\n", err)
	return ExitCode(code)
}

// way returns the way to Chrome.
func (c *Inspect) way() chromeSource {
	w := chromeSource{browserURL: c.BrowserURL, started: &started{}}
	o := &w.started.options
	o.ExecutablePath, o.Channel, o.Args = c.ExecutablePath, c.Channel, append([]string{c.URL}, c.ChromeArg...)
	o.Headless = !process.HasDisplay()
	if c.Headless != nil {
		o.Headless = *c.Headless
	}
	return w
}

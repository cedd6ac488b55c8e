package browsers

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"webmcphub/actors"
	"webmcphub/cdpclient/grid"
	"webmcphub/cdpclient/launch"
	"webmcphub/internal/hosts"
	"webmcphub/registry"
)

// GridFlags ask a Selenium Grid for browsers.
type GridFlags struct {
	Grid         string   `group:"common" placeholder:"URL" help:"Ask this Selenium Grid 4 for a browser, for example http://grid.example:4444. Can be combined with --browser-url, --ws-endpoint and --browsers. See docs/browsers.md."`
	GridSessions int      `default:"1" placeholder:"N" help:"With --grid: how many browsers to ask for. They are called grid-1, grid-2 and so on."`
	GridLabel    []string `sep:"none" placeholder:"NAME=VALUE" help:"With --grid: ask for browsers with this capability, such as zone:name=eu or platformName=linux; agents can ask for a browser by the value. Repeatable."`
	GridHeader   []string `sep:"none" placeholder:"NAME: VALUE" help:"With --grid: send this header to the grid. The value can come from a file or the environment: \"Authorization: {file: PATH}\", \"Authorization: {env: NAME}\". Repeatable."`
}

// These flags name a grid and the headers for it.
const (
	gridFlag       = "--grid"
	gridHeaderFlag = "--grid-header"
)

// maxSessions is how many browsers a hub may ask a grid for.
const maxSessions = 1000

// Given reports whether the flags name a grid.
func (f GridFlags) Given() bool { return f.Grid != "" }

// Check returns an error for flags that contradict each other.
func (f GridFlags) Check() error {
	if !f.Given() {
		if len(f.GridLabel)+len(f.GridHeader) > 0 || f.GridSessions > 1 {
			return errors.New("--grid-sessions, --grid-label and --grid-header go with --grid only")
		}
		return nil
	}
	if err := hosts.CheckURL(gridFlag, f.Grid, "http", "https"); err != nil {
		return err
	}
	if f.GridSessions < 1 || f.GridSessions > maxSessions {
		return fmt.Errorf("--grid-sessions must be from 1 to %d, not %d", maxSessions, f.GridSessions)
	}
	if _, _, err := f.labels(); err != nil {
		return err
	}
	_, err := HeadersFrom(gridHeaderFlag, f.GridHeader)
	return err
}

// standard lists the capabilities without a colon that say which browser is meant.
var standard = []string{"platformName", "browserVersion"}

// labels returns the values of --grid-label both as WebDriver capabilities and as labels of browsers.
func (f GridFlags) labels() (capabilities map[string]any, labels []string, err error) {
	capabilities = map[string]any{}
	for _, text := range f.GridLabel {
		name, value, ok := strings.Cut(text, "=")
		switch {
		case !ok || name == "" || value == "":
			return nil, nil, fmt.Errorf("--grid-label must look like zone:name=eu, not %q", text)
		case strings.HasPrefix(name, "goog:"):
			return nil, nil, fmt.Errorf("--grid-label=%s: the hub itself sets Chrome's own capabilities; "+
				"use --chrome-arg", text)
		case !strings.Contains(name, ":") && !slices.Contains(standard, name):
			return nil, nil, fmt.Errorf("--grid-label=%s: the name of a capability of your own needs a colon, "+
				"such as zone:name; names without a colon are %s", text, strings.Join(standard, " and "))
		case capabilities[name] != nil:
			return nil, nil, fmt.Errorf("--grid-label: %s is given twice", name)
		case value == "true" || value == "false":
			capabilities[name] = value == "true"
			continue
		}
		capabilities[name] = value
		if registry.BrowserLabelError(value) == "" {
			labels = append(labels, value)
		}
	}
	return capabilities, labels, nil
}

// Key returns the key by which processes with the same grid find each other; "" for no grid.
func (f GridFlags) Key() string {
	if !f.Given() {
		return ""
	}
	return "\ngrid\n" + loopback(strings.TrimRight(f.Grid, "/")) + "\n" +
		fmt.Sprint(f.GridSessions, "\n", strings.Join(f.GridLabel, "\n"), "\n", strings.Join(f.GridHeader, "\n"))
}

// Browsers returns the browsers of the grid; nil for no grid. args are for Chrome's command line. when says when the
// hub connects to the browsers; its dialers are ignored.
func (f GridFlags) Browsers(args []string, headless bool, when actors.ConnectOptions,
	log *slog.Logger) ([]actors.BrowserOptions, error) {
	if !f.Given() {
		return nil, nil
	}
	capabilities, labels, err := f.labels()
	if err != nil {
		return nil, err
	}
	header, err := HeadersFrom(gridHeaderFlag, f.GridHeader)
	if err != nil {
		return nil, err
	}
	g, err := grid.New(grid.Options{
		URL:          f.Grid,
		Header:       header,
		Args:         launch.Args(headless, args),
		Capabilities: capabilities,
		OnStatus:     actors.SetDialStatus,
		Log:          log,
	})
	if err != nil {
		return nil, err
	}
	when.Dialer, when.Launcher = g, nil
	var all []actors.BrowserOptions
	for n := range f.GridSessions {
		name := fmt.Sprintf("grid-%d", n+1)
		all = append(all, actors.BrowserOptions{NamedBrowser: registry.NamedBrowser{Name: name, Labels: labels},
			ConnectOptions: when,
			Key:            f.Key() + "\n" + name})
	}
	return all, nil
}

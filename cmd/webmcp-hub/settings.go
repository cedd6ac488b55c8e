package main

import (
	"slices"

	"github.com/alecthomas/kong"

	"webmcphub/internal/private"
	"webmcphub/internal/settings"
)

// What the command line doesn't say the environment may, and what neither does
// a file of settings. Both know each flag by its name.

// envPrefix begins the variables of flags: --max-pages is WEBMCP_HUB_MAX_PAGES.
const envPrefix = "WEBMCP_HUB"

// defaultSettings is the file in the hub's own folder that is read if it's there.
const defaultSettings = "config.yaml"

// Flags that give way together: those of a grid, and those of a Chrome that the hub starts.
var (
	gridFlags   = []string{"grid", "grid-sessions", "grid-label", "grid-header"}
	launchFlags = []string{"executable-path", "isolated", "headless", "chrome-arg"}
)

// settingRules: no file sets flags that are about reading it, or about what this one
// run is for; a flag that names one Chrome displaces those about another.
var settingRules = settings.Rules{
	Flag:   "config",
	Except: []string{"config", "help", "version"},
	Displaces: map[string][]string{
		"launch": slices.Concat(gridFlags, []string{"browser-url", "ws-endpoint", "ws-header", "browsers",
			"auto-connect"}),
		"browser-url": slices.Concat(gridFlags, launchFlags,
			[]string{"launch", "ws-endpoint", "ws-header", "browsers", "auto-connect", "user-data-dir"}),
		"ws-endpoint": slices.Concat(gridFlags, launchFlags,
			[]string{"launch", "browser-url", "browsers", "auto-connect", "user-data-dir"}),
		"browsers": slices.Concat(gridFlags, launchFlags,
			[]string{"launch", "browser-url", "ws-endpoint", "ws-header", "auto-connect", "user-data-dir"}),
		"grid": {"launch", "browser-url", "ws-endpoint", "browsers", "ws-header", "auto-connect",
			"executable-path", "isolated", "user-data-dir"},
		"auto-connect": slices.Concat(gridFlags, launchFlags,
			[]string{"launch", "browser-url", "ws-endpoint", "ws-header", "browsers"}),

		"isolated": slices.Concat(gridFlags, []string{"user-data-dir", "browser-url", "ws-endpoint", "ws-header",
			"browsers", "auto-connect"}),
		"user-data-dir": {"isolated"},
		"token":         {"token-file"},
		"token-file":    {"token"},
	},
}

// BeforeResolve is called by the parser when the command line and the
// environment are read, and adds the settings.
func (c *cli) BeforeResolve(ctx *kong.Context) (err error) {
	if at := ctx.Selected(); at != nil && (at.Name == "check" || at.Name == "inspect") {
		return nil // their flags are called like the hub's, whose Chrome and times aren't for them
	}
	rules := settingRules
	rules.Default, _ = private.Place(defaultSettings) // "" where there is no home
	c.set, err = settings.Resolve(ctx, rules)
	return err
}

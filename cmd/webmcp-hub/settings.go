package main

import (
	"slices"

	"github.com/alecthomas/kong"

	"webmcphub/internal/private"
	"webmcphub/internal/settings"
)

// A flag that the command line doesn't set can come from the environment, and otherwise from the settings file. Both
// know each flag by its name.

// envPrefix is the prefix of the environment variables for flags: --max-pages is WEBMCP_HUB_MAX_PAGES.
const envPrefix = "WEBMCP_HUB"

// defaultSettings is the settings file in the hub's own folder; it is read if it exists.
const defaultSettings = "config.yaml"

// These groups of flags give way together: the flags of a grid, and those of a Chrome that the hub starts.
var (
	gridFlags   = []string{"grid", "grid-sessions", "grid-label", "grid-header"}
	launchFlags = []string{"executable-path", "isolated", "headless", "chrome-arg"}
)

// settingRules: a settings file can't set flags about reading settings, or flags that concern only one run. A flag on
// the command line that names a Chrome displaces settings about another Chrome.
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

// BeforeResolve adds the settings. The parser calls it when it has read the command line and the environment.
func (c *serving) BeforeResolve(ctx *kong.Context) (err error) {
	if at := ctx.Selected(); at != nil && (at.Name == "check" || at.Name == "inspect") {
		return nil // their flags have the names of the hub's flags, but the settings for the hub's Chrome and times aren't meant for them
	}
	rules := settingRules
	rules.Default, _ = private.Place(defaultSettings) // "" where there is no home
	c.set, err = settings.Resolve(ctx, rules)
	return err
}

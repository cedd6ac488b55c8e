package main

import (
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

// settingRules: no file sets flags that are about reading it, or about what this one
// run is for; a flag that names one Chrome displaces those about another.
var settingRules = settings.Rules{
	Flag:   "config",
	Except: []string{"config", "help", "version"},
	Displaces: map[string][]string{
		"launch":       {"grid", "grid-sessions", "grid-label", "grid-header", "browser-url", "ws-endpoint", "browsers", "auto-connect", "ws-header"},
		"browser-url":  {"launch", "grid", "grid-sessions", "grid-label", "grid-header", "ws-endpoint", "browsers", "ws-header", "auto-connect", "executable-path", "isolated", "headless", "chrome-arg", "user-data-dir"},
		"ws-endpoint":  {"launch", "grid", "grid-sessions", "grid-label", "grid-header", "browser-url", "browsers", "auto-connect", "executable-path", "isolated", "headless", "chrome-arg", "user-data-dir"},
		"browsers":     {"launch", "grid", "grid-sessions", "grid-label", "grid-header", "browser-url", "ws-endpoint", "ws-header", "auto-connect", "executable-path", "isolated", "headless", "chrome-arg", "user-data-dir"},
		"grid":         {"launch", "browser-url", "ws-endpoint", "browsers", "ws-header", "auto-connect", "executable-path", "isolated", "user-data-dir"},
		"auto-connect": {"launch", "grid", "grid-sessions", "grid-label", "grid-header", "browser-url", "ws-endpoint", "browsers", "ws-header", "executable-path", "isolated", "headless", "chrome-arg"},

		"isolated":      {"grid", "grid-sessions", "grid-label", "grid-header", "user-data-dir", "browser-url", "ws-endpoint", "browsers", "ws-header", "auto-connect"},
		"user-data-dir": {"isolated"},
		"token":         {"token-file"},
		"token-file":    {"token"},
	},
}

// BeforeResolve is called by the parser when the command line and the
// environment are read, and adds the settings.
func (c *cli) BeforeResolve(ctx *kong.Context) error {
	if at := ctx.Selected(); at != nil && (at.Name == "check" || at.Name == "inspect") {
		return nil // their flags are called like the hub's, whose Chrome and times aren't for them
	}
	rules := settingRules
	rules.Default, _ = private.Place(defaultSettings) // "" where there is no home
	return settings.Resolve(ctx, rules)
}

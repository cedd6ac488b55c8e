package launch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// channels are the channels for [Find] and [DefaultUserDataDirs], in order of preference. The empty channel means
// any.
var channels = []string{"stable", "chromium", "beta", "dev", "canary"}

func channelList(channel string) ([]string, error) {
	if channel == "" {
		return channels, nil
	}
	if !slices.Contains(channels, channel) {
		return nil, fmt.Errorf("there is no Chrome channel %q; known are %s", channel, strings.Join(channels, ", "))
	}
	return []string{channel}, nil
}

// Find looks for an installed Chrome or Chromium. channel is "stable", "beta", "dev", "canary", "chromium", or "" for
// any.
func Find(channel string) (string, error) {
	list, err := channelList(channel)
	if err != nil {
		return "", err
	}
	for _, ch := range list {
		for _, name := range executables(runtime.GOOS, ch) {
			if path, err := exec.LookPath(name); err == nil {
				return filepath.Abs(path)
			}
		}
	}
	what := "Chrome or Chromium"
	if channel != "" {
		what = "Chrome (" + channel + ")"
	}
	return "", fmt.Errorf("%s was not found; install it, or say where it is with --executable-path", what)
}

// executables returns names for PATH and absolute paths, best first.
func executables(goos, channel string) []string {
	switch goos {
	case "darwin":
		app := map[string]string{
			"stable": "Google Chrome", "beta": "Google Chrome Beta", "dev": "Google Chrome Dev",
			"canary": "Google Chrome Canary", "chromium": "Chromium",
		}[channel]
		inside := app + ".app/Contents/MacOS/" + app
		names := []string{"/Applications/" + inside}
		if home, err := os.UserHomeDir(); err == nil {
			names = append(names, home+"/Applications/"+inside)
		}
		return append(names, pathNames(channel)...)
	case "windows":
		dir := map[string]string{
			"stable": `Google\Chrome`, "beta": `Google\Chrome Beta`, "dev": `Google\Chrome Dev`,
			"canary": `Google\Chrome SxS`, "chromium": `Chromium`,
		}[channel]
		var names []string
		for _, env := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
			if root := os.Getenv(env); root != "" {
				names = append(names, root+`\`+dir+`\Application\chrome.exe`)
			}
		}
		return names
	}
	return pathNames(channel)
}

func pathNames(channel string) []string {
	switch channel {
	case "stable":
		return []string{"google-chrome", "google-chrome-stable", "/opt/google/chrome/chrome"}
	case "beta":
		return []string{"google-chrome-beta", "/opt/google/chrome-beta/chrome"}
	case "dev":
		return []string{"google-chrome-unstable", "/opt/google/chrome-unstable/chrome"}
	case "canary":
		return []string{"google-chrome-canary", "/opt/google/chrome-canary/chrome"}
	}
	return []string{"chromium", "chromium-browser", "/snap/bin/chromium"}
}

// DefaultUserDataDirs returns where users' own profiles of a channel may be, whether they exist or not, best first;
// "" means all channels. It returns nil for an unknown channel or without a home directory.
func DefaultUserDataDirs(channel string) []string {
	list, err := channelList(channel)
	if err != nil {
		return nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	var dirs []string
	for _, ch := range list {
		dirs = append(dirs, userDataDirs(runtime.GOOS, ch, home)...)
	}
	return dirs
}

func userDataDirs(goos, channel, home string) []string {
	switch goos {
	case "darwin":
		name := map[string]string{
			"stable": "Google/Chrome", "beta": "Google/Chrome Beta", "dev": "Google/Chrome Dev",
			"canary": "Google/Chrome Canary", "chromium": "Chromium",
		}[channel]
		return []string{filepath.Join(home, "Library", "Application Support", name)}
	case "windows":
		name := map[string]string{
			"stable": `Google\Chrome`, "beta": `Google\Chrome Beta`, "dev": `Google\Chrome Dev`,
			"canary": `Google\Chrome SxS`, "chromium": `Chromium`,
		}[channel]
		local := os.Getenv("LocalAppData")
		if local == "" {
			local = home + `\AppData\Local`
		}
		return []string{local + `\` + name + `\User Data`}
	}
	name := map[string]string{
		"stable": "google-chrome", "beta": "google-chrome-beta", "dev": "google-chrome-unstable",
		"canary": "google-chrome-canary", "chromium": "chromium",
	}[channel]
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	dirs := []string{filepath.Join(config, name)}
	if channel == "chromium" {
		dirs = append(dirs, filepath.Join(home, "snap", "chromium", "common", "chromium"))
	}
	return dirs
}

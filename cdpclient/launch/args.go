package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"webmcphub/cdpclient"
)

// featureFlag is the feature that switches WebMCP on in Chrome.
const featureFlag = "WebMCP"

// addressBar are the features by which Chrome loads two pages behind the address bar of each window, also where there
// is no window. They take a fifth of the processor time of a start.
var addressBar = []string{"WebUIOmniboxPopup", "WebUIOmniboxAimPopup"}

// chromeArgs returns the command line. Flags that would change what a user's own browser does (sync, updates, safe
// browsing) are only for temporary profiles.
func chromeArgs(o Options, profile string, temp bool) []string {
	var rest []string
	address := false
	for _, a := range o.Args {
		if isAddress(a) && o.Headless {
			if address {
				continue // see furtherAddresses
			}
			address = true
		}
		if !strings.HasPrefix(a, "--user-data-dir=") {
			rest = append(rest, a)
		}
	}
	features, rest := featureFlags(o.Headless, rest)
	args := append([]string{"--remote-debugging-pipe"}, features...)
	args = append(args,
		"--user-data-dir="+profile,
		"--no-first-run",
		"--no-default-browser-check",
		"--hide-crash-restore-bubble",
	)
	if temp {
		args = append(args,
			"--disable-background-networking",
			"--disable-component-update",
			"--disable-default-apps",
			"--disable-sync",
			"--metrics-recording-only",
			"--password-store=basic",
			"--use-mock-keychain",
		)
	}
	if o.Headless {
		args = append(args, "--headless=new")
	}
	if o.NoSandbox || isRoot() {
		args = append(args, "--no-sandbox")
	}
	return append(args, rest...)
}

// featureFlags returns the flags that switch features on and off, including those in args, and the other args. Chrome
// uses only the last flag of each kind.
func featureFlags(headless bool, args []string) (flags, rest []string) {
	enabled := []string{featureFlag}
	var disabled []string
	if headless {
		disabled = append(disabled, addressBar...)
	}
	for _, a := range args {
		if v, ok := strings.CutPrefix(a, "--enable-features="); ok {
			enabled = append(enabled, strings.Split(v, ",")...)
		} else if v, ok := strings.CutPrefix(a, "--disable-features="); ok {
			disabled = append(disabled, strings.Split(v, ",")...)
		} else {
			rest = append(rest, a)
		}
	}
	flags = append(flags, "--enable-features="+strings.Join(unique(enabled), ","))
	if disabled = unique(disabled); len(disabled) > 0 {
		flags = append(flags, "--disable-features="+strings.Join(disabled, ","))
	}
	return flags, rest
}

// Args returns arguments for a Chrome that somebody else starts, with its own profile and debugging port: the flags
// that switch WebMCP on, and args.
func Args(headless bool, args []string) []string {
	features, rest := featureFlags(headless, args)
	all := append(features, "--no-first-run")
	if headless {
		all = append(all, "--headless=new")
	}
	return append(all, rest...)
}

// furtherAddresses returns all addresses among the arguments except the first. Chrome without a window doesn't start
// with more than one.
func furtherAddresses(o Options) (further []string) {
	if !o.Headless {
		return nil
	}
	first := true
	for _, a := range o.Args {
		switch {
		case !isAddress(a):
		case first:
			first = false
		default:
			further = append(further, a)
		}
	}
	return further
}

// wholeAddresses returns an error for addresses that only Chrome's command line can complete: for these CDP opens an
// empty page.
func wholeAddresses(addresses []string) error {
	for _, a := range addresses {
		if !strings.Contains(a, "://") && !strings.HasPrefix(a, "about:") && !strings.HasPrefix(a, "data:") {
			return fmt.Errorf("--chrome-arg=%s: of several addresses all must be whole where Chrome gets no window, "+
				"such as https://example.com", a)
		}
	}
	return nil
}

// isAddress reports whether Chrome opens an argument instead of taking it as a flag.
func isAddress(arg string) bool { return arg != "" && !strings.HasPrefix(arg, "-") }

func unique(list []string) []string {
	var out []string
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// profileOf returns the profile, which may also come from a --user-data-dir among the extra flags.
func profileOf(o Options) string {
	if o.UserDataDir != "" {
		return o.UserDataDir
	}
	for _, a := range slices.Backward(o.Args) {
		if v, ok := strings.CutPrefix(a, "--user-data-dir="); ok {
			return v
		}
	}
	return ""
}

// profileInUse is Chrome's exit code for a profile that is locked.
const profileInUse = 21

// explain returns an error with advice about a failed start. Chrome has exited.
func (c *Chrome) explain(err error, exe, log string) error {
	var exit *exec.ExitError
	code := 0
	if errors.As(c.exitErr, &exit) {
		code = exit.ExitCode()
	}
	var refused *cdpclient.Error
	has := func(s string) bool { return strings.Contains(log, s) }
	switch {
	case errors.As(err, &refused):
		return fmt.Errorf("start Chrome: %w", err)
	case errors.Is(err, errTooSlow):
		return fmt.Errorf("Chrome (%s) started but gave %w%s", exe, err, quoted(log))
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("start Chrome: %w", err)
	case has("SingletonLock") && has("Permission denied"):
		return unusable(c.UserDataDir, errors.New("Chrome may not write its lock there"))
	case code == profileInUse, has("existing browser session"), has("profile appears to be in use"),
		has("ProcessSingleton"):
		return fmt.Errorf("the profile %s is in use by another Chrome; close that one, choose another "+
			"--user-data-dir, or attach to it with --auto-connect", c.UserDataDir)
	case has("Missing X server"), has("DISPLAY"), has("ozone_platform"):
		return fmt.Errorf("Chrome (%s) found no display; use --headless%s", exe, quoted(log))
	case has("No usable sandbox"):
		return fmt.Errorf("Chrome (%s) cannot build its sandbox here; allow user namespaces, or pass "+
			"--chrome-arg=--no-sandbox if all pages are trusted%s", exe, quoted(log))
	case c.exitErr == nil:
		// A running Chrome with this profile took over, and this one exited.
		return fmt.Errorf("Chrome (%s) exited at once; if another Chrome uses the profile %s, close it or choose "+
			"another --user-data-dir%s", exe, c.UserDataDir, quoted(log))
	}
	return fmt.Errorf("Chrome (%s) exited at once (%w)%s", exe, c.exitErr, quoted(log))
}

// quoted returns the last lines of Chrome's log for an error text.
func quoted(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	if n := len(lines); n > 4 {
		lines = lines[n-4:]
	}
	text := strings.Join(lines, "\n")
	if text == "" {
		return ""
	}
	return "; its last words:\n" + text
}

// tailWriter keeps the end of Chrome's log and passes all of it on.
type tailWriter struct {
	next io.Writer

	mu   sync.Mutex
	tail []byte
}

const tailSize = 4 << 10 // bytes

func (t *tailWriter) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tail = append(t.tail, p...)
	if n := len(t.tail) - tailSize; n > 0 {
		t.tail = append(t.tail[:0], t.tail[n:]...)
	}
	if t.next != nil {
		_, _ = t.next.Write(p) // a failing log must not stall Chrome
	}
	return len(p), nil
}

func (t *tailWriter) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.tail)
}

package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"webmcphub/cdpclient/launch"
	"webmcphub/mcpserver/share"
)

// shareFlags say whether processes with the same Chrome share one hub.
type shareFlags struct {
	Share bool `default:"true" negatable:"" help:"Have one hub for all webmcp-hub processes with the same Chrome: further ones join the first, and one of them takes over when it ends. --no-share runs a separate hub."`
}

// reopenEnv names an environment variable for tests. If it is set, the process goes on without the previous hub's
// Chrome, as it must where the system can't hand Chrome over.
const reopenEnv = "WEBMCP_HUB_TEST_REOPEN"

// sharing returns the options that say with which processes serve shares its hub.
func (s *serveCmd) sharing() (share.Options, error) {
	if !s.Share || s.Isolated {
		return share.Options{Off: true}, nil
	}
	flags := slices.Concat(flagSettings(s.hubFlags.plain()), flagSettings(s.extensionFlags),
		flagSettings(s.HintFlags), flagSettings(s.storeFlags), flagSettings(s.AuditFlags))
	o := share.Options{NoFiles: os.Getenv(reopenEnv) != "", Settings: flags, Version: version,
		Rules: [][]string{{"--exclusive-tabs"}}}
	for _, rules := range [][]share.Setting{flagSettings(s.originFlags), flagSettings(s.FlowFlags),
		flagSettings(s.RateFlags), flagSettings(s.pinFlags), s.Flags.Settings()} {
		var names []string
		for _, rule := range rules {
			names = append(names, rule.Name)
		}
		o.Settings, o.Rules = append(o.Settings, rules...), append(o.Rules, names)
	}
	if !s.Web.Stdio {
		o.OwnerOnly = "it must not serve the --listen of this one; start this one first, or with a Chrome of its own " +
			"(--user-data-dir or --isolated)"
	}
	onRequest := s.onRequest() && !s.reaches()
	switch {
	case s.Browsers != "":
		o.Key, o.ManyHubs = "browsers-file\n"+s.Browsers+"\n"+s.endpoints().Key()+s.GridFlags.Key(), true
	case len(s.endpoints()) > 0 || s.GridFlags.Given():
		o.Key, o.ManyHubs = s.endpoints().Key()+s.GridFlags.Key(), true
	case s.AutoConnect || onRequest:
		dirs := []string{s.UserDataDir}
		if s.UserDataDir == "" {
			dirs = launch.DefaultUserDataDirs(s.Channel)
		}
		o.Key, o.ManyHubs = "auto-connect\n"+strings.Join(dirs, "\n"), true
	}
	if s.launches() {
		profile, err := s.profile()
		if err != nil {
			return o, err
		}
		if there, err := filepath.EvalSymlinks(profile); err == nil {
			profile = there
		}
		o.Key += "launch\n" + profile
		o.Settings = append(o.Settings,
			share.Setting{Name: "--executable-path", Value: s.ExecutablePath},
			share.Setting{Name: "--channel", Value: s.Channel},
			share.Setting{Name: "--headless", Value: strconv.FormatBool(s.headless(slog.New(slog.DiscardHandler)))},
			share.Setting{Name: "--chrome-arg", Value: strings.Join(s.ChromeArg, " ")})
	}
	return o, nil
}

// terms identifies what clients over HTTP may do: the hub's settings, rules among them, and their browser tools.
func (s *serveCmd) terms(settings []share.Setting) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q %q", settings, s.Automation)))
}

// flagSettings returns the values of the flags that belong to the hub, under the names that they have on the command
// line.
func flagSettings(flags any) (all []share.Setting) {
	v := reflect.ValueOf(flags)
	for _, field := range reflect.VisibleFields(v.Type()) {
		if _, view := field.Tag.Lookup("view"); view || field.Anonymous {
			continue
		}
		name := cmp.Or(field.Tag.Get("name"), dashed(field.Name))
		all = append(all, share.Setting{Name: "--" + name, Value: fmt.Sprint(v.FieldByIndex(field.Index).Interface())})
	}
	return all
}

// dashed returns the command line's name for a field: max-pages for MaxPages.
func dashed(field string) string {
	var b strings.Builder
	for i, r := range field {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

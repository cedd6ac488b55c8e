package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode"

	"webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/registry/mcpserver"
	"webmcphub/registry/mcpserver/share"
)

// shareFlags say whether processes with the same Chrome have one hub.
type shareFlags struct {
	Share bool `default:"true" negatable:"" help:"Have one hub for all webmcp-hub processes with the same Chrome: further ones join the first, and one of them takes over when it ends. --no-share runs one of its own."`
}

// sharing says whom serve's hub is shared with.
func (s *serveCmd) sharing() (share.Options, error) {
	if !s.Share || s.Isolated {
		return share.Options{Off: true}, nil
	}
	flags := slices.Concat(flagSettings(s.hubFlags), flagSettings(s.extensionFlags), flagSettings(s.originFlags), flagSettings(s.trustFlags), flagSettings(s.storeFlags), flagSettings(s.auditFlags))
	o := share.Options{Settings: append(flags, share.Setting{Name: "version", Value: version})}
	if s.Listen != "" {
		o.OwnerOnly = "it must not serve the --listen of this one; start this one first, or with a Chrome of its own (--user-data-dir or --isolated)"
	}
	onRequest := s.onRequest() && !s.reaches()
	switch {
	case s.BrowserURL != "":
		o.Key, o.Several = "browser-url\n"+strings.ToLower(strings.TrimRight(s.BrowserURL, "/")), true
	case s.WSEndpoint != "":
		o.Key, o.Several = "ws-endpoint\n"+s.WSEndpoint+"\n"+strings.Join(s.WSHeader, "\n"), true
	case s.AutoConnect || onRequest:
		dirs := []string{s.UserDataDir}
		if s.UserDataDir == "" {
			dirs = cdpclient.DefaultUserDataDirs(s.Channel)
		}
		o.Key, o.Several = "auto-connect\n"+strings.Join(dirs, "\n"), true
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

// flagSettings are the values of flags, under the names that they have on the
// command line.
func flagSettings(flags any) (all []share.Setting) {
	v := reflect.ValueOf(flags)
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("name")
		if name == "" {
			name = dashed(v.Type().Field(i).Name)
		}
		all = append(all, share.Setting{Name: "--" + name, Value: fmt.Sprint(v.Field(i).Interface())})
	}
	return all
}

// dashed is how the command line calls a field: MaxPages is max-pages.
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

// ownHub is the hub of this process, once it has come to own one.
type ownHub struct {
	*mcpserver.Server
	log    *slog.Logger
	failed context.CancelCauseFunc // called when the hub can't go on

	hub     atomic.Pointer[actors.Hub] // nil before
	over    chan struct{}              // closed at its end
	stopWeb func()

	stopExtensions func()
	closeExtras    func()
}

// start starts the hub, and serves it on web if there is one.
func (o *ownHub) start(ctx context.Context, s *serveCmd, web *httpListener) (share.Hub, error) {
	x, err := s.extras(o.log)
	if err != nil {
		return nil, err
	}
	extensions, err := s.extensionFlags.open(o.log)
	if err != nil && !s.reaches() {
		x.close()
		return nil, err // there is no other way to a browser
	}
	if err != nil { // such as a token that can't be read
		o.log.Error("browsers can't come by their extension", "err", err)
	}
	server, hub, err := startHub(s.chromeFlags, s.hubFlags, s.onRequest(), extensions != nil, x, o.log)
	if err != nil {
		extensions.close()
		x.close()
		return nil, err
	}
	o.closeExtras = x.close
	if extensions != nil {
		extensions.can = s.mcpb()
	}
	o.stopExtensions = extensions.serveBeside(hub)
	o.Server, o.over = server, make(chan struct{})
	o.hub.Store(hub)
	go func() {
		select {
		case err := <-hub.Failed():
			o.failed(fmt.Errorf("%w: %w", actors.ErrStopped, err))
		case <-o.over:
		}
	}()
	o.stopWeb = web.serveBeside(ctx, server, func(err error) {
		o.log.Error(err.Error())
		if !s.Stdio {
			o.failed(err)
		}
	})
	return o, nil
}

// Stop ends the hub and waits for Chrome to go.
func (o *ownHub) Stop() {
	close(o.over)
	o.stopWeb()
	o.stopExtensions()
	o.log.Info("stopping")
	grace, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	if err := o.hub.Load().Stop(grace); err != nil {
		o.log.Warn(err.Error())
	}
	o.closeExtras()
}

// autoRegister switches the listing of page tools, if this process's hub does it.
func (o *ownHub) autoRegister(on bool) {
	hub := o.hub.Load()
	if hub == nil {
		o.log.Warn("the listing of page tools was not switched: send the signal to the process whose hub this one has joined")
		return
	}
	o.log.Info("the listing of page tools was switched", "on", on)
	hub.AutoRegister(on)
}

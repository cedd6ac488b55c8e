package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"webmcphub/cdpclient/launch"
	"webmcphub/extlink"

	"webmcphub/internal/private"
	"webmcphub/mcpserver/share"
)

// The doctor's checks of this computer, apart from Chrome.

// local checks everything that the hub needs whichever Chrome it has.
func (l Doctor) local(ctx context.Context) (findings []Finding) {
	joins := l.Joins(ctx)
	findings = append(findings, l.profile(joins)...)
	findings = append(findings, l.sharing(ctx, joins)...)
	findings = append(findings, l.extension()...)
	findings = append(findings, l.http()...)
	if l.AuditLog == "" {
		findings = append(findings, note("no audit log is kept; add --audit-log=FILE to look at whether one can be"))
	}
	findings = append(findings, writable("--audit-log", l.AuditLog)...)
	return append(findings, writable("--log-file", l.LogFile)...)
}

// profile checks the profile folder of the Chrome that the hub starts. joins is the process whose hub would be joined.
func (l Doctor) profile(joins int) []Finding {
	dir := l.UserDataDir
	if dir == "" {
		var err error
		if dir, err = private.Place("profile"); err != nil {
			return []Finding{{text: fmt.Sprintf("there is no place for a profile (%v)", err),
				remedy: "name one by --user-data-dir, or use --isolated"}}
		}
	}
	if err := launch.UsableProfile(dir); err != nil {
		return []Finding{{text: err.Error(), remedy: "make the folder yours (chown, chmod 700), or choose another by " +
			"--user-data-dir"}}
	}
	used := fmt.Sprintf("the profile %s is in use by the Chrome of process %d", dir, launch.ProfileUser(dir))
	switch {
	case launch.ProfileUser(dir) == 0:
		return []Finding{well("the profile %s can be used", dir)}
	case joins != 0 || len(l.BrowserURLs) > 0: // it is that hub's Chrome, or no Chrome would be started
		return []Finding{note(used)}
	}
	return []Finding{{text: used,
		remedy: "close that Chrome, choose another profile by --user-data-dir, or use --isolated"}}
}

// sharing checks whether hubs can find each other, whether running ones answer, and which of them has the Chrome of these flags.
func (l Doctor) sharing(ctx context.Context, joins int) (findings []Finding) {
	running, err := share.Running()
	if err != nil {
		return []Finding{{text: "several clients can't share a hub: " + err.Error(),
			remedy: "remove that folder or correct its rights, or start hubs with --no-share"}}
	}
	if len(running) == 0 {
		return []Finding{well("no webmcp-hub runs that others could join")}
	}
	for _, pid := range running {
		v, err := share.VisitProcess(ctx, pid, nil)
		switch {
		case errors.Is(err, share.ErrNobody): // it has just ended
		case err != nil:
			findings = append(findings, Finding{text: err.Error(), remedy: endIt(pid)})
		case pid == joins:
			_ = v.Close()
			findings = append(findings, well("a webmcp-hub runs that has the Chrome that yours would use: "+
				"process %d", pid))
		default:
			_ = v.Close()
			findings = append(findings, note(fmt.Sprintf("a webmcp-hub runs with a Chrome that these flags "+
				"don't name: process %d", pid)))
		}
	}
	if joins != 0 && len(l.OwnersFlags) > 0 {
		findings = append(findings, note(fmt.Sprintf("a process that joins another webmcp-hub uses the flags of "+
			"that one. These flags of yours do nothing unless your process takes over: %s", strings.Join(l.OwnersFlags, " "))))
	}
	return findings
}

// endIt says how to end a hub; pid is 0 if its process isn't known.
func endIt(pid int) string {
	if pid == 0 { // "kill 0" would end the user's shell
		return "close the client that started it"
	}
	return fmt.Sprintf("close the client that started it, or end it: kill %d", pid)
}

// extension checks the pairing token and the port.
func (l Doctor) extension() []Finding {
	if l.ExtensionPort == 0 {
		return []Finding{note("what the browser's extension needs was not looked at; add --extension for that")}
	}
	var findings []Finding
	file, err := l.PairingFile()
	if err != nil {
		findings = append(findings, Finding{text: err.Error(), remedy: "set HOME, so that the hub has a folder for " +
			"its settings"})
	} else {
		findings = append(findings, tokenIn(file, "the extension's pairing token", "webmcp-hub token rotate extension"))
	}
	listener, err := extlink.Listen(l.ExtensionPort)
	var taken *extlink.PortTakenError
	switch {
	case err == nil:
		_ = listener.Close()
		return append(findings, well("port %d is free for the extension", l.ExtensionPort))
	case errors.As(err, &taken) && isHub(taken.By):
		return append(findings, well("port %d is open for the extension, by %s", l.ExtensionPort, taken.By))
	case errors.As(err, &taken):
		return append(findings, Finding{text: fmt.Sprintf("port %d is taken by %s, so the extension can't reach the hub", l.ExtensionPort, taken.By), remedy: "end that program, or choose another port by --extension-port and in the extension"})
	}
	return append(findings, Finding{text: fmt.Sprintf("port %d can't be opened: %v", l.ExtensionPort, err),
		remedy: "choose another port by --extension-port and in the extension"})
}

func isHub(holder string) bool { return strings.HasPrefix(holder, "webmcp-hub") }

// http checks the address and the token of MCP over HTTP.
func (l Doctor) http() []Finding {
	if l.Listen == nil {
		return []Finding{note("MCP over HTTP was not looked at; add --listen=ADDR for that, for example --listen=8808")}
	}
	var findings []Finding
	file, err := l.TokenFile()
	if err != nil {
		findings = append(findings, Finding{text: err.Error(), remedy: "name a file by --token-file"})
	} else {
		findings = append(findings, tokenIn(file, "the token of HTTP clients", "webmcp-hub token rotate http"))
	}
	addr := l.Listen
	listener, err := net.ListenTCP("tcp", addr)
	if err == nil {
		_ = listener.Close()
		return append(findings, well("MCP can be served at %s", addr))
	}
	holder := extlink.PortHolder(addr.Port)
	switch {
	case isHub(holder):
		return append(findings, well("MCP may be served at %s already, by %s", addr, holder))
	case holder != "":
		return append(findings, Finding{text: fmt.Sprintf("MCP can't be served at %s: %s has the port", addr, holder),
			remedy: "end that program, or choose another port by --listen"})
	}
	return append(findings, Finding{text: fmt.Sprintf("MCP can't be served at %s: %v", addr, err),
		remedy: "choose an address of this computer and a port that no program has, by --listen"})
}

// tokenIn checks a file with a token, without making one.
func tokenIn(file, what, renew string) Finding {
	switch _, err := private.Read(file); {
	case errors.Is(err, fs.ErrNotExist):
		return well("%s will be made at the first start, in %s", what, file)
	case err != nil:
		return Finding{text: what + " is not safe to use: " + err.Error(), remedy: "make a new one: " + renew}
	}
	if _, err := private.Token(file); err != nil {
		return Finding{text: err.Error(), remedy: "make a new one: " + renew}
	}
	return well("%s is in %s", what, file)
}

// writable checks whether a flag's file can be written, and leaves no trace.
func writable(flag, path string) []Finding {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		var probe *os.File
		if probe, err = os.CreateTemp(filepath.Dir(path), ".webmcp-hub-*"); err == nil {
			f = probe
			err = os.Remove(probe.Name())
		}
	}
	if err != nil {
		return []Finding{{text: fmt.Sprintf("%s can't be written: %v", flag, err),
			remedy: "make its folder, correct its rights, or name another file by " + flag}}
	}
	_ = f.Close()
	return []Finding{well("%s %s can be written", flag, path)}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"webmcphub/actors"
	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/extension"
	"webmcphub/extlink"
	"webmcphub/extlink/mcpbhub"
	"webmcphub/internal/private"
)

// extensionFlags say whether browsers may connect by the hub's extension.
type extensionFlags struct {
	Extension     bool     `group:"common" help:"Accept browsers with the WebMCP Hub extension, at ws://127.0.0.1:${extensionPort}. Unless another flag says how to reach a Chrome (--launch, --browser-url, …), the hub starts one only when connect_browser asks for it."`
	ExtensionPort int      `default:"${extensionPort}" placeholder:"PORT" help:"The port of --extension; the extension must be given the same. Default: ${extensionPort}."`
	ExtensionID   []string `name:"extension-id" placeholder:"ID" help:"Let the extension with this id connect instead of the hub's own. Repeatable."`
}

func (f extensionFlags) validate() error {
	switch {
	case !f.Extension && (f.ExtensionPort != 0 && f.ExtensionPort != extlink.DefaultPort || len(f.ExtensionID) > 0):
		return errors.New("--extension-port and --extension-id go with --extension only")
	case f.Extension && (f.ExtensionPort < 1 || f.ExtensionPort > 65535):
		return fmt.Errorf("--extension-port must be from 1 to 65535, not %d", f.ExtensionPort)
	}
	for _, id := range f.ExtensionID {
		if !extlink.ValidID(id) {
			return fmt.Errorf("--extension-id must be 32 letters from a to p, as chrome://extensions shows them, not %q", id)
		}
	}
	return nil
}

// pairingFile returns the file with the pairing token, which is beside the token for HTTP.
func pairingFile() (string, error) {
	file, err := private.Place("extension-token")
	if err != nil {
		return "", fmt.Errorf("there is no place for the pairing token: %w", err)
	}
	return file, nil
}

// extensionListener is a port to which extensions connect.
type extensionListener struct {
	net.Listener       // nil while another program has the port
	taken        error // why Listener is nil
	port         int
	tokenFile    string
	guard        *extlink.Guard
	log          *slog.Logger

	can extlink.Capabilities // the hub's capabilities
}

// open listens for extensions. It returns nil if the flags don't ask for that. If another program has the port,
// [extensionListener.serveBeside] tries again later.
func (f extensionFlags) open(log *slog.Logger) (*extensionListener, error) {
	if !f.Extension {
		return nil, nil
	}
	file, err := pairingFile()
	if err != nil {
		return nil, err
	}
	token, err := private.Token(file)
	if err != nil {
		return nil, err
	}
	ids := f.ExtensionID
	if len(ids) == 0 {
		ids = []string{extlink.DefaultID}
	}
	l := &extensionListener{port: f.ExtensionPort, tokenFile: file, guard: extlink.NewGuard(ids, token, log), log: log}
	var taken *extlink.PortTakenError
	switch l.Listener, err = extlink.Listen(f.ExtensionPort); {
	case errors.As(err, &taken):
		l.Listener, l.taken = nil, err
		log.Warn(fmt.Sprintf("browsers can't come by their extension yet; the port is tried again every %v",
			extlink.RetryInterval), "err", err)
	case err != nil:
		return nil, fmt.Errorf("--extension: %w", err)
	default:
		l.logOpen()
	}
	return l, nil
}

// logOpen logs that browsers can connect now.
func (l *extensionListener) logOpen() {
	l.log.Info("waiting for browsers with the WebMCP Hub extension", "address", "ws://"+l.Addr().String()+"/", "token",
		l.tokenFile)
}

// close closes a listener for which serveBeside was not called. l may be nil.
func (l *extensionListener) close() {
	if l != nil && l.Listener != nil {
		_ = l.Close()
	}
}

// paths returns the handlers that are served on the extension's port.
func (l *extensionListener) paths(hub *actors.Hub) *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("/{$}", l.guard.WebSocket(extlink.Extension, hub.AddExtension))
	mux.Handle("/mcp-b", l.guard.WebSocket(mcpbhub.Proxy, func(w extlink.Link) {
		hub.AddExtension(mcpbhub.Translate(w, l.can))
	}))
	return mux
}

// serveBeside serves until the returned function is called; that function waits for the end. l may be nil.
func (l *extensionListener) serveBeside(hub *actors.Hub) (stop func()) {
	if l == nil {
		return func() {}
	}
	return process.Beside(context.Background(), func(ctx context.Context) {
		if !l.awaitPort(ctx, hub) {
			return
		}
		l.guard.TurnedAway = hub.ExtensionTurnedAway
		if err := extlink.Serve(ctx, l, l.guard, l.paths(hub)); err != nil {
			l.log.Error("extensions can't connect any more", "err", err)
		}
	})
}

// awaitPort waits until the port is open. It returns false if the port will not open.
func (l *extensionListener) awaitPort(ctx context.Context, hub *actors.Hub) bool {
	if l.Listener != nil {
		return true
	}
	hub.ExtensionsKeptOut(l.taken.Error())
	open, err := extlink.Await(ctx, l.port)
	switch {
	case err != nil:
		hub.ExtensionsKeptOut(err.Error())
		l.log.Error("extensions can't connect", "err", err)
	case open != nil:
		l.Listener = open
		l.logOpen()
		hub.ExtensionsKeptOut("")
	}
	return open != nil
}

// extensionCmd has the subcommands about the extension.
type extensionCmd struct {
	Install installCmd `cmd:"" help:"Write the browser's extension into a folder, for Chrome to load it from."`
	Pair    pairCmd    `cmd:"" help:"Print the pairing token for the browser's extension, and how to use it."`
}

type installCmd struct {
	Automation bool `help:"Give the extension Chrome's permission to debug pages as well, so that the browser tools work in the tabs that it reports. While an agent uses them, Chrome shows a banner."`

	Dir string `arg:"" optional:"" type:"path" placeholder:"DIR" help:"The folder. It must be empty, not exist yet, or come from an earlier install, which is updated. Default: webmcp-extension in your home folder."`
}

// Run writes the extension into the folder and prints what to do with it.
func (c *installCmd) Run() error {
	if c.Dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return usage(fmt.Errorf("name a folder for the extension: %w", err))
		}
		c.Dir = filepath.Join(home, "webmcp-extension") // not a hidden one, which Chrome's dialog doesn't show
	}
	if err := (extension.Edition{Version: version, Automation: c.Automation}).Install(c.Dir); err != nil {
		return fmt.Errorf("the extension was not installed: %w", err)
	}
	_, err := fmt.Printf(`The extension is in %s.
Next:
  1. Open chrome://extensions and switch on Developer mode.
  2. Press "Load unpacked" and choose that folder. If Chrome has the extension from there already, press its reload button.
  3. Run "webmcp-hub extension pair", click the extension's icon, and enter the token that was printed.
  4. Start the hub with --extension.
Leave the folder where it is: Chrome loads the extension from it each time.
`, c.Dir)
	return err
}

type pairCmd struct{}

// Run prints the token alone to stdout, for scripts, and the rest to stderr.
func (pairCmd) Run() error {
	file, err := pairingFile()
	if err != nil {
		return err
	}
	token, err := private.Token(file)
	if err != nil {
		return err
	}
	if _, err := fmt.Println(token); err != nil {
		return err
	}
	_, err = fmt.Fprintf(os.Stderr, `
This is the pairing token. To pair a browser with the hub:
  1. Open chrome://extensions, switch on Developer mode, and load the unpacked extension (webmcp-hub extension install writes it).
  2. Click the extension's icon, paste the token, and press Pair. It keeps the token.
  3. Start the hub with --extension. The extension connects to it by itself, at port %d.
Whoever has the token can offer tools to your agent. It is in %s; "webmcp-hub token rotate extension" makes a new one.
`, extlink.DefaultPort, file)
	return err
}

package probe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"webmcphub/actors"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
	"webmcphub/check/lint"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// Options say which Chrome to use, and how long to wait.
type Options struct {
	ExecutablePath string   // the Chrome to start; "" is any installed one
	Channel        string   // the channel of the Chrome to start, such as "beta"; "" is any
	Args           []string // further flags for it
	BrowserURL     string   // attach to the Chrome there instead, such as http://127.0.0.1:9222
	// Timeout limits how long a page may take to load; 0 is [DefaultTimeout].
	Timeout time.Duration
	// Wait limits how long to wait for a loaded page to be quiet; 0 is [DefaultWait].
	Wait time.Duration
	// StorageState is set in a Chrome that the check starts, for pages that need a login; nil sets nothing.
	StorageState *StorageState
	Logger       *slog.Logger // nil discards the log
}

// DefaultTimeout is the default of [Options].Timeout.
const DefaultTimeout = 20 * time.Second

// DefaultWait is the default of [Options].Wait.
const DefaultWait = 10 * time.Second

// stopGrace limits how long a hub may take to end.
const stopGrace = 3 * time.Second

// A Browser is a Chrome with a hub in this process.
type Browser struct {
	options  Options
	chrome   *launch.Chrome // nil if the Chrome is the user's
	conn     *cdpclient.Conn
	hub      *actors.Hub
	catalogs *catalogs
}

// Start starts a Chrome without a window and with a temporary profile, or attaches to the user's Chrome if the
// options name one; there, it inspects only tabs that [Browser.Open] opens. Call Close at the end.
func Start(ctx context.Context, o Options) (*Browser, error) {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Wait <= 0 {
		o.Wait = DefaultWait
	}
	b := &Browser{options: o, catalogs: newCatalogs()}
	endpoint, err := b.reach(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.restore(ctx); err != nil {
		b.Close()
		return nil, err
	}
	b.hub = actors.Start(actors.Options{
		ConnectOptions: actors.ConnectOptions{Dialer: dialer(endpoint)},
		Policy:         tab.Policy{Explicit: b.chrome == nil, Dialogs: dialogs(b.chrome != nil)},
		Publisher:      b.catalogs,
		Registry: registry.Options{MaxName: names.DefaultMaxName, Hints: offer.HintsOfAll,
			MaxTools: registry.DefaultMaxTools, MaxPages: registry.DefaultMaxPages},
		Logger: o.Logger,
	})
	return b, nil
}

// reach connects to Chrome, and returns the WebSocket address at which the hub can connect, too.
func (b *Browser) reach(ctx context.Context) (endpoint string, err error) {
	var wire cdpclient.Wire
	if b.options.BrowserURL != "" {
		if endpoint, err = cdpclient.BrowserWebSocketURL(ctx, b.options.BrowserURL); err != nil {
			return "", err
		}
		wire, err = cdpclient.DialWebSocket(ctx, endpoint, nil)
	} else {
		o := launch.Options{ExecutablePath: b.options.ExecutablePath, Channel: b.options.Channel, Headless: true,
			Args: append([]string{"--remote-debugging-port=0"}, b.options.Args...), Logger: b.options.Logger}
		if b.chrome, err = launch.Start(ctx, o); err != nil {
			return "", fmt.Errorf("%w (webmcp-hub doctor tells more)", err)
		}
		wire = b.chrome.Wire
		endpoint, err = activePort(ctx, b.chrome.UserDataDir)
	}
	if wire != nil {
		b.conn = cdpclient.NewConn(wire, func(cdpclient.Message) {})
	}
	if err != nil {
		b.Close()
	}
	return endpoint, err
}

// portTime limits how long a Chrome that has started may take to report its port.
const portTime = 20 * time.Second

// activePort waits until a Chrome that was just started reports the address of its debugging port. On a busy machine,
// Chrome answers over its pipe earlier.
func activePort(ctx context.Context, profile string) (endpoint string, err error) {
	ctx, cancel := context.WithTimeout(ctx, portTime)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		if endpoint, err = cdpclient.ActivePortURL(profile); err == nil {
			return endpoint, nil
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return "", err
		}
	}
}

// whose says whether the Chrome is the user's own.
func (b *Browser) whose() lint.ChromeOwnership {
	if b.chrome == nil {
		return lint.Given
	}
	return lint.Started
}

// dialogs returns the policy for pages' dialogs. unseen says that nobody sees them: the check started Chrome.
func dialogs(unseen bool) tab.DialogPolicy {
	if unseen {
		return tab.DismissDialogs
	}
	return tab.ReportDialogs
}

// Close ends the hub, and also Chrome if Start started it.
func (b *Browser) Close() {
	if b.hub != nil {
		grace, cancel := context.WithTimeout(context.Background(), stopGrace)
		defer cancel()
		_ = b.hub.Stop(grace)
	}
	if b.conn != nil {
		_ = b.conn.Close()
	}
	if b.chrome != nil {
		_ = b.chrome.Close()
	}
}

// dialer connects the hub to a Chrome's websocket.
type dialer string

func (d dialer) Dial(ctx context.Context) (cdpclient.Wire, error) {
	return cdpclient.DialWebSocket(ctx, string(d), nil)
}

// catalogs has the hub's current catalog.
type catalogs struct {
	current atomic.Pointer[registry.Catalog]
	changed chan struct{} // filled at each new catalog
}

func newCatalogs() *catalogs {
	c := &catalogs{changed: make(chan struct{}, 1)}
	c.current.Store(registry.EmptyCatalog())
	return c
}

// Apply implements [actors.Publisher].
func (c *catalogs) Apply(effects []registry.Effect) {
	for _, e := range effects {
		if s, ok := e.(registry.SetCatalog); ok {
			c.current.Store(s.Catalog)
			select {
			case c.changed <- struct{}{}:
			default:
			}
		}
	}
}

// until waits for a catalog for which wanted returns true.
func (c *catalogs) until(ctx context.Context, wanted func(*registry.Catalog) bool) error {
	for !wanted(c.current.Load()) {
		select {
		case <-c.changed:
		case <-ctx.Done():
			return errors.Join(ctx.Err(), fmt.Errorf("the hub has not seen the page (%s)",
				c.current.Load().BrowserStatus()))
		}
	}
	return nil
}

// Version returns the name and version of Chrome, such as "Chrome/156.0.8078.79"; "" if it doesn't answer.
func (b *Browser) Version(ctx context.Context) string {
	var v cdpclient.BrowserVersion
	_ = b.conn.Call(ctx, "", cdpclient.BrowserGetVersion, nil, &v)
	return v.Product
}

package commands

import (
	"context"
	"errors"
	"fmt"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
	"webmcphub/check/lint"
)

// chromeSource is the way to the Chrome of a command: it attaches to a running one, or starts one.
type chromeSource struct {
	browserURL string // "" starts a Chrome
	started    *started
}

// Dial implements [actors.Dialer].
func (w chromeSource) Dial(ctx context.Context) (cdpclient.Wire, error) {
	if w.browserURL == "" {
		return w.started.Dial(ctx)
	}
	endpoint, err := cdpclient.BrowserWebSocketURL(ctx, w.browserURL)
	if err != nil {
		return nil, err
	}
	return cdpclient.DialWebSocket(ctx, endpoint, nil)
}

// whose says whether the Chrome is the user's own.
func (w chromeSource) whose() lint.ChromeOwnership {
	if w.browserURL != "" {
		return lint.Given
	}
	return lint.Started
}

// dialogs returns what becomes of the page's dialogs. In a Chrome without a window nobody sees them.
func (w chromeSource) dialogs() tab.DialogPolicy {
	if w.browserURL == "" && w.started.options.Headless {
		return tab.DismissDialogs
	}
	return tab.ReportDialogs
}

// started is a Chrome with a temporary profile that is started once, for the page.
type started struct {
	options launch.Options
	chrome  *launch.Chrome // nil before Dial
}

// errEnded says why a Chrome isn't started again: its window was closed.
var errEnded = errors.New("the Chrome that was started for the page has ended")

// Dial starts the Chrome. It must not be called concurrently.
func (s *started) Dial(ctx context.Context) (cdpclient.Wire, error) {
	if s.chrome != nil {
		return nil, errEnded
	}
	chrome, err := launch.Start(ctx, s.options)
	if err != nil {
		return nil, fmt.Errorf("%w (webmcp-hub doctor tells more)", err)
	}
	s.chrome = chrome
	return chrome.Wire, nil
}

// close ends the Chrome. Call it when no Dial is running.
func (s *started) close() {
	if s.chrome != nil {
		_ = s.chrome.Close()
	}
}

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

// way is how Chrome is reached: one that runs, or one that is started.
type way struct {
	browserURL string // "" starts one
	started    *started
}

// Dial is an [actors.Dialer]'s.
func (w way) Dial(ctx context.Context) (cdpclient.Wire, error) {
	if w.browserURL == "" {
		return w.started.Dial(ctx)
	}
	endpoint, err := cdpclient.BrowserWebSocketURL(ctx, w.browserURL)
	if err != nil {
		return nil, err
	}
	return cdpclient.DialWebSocket(ctx, endpoint, nil)
}

// whose says whose Chrome it is.
func (w way) whose() lint.ChromeOwnership {
	if w.browserURL != "" {
		return lint.Given
	}
	return lint.Started
}

// dialogs says what becomes of the page's dialogs: nobody sees those of a Chrome without a
// window.
func (w way) dialogs() tab.DialogPolicy {
	if w.browserURL == "" && w.started.options.Headless {
		return tab.DismissDialogs
	}
	return tab.ReportDialogs
}

// started is a Chrome that is started for the page, once, with a profile that is thrown away.
type started struct {
	options launch.Options
	chrome  *launch.Chrome // nil before
}

// errEnded is why a Chrome isn't started again: its window was closed.
var errEnded = errors.New("the Chrome that was started for the page has ended")

// Dial starts it. Dials come one after the other.
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

// close ends it, once nobody dials any more.
func (s *started) close() {
	if s.chrome != nil {
		_ = s.chrome.Close()
	}
}

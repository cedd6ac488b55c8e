package launch

import (
	"context"
	"errors"
	"testing"

	"webmcphub/cdpclient"
)

// TestQuit: a Chrome that is closed is told from one that is killed.
func TestQuit(t *testing.T) {
	needChrome(t)
	for name, end := range map[string]func(*Chrome, *cdpclient.Conn){
		"closed": func(_ *Chrome, c *cdpclient.Conn) { _ = c.Call(context.Background(), "", "Browser.close", nil, nil) },
		"killed": func(c *Chrome, _ *cdpclient.Conn) { c.kill() },
	} {
		t.Run(name, func(t *testing.T) {
			chrome, err := Start(t.Context(), Options{Headless: true})
			if err != nil {
				t.Fatal(err)
			}
			defer chrome.Close()
			ended := make(chan error, 1)
			conn := cdpclient.NewConn(chrome.Watched(), func(m cdpclient.Message) {
				if c, ok := m.(cdpclient.Closed); ok {
					ended <- c.Err
				}
			})
			defer conn.Close()
			end(chrome, conn)
			if err := <-ended; errors.Is(err, cdpclient.ErrQuit) != (name == "closed") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestQuitOfAnAdoptedChrome: the same holds for a Chrome that another process had started,
// whose exit code isn't known.
func TestQuitOfAnAdoptedChrome(t *testing.T) {
	needChrome(t)
	for name, want := range map[string]error{"closed": cdpclient.ErrQuit, "killed": cdpclient.ErrCrashed} {
		t.Run(name, func(t *testing.T) {
			profile := t.TempDir()
			first, err := Start(t.Context(), Options{Headless: true, UserDataDir: profile, Outlives: true})
			if err != nil {
				t.Fatal(err)
			}
			chrome, err := Adopt(t.Context(), first.Ends(), profile, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer chrome.Close()
			ended := make(chan error, 1)
			conn := cdpclient.NewConn(chrome.Watched(), func(m cdpclient.Message) {
				if c, ok := m.(cdpclient.Closed); ok {
					ended <- c.Err
				}
			})
			defer conn.Close()
			if name == "closed" {
				_ = conn.Call(context.Background(), "", "Browser.close", nil, nil)
			} else {
				first.kill()
			}
			if err := <-ended; !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
			<-first.Exited()
		})
	}
}

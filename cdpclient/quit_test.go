package cdpclient

import (
	"context"
	"errors"
	"testing"
)

// TestQuit: a Chrome that is closed is told from one that is killed.
func TestQuit(t *testing.T) {
	needChrome(t)
	for name, end := range map[string]func(*Chrome, *Conn){
		"closed": func(_ *Chrome, c *Conn) { _ = c.Call(context.Background(), "", "Browser.close", nil, nil) },
		"killed": func(c *Chrome, _ *Conn) { c.kill() },
	} {
		t.Run(name, func(t *testing.T) {
			chrome, err := Launch(t.Context(), LaunchOptions{Headless: true})
			if err != nil {
				t.Fatal(err)
			}
			defer chrome.Close()
			ended := make(chan error, 1)
			conn := NewConn(chrome.Watched(), func(m Message) {
				if c, ok := m.(Closed); ok {
					ended <- c.Err
				}
			})
			defer conn.Close()
			end(chrome, conn)
			if err := <-ended; errors.Is(err, ErrQuit) != (name == "closed") {
				t.Errorf("got %v", err)
			}
		})
	}
}

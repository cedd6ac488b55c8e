package mask

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"
)

// TestHandler: nothing that is logged has a secret in it, but what the user needs.
func TestHandler(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(Handler(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})))
	log.With("card", "4111111111111111").WithGroup("g").Info("password: hunter2", "url", "https://a.test/?code=x1",
		"err", errors.New("it says token=abc123"), "link", Shown("http://127.0.0.1/?token=abc123"), "n", 3, slog.Group("in", "k", "AKIAIOSFODNN7EXAMPLE"))
	if got, want := out.String(), `level=INFO msg="password: [masked]" card=[masked] g.url="https://a.test/?code=[masked]" g.err="it says token=[masked]" g.link="http://127.0.0.1/?token=abc123" g.n=3 g.in.k=[masked]`+"\n"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

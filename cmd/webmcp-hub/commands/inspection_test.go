package commands

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"webmcphub/cdpclient/cdptest"
	"webmcphub/cmd/webmcp-hub/livepage"
	"webmcphub/cmd/webmcp-hub/process"
)

// The actor library's throttle of dead letters sleeps on for a second when one was thrown
// away, whatever ends meanwhile.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/asynkron/protoactor-go/actor.NewDeadLetter.NewThrottle.func4.1"))
}

// TestInterrupted: whenever the user ends it, the tabs that a Chrome of theirs had stay, and
// the one that was opened for the inspection goes.
func TestInterrupted(t *testing.T) {
	for when, at := range map[string]func(b *cdptest.Browser, interrupt func()){
		"before the tab is ordered": func(_ *cdptest.Browser, interrupt func()) { interrupt() },
		"while Chrome opens it": func(b *cdptest.Browser, interrupt func()) {
			b.On("Target.createTarget", func(cdptest.Command) (any, error) { interrupt(); return nil, cdptest.ErrPass })
		},
		"once it is open": func(b *cdptest.Browser, interrupt func()) {
			b.On("Target.attachToTarget", func(cdptest.Command) (any, error) { interrupt(); return nil, cdptest.ErrHang })
		},
	} {
		t.Run(when, func(t *testing.T) {
			b := cdptest.New()
			chrome := httptest.NewServer(b.Handler())
			defer chrome.Close()
			defer b.Die()
			mine := []*cdptest.Page{b.OpenPage("http://bank.test/half-filled-form"), b.OpenPage("http://mail.test/")}
			ui, err := livepage.OpenUI(livepage.UIFlags{UI: livepage.AnyPort}, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			i := newInspection(ui, "1", slog.New(slog.DiscardHandler))
			ctx, interrupt := context.WithCancelCause(t.Context())
			if err := i.start(ctx, chromeSource{browserURL: chrome.URL}); err != nil {
				t.Fatal(err)
			}
			for len(i.catalog.Load().Tabs()) < len(mine) {
				<-i.changed
			}
			at(b, func() { interrupt(process.ErrInterrupted) })
			if err := i.open(ctx, "http://localhost:3000/"); err == nil {
				t.Error("it was interrupted, and went on")
			}
			i.close()
			if left := b.Pages(); !slices.Equal(left, mine) {
				t.Errorf("%d tabs are left, want the user's %d; Chrome was told %s", len(left), len(mine), b.Commands())
			}
		})
	}
}

package probe

import (
	"context"
	"net/http/httptest"
	"slices"
	"testing"

	"webmcphub/cdpclient/cdptest"
)

// TestInterrupted: when a check ends while a Chrome that isn't ours opens its tab, that tab
// doesn't stay behind.
func TestInterrupted(t *testing.T) {
	chrome := cdptest.New()
	server := httptest.NewServer(chrome.Handler())
	defer server.Close()
	defer chrome.Die()
	mine := []*cdptest.Page{chrome.OpenPage("http://bank.test/half-filled-form")}
	b, err := Start(t.Context(), Options{BrowserURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	chrome.On("Target.createTarget", func(cdptest.Command) (any, error) { interrupt(); return nil, cdptest.ErrPass })
	if _, _, err := b.Open(ctx, "http://shop.test/"); err == nil {
		t.Error("it was interrupted, and went on")
	}
	if left := chrome.Pages(); !slices.Equal(left, mine) {
		t.Errorf("%d tabs are left; Chrome was told %s", len(left), chrome.Commands())
	}
}

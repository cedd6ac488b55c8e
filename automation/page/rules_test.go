package page_test

import (
	"errors"
	"testing"

	. "webmcphub/automation/automationtest"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// TestNavigatedAwayMeanwhile: where the page navigates while its picture is taken, Chrome's words
// say nothing of that.
func TestNavigatedAwayMeanwhile(t *testing.T) {
	t.Parallel()
	tab := Open(t, Pages{"/": `<p>one`, "/two": `<p>two`})
	_, err := page.WithinRules(tab.Ctx, tab.Page, func() (page.Picture, error) {
		JS[any](tab, `void setTimeout(() => location = '/two', 100)`)
		return page.Picture{}, &cdpclient.Error{Code: cdpclient.CodeServerError, Message: "Not attached to an active page"}
	})
	if gone := (*page.DocumentGone)(nil); !errors.As(err, &gone) {
		t.Errorf("who waits is told %v", err)
	}
}

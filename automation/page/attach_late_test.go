package page_test

import (
	"fmt"
	"testing"

	. "webmcphub/automation/automationtest"
	"webmcphub/automation/page"
)

// TestFramesThatAreThereBefore: a page that is attached to when it has loaded knows its
// out-of-process iframes, whichever process answers first.
func TestFramesThatAreThereBefore(t *testing.T) {
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			tab := Open(t, Pages{"/": `<iframe src="{{b}}/inner"></iframe>`, "/inner": `<p>inside</p>`})
			p, err := page.Open(tab.Ctx, tab.Conn, tab.Target, page.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			w := p.Watch()
			defer w.Close()
			if err := w.Wait(tab.Ctx, func(page.Happened) bool { return len(p.Frames()) == 2 }); err != nil {
				t.Errorf("its frames are %+v (%v)", p.Frames(), err)
			}
		})
	}
}

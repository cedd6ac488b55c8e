package page

import (
	"sync"

	"webmcphub/cdpclient"
)

// drawing counts who needs the tab drawn.
type drawing struct{ wanted int }

// tinyCast is a screencast of which hardly a frame is sent.
var tinyCast = map[string]any{"format": "jpeg", "quality": 1, "maxWidth": 1, "maxHeight": 1, "everyNthFrame": 1000}

// Draw has Chrome draw the tab, from the next command on, until stop is called, once or
// more often. A tab in the background whose focus is emulated counts as visible, but
// after the first few frames gets others late or never: input then waits for half a
// second, and a picture for ever. While a screencast is on, frames come as in front.
func (p *Page) Draw() (stop func()) {
	p.ask(func(o *owner) {
		if o.wanted++; o.wanted == 1 {
			o.post(o.tab.id, "Page.startScreencast", tinyCast, func(cdpclient.Reply) {})
		}
	})
	return sync.OnceFunc(func() {
		p.ask(func(o *owner) {
			if o.wanted--; o.wanted == 0 {
				o.post(o.tab.id, "Page.stopScreencast", nil, func(cdpclient.Reply) {})
			}
		})
	})
}

package page

import (
	"sync"
	"time"

	"webmcphub/cdpclient"
)

// drawing is who needs the tab drawn, and whether Chrome is asked to.
type drawing struct {
	wanted  int // how many need it
	casting bool
	on      time.Duration // see [drawnOn]
	ends    *time.Timer   // ends the screencast that nobody needs; nil if there is none
}

// tinyCast is a screencast of which hardly a frame is sent.
var tinyCast = map[string]any{"format": "jpeg", "quality": 1, "maxWidth": 1, "maxHeight": 1, "everyNthFrame": 1000}

// drawnOn is how long the tab is drawn on after nobody needs that any more. Whoever acts
// once acts again soon, and beginning a screencast costs Chrome more than a click does.
const drawnOn = time.Second

// Draw has Chrome draw the tab, from the next command on, until stop is called, once or
// more often, and for up to a second longer. A tab in the background whose focus is
// emulated counts as visible, but after the first few frames gets others late or never:
// input then waits for half a second, and a picture for ever. While a screencast is on,
// frames come as in front.
func (p *Page) Draw() (stop func()) {
	p.ask((*owner).draw)
	return sync.OnceFunc(func() { p.ask((*owner).drawn) })
}

func (o *owner) draw() {
	o.wanted++
	o.stopEnd()
	if !o.casting {
		o.casting = true
		o.post(o.tab.id, "Page.startScreencast", tinyCast, func(cdpclient.Reply) {})
	}
}

// drawn takes note that somebody needs the tab drawn no longer.
func (o *owner) drawn() {
	if o.wanted--; o.wanted == 0 {
		o.ends = time.AfterFunc(o.on, func() { o.ask((*owner).endCast) })
	}
}

func (o *owner) endCast() {
	if o.wanted == 0 && o.casting {
		o.casting = false
		o.post(o.tab.id, "Page.stopScreencast", nil, func(cdpclient.Reply) {})
	}
}

func (o *owner) stopEnd() {
	if o.ends != nil {
		o.ends.Stop()
		o.ends = nil
	}
}

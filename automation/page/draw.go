package page

import (
	"context"
	"sync"
	"time"

	"webmcphub/cdpclient"
)

// drawing records how many callers need the tab drawn, and whether Chrome has been asked to draw it.
type drawing struct {
	wanted  int // how many callers of Draw need it
	casting bool
	on      time.Duration // see [drawnOn]
	ends    *time.Timer   // ends the screencast once nobody needs it; nil if nothing is scheduled
}

// tinyCast are the parameters of a screencast that sends hardly any frames. Chrome copies each frame all the same,
// which takes 4 of the 15 ms of processor time that a click costs it; a picture of full size takes 7. A tab in front
// needs no screencast, but the hub can't find out which tab that is: with an emulated focus, document.visibilityState
// and Page.screencastVisibilityChanged report each tab as visible.
var tinyCast = map[string]any{"format": "jpeg", "quality": 1, "maxWidth": 1, "maxHeight": 1, "everyNthFrame": 1000}

// drawnOn is how long Chrome still draws the tab when nobody needs that any more. Another action usually follows
// soon, and starting a screencast costs Chrome more than a click does.
const drawnOn = time.Second

// Draw makes Chrome draw the tab, from the next command on, until stop is called, and for up to a second longer.
// Further calls of stop do nothing. A tab in the background whose focus is emulated counts as visible, but after its
// first few frames Chrome draws it late or never: input then waits for half a second, and a screenshot for ever.
// While a screencast is on, Chrome draws the tab as if it were in front.
func (p *Page) Draw() (stop func()) {
	p.ask((*owner).draw)
	return sync.OnceFunc(func() { p.ask((*owner).drawn) })
}

// EmulateFocus makes the tab behave as if it had the focus, so that Chrome draws it and gives it events even in the
// background. Once it has succeeded, further calls send nothing.
func (p *Page) EmulateFocus(ctx context.Context) error {
	if p.focused.Load() {
		return nil
	}
	err := p.Setup(ctx, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true})
	p.focused.Store(err == nil)
	return err
}

func (o *owner) draw() {
	o.wanted++
	o.stopEnd()
	if !o.casting {
		o.casting = true
		o.post(o.tab.id, "Page.startScreencast", tinyCast, func(cdpclient.Reply) {})
	}
}

// drawn records that one caller no longer needs the tab drawn.
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

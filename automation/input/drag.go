package input

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// DragOptions are the options of [Tab.Drag].
type DragOptions struct {
	To       *Node   // the element to drop on; nil means the place ByX, ByY away
	ByX, ByY float64 // in CSS pixels, from the place where the mouse button goes down
	Limits   Limits
}

// SelectText selects a passage of an element's text, by dragging the mouse over it.
func (t *Tab) SelectText(ctx context.Context, n Node, text string, l Limits) (*Outcome, error) {
	from, to := n, n
	from.Place, to.Place = &Place{Text: text}, &Place{Text: text, End: true}
	return t.Drag(ctx, from, DragOptions{To: &to, Limits: l})
}

// Drag presses the mouse button on an element, moves the mouse and releases the button elsewhere. It works both for
// the browser's own drag and drop and for pages that follow the mouse themselves.
func (t *Tab) Drag(ctx context.Context, from Node, o DragOptions) (*Outcome, error) {
	var to Node
	if o.To != nil {
		to = *o.To
	}
	if source, target := from.Still, to.Still; target != nil { // before the drag, which may change the target's name
		from.Still = func(ctx context.Context) error {
			if source != nil {
				if err := source(ctx); err != nil {
					return err
				}
			}
			return target(ctx)
		}
		to.Still = nil
		if to.Checked.Before(from.Checked) {
			from.Checked = to.Checked
		}
	}
	return t.onElement(ctx, from, o.Limits, func(ctx context.Context, e *element) (*Outcome, error) {
		d := &dragging{tab: t, from: e, o: o, past: t.page.KeptOut(ctx)}
		if o.To != nil {
			target, err := t.find(ctx, to)
			if err != nil {
				return nil, err
			}
			defer target.drop()
			target.effects = e.effects
			e.effects.loads = append(e.effects.loads, target.Frame.ID)
			t.meant = append(t.meant, target.documents()...)
			d.to = target
		}
		frames := t.page.Frames()
		barred := t.barredBeside(t.meant, frames)
		d.past = append(d.past, slices.DeleteFunc(frames, func(f page.Frame) bool { return barred(f) == nil })...)
		return d.run(ctx)
	})
}

// dragging is one drag.
type dragging struct {
	tab         *Tab
	from        *element
	to          *element // nil if the place to drop at is no element
	o           DragOptions
	past        []page.Frame           // the frames that were kept out or barred when the drag began
	intercepted <-chan cdpclient.Event // gets an event when the browser begins its own drag
	data        json.RawMessage        // the data of the browser's own drag, once it has come
	at          spot
	down        bool
	dropped     bool   // the drop was sent
	note        string // a note for the Outcome if the drop did not come to the target
}

func (d *dragging) run(ctx context.Context) (out *Outcome, err error) {
	t := d.tab
	intercepted, stop := t.page.Next("Input.dragIntercepted")
	defer stop()
	d.intercepted = intercepted
	anyway := page.DespiteDialog(context.Background())
	defer func() {
		if d.down || d.data != nil {
			d.letGo(anyway)
		}
		t.page.Send(anyway, "", "Input.setInterceptDrags", map[string]any{"enabled": false})
		t.ask(anyway, d.from.frame.Session, d.from.object, "endDrag")
	}()
	if err := t.page.Send(ctx, "", "Input.setInterceptDrags", map[string]any{"enabled": true}).Wait(ctx,
		nil); err != nil {
		return nil, err
	}
	if err := d.from.call(ctx, nil, "watchDrag", d.selects()); err != nil {
		return nil, err
	}
	out, err = t.run(ctx, doing{d.from, forPress, "grab", wanted["grab"], func(ctx context.Context, at spot) error {
		d.at, d.down = at, true
		return t.mouseDoes(ctx, at.past, mouseEvent{Type: "mouseMoved", X: at.x, Y: at.y, Button: "none"},
			mouseEvent{Type: "mousePressed", X: at.x, Y: at.y, Button: Left, Buttons: 1, ClickCount: 1, Force: 0.5})
	}}, d.o.Limits.ready())
	switch {
	case err != nil:
		return out, err
	case out.Dialog != nil: // the dialog opened before the drop
		return nil, &page.DialogOpen{Dialog: *out.Dialog, Opened: true}
	}
	err = d.carry(ctx)
	out.Note = d.note
	if out.Dialog = opened(err); out.Dialog != nil && d.dropped {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// carry moves what is dragged to its target and drops it there.
func (d *dragging) carry(ctx context.Context) error {
	t := d.tab
	// The first moves, which are still on the source, make the browser or the page begin the drag.
	for _, by := range []float64{4, 8} {
		if err := d.move(ctx, d.at.x+by, d.at.y+by); err != nil {
			return err
		}
	}
	if err := d.began(ctx); err != nil {
		return err
	}
	if d.to == nil {
		x, y := d.at.x+d.o.ByX, d.at.y+d.o.ByY
		for pass := range 2 {
			if err := d.moveTo(ctx, x, y, pass); err != nil {
				return err
			}
		}
		return d.drop(ctx, x, y)
	}
	// The dragged element, or a placeholder for it, may cover the target or move it. So carry looks up the target's
	// place again when the mouse is there.
	var target spot
	for pass := range 2 {
		err := t.lead(ctx, d.to, d.o.Limits.ready(), func(dec Decision) (Observation, error) {
			var o Observation
			var err error
			target, o, err = t.aim(ctx, d.to, dec, [...]needs{forTo, forDrop}[pass], "")
			return o, err
		}, func() (Observation, error) {
			return Observation{State: Arrived}, d.moveTo(ctx, target.x, target.y, pass)
		})
		if err != nil {
			return err
		}
	}
	return d.drop(ctx, target.x, target.y)
}

// move moves the mouse with its button held, or moves what the browser drags.
func (d *dragging) move(ctx context.Context, x, y float64) error {
	t := d.tab
	if d.data != nil {
		return d.dragEvent(ctx, "dragOver", x, y)
	}
	err := t.mouseDoes(ctx, d.past, mouseEvent{Type: "mouseMoved", X: x, Y: y, Button: Left, Buttons: 1})
	if err == nil {
		d.take()
	}
	return err
}

// take stores the data of a drag that the browser has begun, if it has come.
func (d *dragging) take() {
	select {
	case e := <-d.intercepted:
		d.begins(e)
	default:
	}
}

func (d *dragging) begins(e cdpclient.Event) {
	var is struct{ Data json.RawMessage }
	_ = json.Unmarshal(e.Params, &is)
	d.data = is.Data
}

// dragWait is how long Chrome may take to report its own drag after the page has let it begin.
const dragWait = 2 * time.Second

// began waits for the browser's own drag if the page has let one begin.
func (d *dragging) began(ctx context.Context) error {
	if d.data != nil {
		return d.dragEvent(ctx, "dragEnter", d.at.x, d.at.y)
	}
	var is struct{ Started, Prevented bool }
	if err := d.from.call(ctx, &is, "dragState"); err != nil || !is.Started || is.Prevented {
		return err
	}
	select {
	case e := <-d.intercepted:
		d.begins(e)
		return d.dragEvent(ctx, "dragEnter", d.at.x, d.at.y)
	case <-time.After(dragWait):
		return errors.New("the page let a drag begin, but the browser did not carry it out")
	case <-d.tab.page.Done():
		return d.tab.page.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// moveTo moves to the target in steps. In the second pass it makes only the last move.
func (d *dragging) moveTo(ctx context.Context, x, y float64, pass int) error {
	if pass == 0 {
		const steps = 5
		x0, y0 := d.tab.mouse.x, d.tab.mouse.y
		for i := 1; i < steps; i++ {
			part := float64(i) / steps
			if err := d.move(ctx, x0+(x-x0)*part, y0+(y-y0)*part); err != nil {
				return err
			}
		}
	}
	return d.move(ctx, x, y)
}

func (d *dragging) dragEvent(ctx context.Context, kind string, x, y float64) error {
	d.tab.mouse.x, d.tab.mouse.y = x, y
	return all(ctx, d.tab.deliver(d.past, "",
		page.Command{Method: "Input.dispatchDragEvent",
			Params: map[string]any{"type": kind, "x": x, "y": y, "data": d.data, "modifiers": 0}}))
}

func (d *dragging) drop(ctx context.Context, x, y float64) error {
	at := d.to
	if at == nil {
		at = d.from
	}
	if d.data == nil {
		err := d.tab.mouseDoes(ctx, d.past, mouseEvent{Type: "mouseReleased", X: x, Y: y, Button: Left, ClickCount: 1})
		d.dropped = went(err)
		d.down = !d.dropped
		switch {
		case err != nil:
		case d.selects():
			var selected string
			if err = at.call(ctx, &selected, "selected"); err == nil && selected != words(d.to.Place.Text) {
				d.note = fmt.Sprintf("What is selected now is %q: the page or its CSS keeps that text from being selected.", selected)
			}
		case at.frame.ID != d.from.frame.ID:
			err = at.call(ctx, nil, "dragState") // gives the page one turn of its event loop
		default:
			var is struct{ Changed bool }
			if err = d.from.call(ctx, &is, "dragEnded"); err == nil && !is.Changed {
				d.note = "The hub saw nothing change on the page while the mouse moved and after its button was released: " +
					"the page seems to take no drag there. Look before you repeat it."
			}
		}
		return onlyPresent(err)
	}
	if err := at.call(ctx, nil, "watchDrop", d.to == nil); err != nil {
		return err
	}
	err := d.dragEvent(ctx, "drop", x, y)
	if d.dropped = went(err); d.dropped {
		d.down, d.data = false, nil
	}
	if err == nil {
		where := "that place"
		if d.to != nil {
			where = d.to.String()
		}
		var is struct {
			Seen bool
			By   string
		}
		switch err = at.call(ctx, &is, "dropState"); {
		case err != nil:
		case !is.Seen:
			d.note = fmt.Sprintf("No drop was seen at %s: pages take one by cancelling dragover there, and this one "+
				"seems not to have. Look whether the drag had an effect.", where)
		case is.By != "":
			d.note = fmt.Sprintf("The drop came to %s, which lay above %s then. Look what became of it.", is.By, where)
		}
	}
	return onlyPresent(err)
}

// selects says whether the drag selects text.
func (d *dragging) selects() bool {
	return d.to != nil && d.to.Place != nil && d.to.Place.End
}

// words returns the words of a text, separated by single spaces.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// onlyPresent ignores the error that a document or an element is gone after the drop was sent, because the drop may
// have caused that.
func onlyPresent(err error) error {
	var gone *page.DocumentGone
	var node *NotActionable
	if went(err) && (errors.As(err, &gone) || errors.As(err, &node)) {
		return nil
	}
	return err
}

// letGoWait is how long letGo waits for a page that answers nothing.
const letGoWait = time.Second

// letGo ends a drag that failed, so that no button stays pressed, and keeps the release from clicking the source. If
// the page has gone elsewhere, there is nothing to end.
func (d *dragging) letGo(ctx context.Context) {
	t := d.tab
	if _, open := t.page.Dialog(); d.data == nil && !open { // while a dialog is open, Chrome drops the release
		soon, cancel := context.WithTimeout(ctx, letGoWait)
		// A document that is gone is not clicked.
		_ = t.ask(soon, d.from.frame.Session, d.from.object, "cancelDrag")(nil)
		cancel()
	}
	d.take()
	var ends []page.Command
	if d.data != nil {
		ends = append(ends, page.Command{Method: "Input.dispatchDragEvent",
			Params: map[string]any{"type": "dragCancel", "x": t.mouse.x, "y": t.mouse.y, "data": d.data}})
	}
	ends = append(ends, page.Command{Method: mouseMethod,
		Params: mouseEvent{Type: "mouseReleased", X: t.mouse.x, Y: t.mouse.y, Button: Left, ClickCount: 1}})
	from := d.from.documents()
	t.page.SendIf(ctx, func(now []page.Frame) error { return asMeant(from[len(from)-1:], now, now, nil) }, "", ends...)
	d.down, d.data = false, nil
}

package input

import (
	"context"
	"errors"

	"webmcphub/automation/page"
)

// seen is what the look functions of the helper return.
type seen struct {
	State   State   `json:"state"`
	By      string  `json:"by"`
	X       float64 `json:"x"`
	Y       float64 `json:"y"`
	Width   float64 `json:"width"`  // of the viewport
	Height  float64 `json:"height"` // of the viewport
	Hidden  bool    `json:"hidden"` // the document reports that it isn't drawn
	Through string  `json:"through"`
}

// needs are the states that an action requires of its element.
type needs []string

var (
	forPress = needs{"visible", "enabled", "stable", "uncovered"}
	forHover = needs{"visible", "stable", "uncovered"}
	forFill  = needs{"visible", "enabled", "editable"}
	forTo    = needs{"visible", "stable", "uncovered"}
	forDrop  = needs{"visible", "stable"} // the dragged element may lie above the target
)

// spot is the place of an element in the page's viewport.
type spot struct {
	x, y    float64
	guard   int
	through string
	past    []page.Frame // the frames that are shielded
}

// aim looks at an element as the Machine's Decision says. If the element is ready, aim arms guards of the given kind
// ("" is none) around the place to press.
func (t *Tab) aim(ctx context.Context, e *element, d Decision, n needs, kind string) (spot, Observation, error) {
	t.guard++
	at := spot{guard: t.guard}
	if kind != "" {
		if err := t.shield(ctx, e, at.guard); err != nil {
			return at, Observation{}, err
		}
		at.past = shielded(e.beside)
	}
	var is seen
	look := map[string]any{"needs": n, "scroll": d.Scroll, "more": d.Unusual, "aim": true}
	if e.Place != nil {
		look["place"] = e.Place
	}
	if kind != "" {
		look["guard"], look["guards"] = at.guard, kind
	}
	if err := e.call(ctx, &is, "look", look); err != nil {
		return at, Observation{}, err
	}
	at.through = is.Through
	if is.State != Ready || len(e.around) == 0 {
		at.x, at.y = is.X, is.Y
		if is.State != Ready && kind != "" && len(e.beside) > 0 {
			t.disarm(e, at.guard)
		}
		return at, Observation{State: is.State, By: is.By, Unseen: is.Hidden}, nil
	}
	o, err := t.aimThrough(ctx, e, &at, is, n, kind)
	if kind != "" && (err != nil || o.State != Ready) {
		t.disarm(e, at.guard)
	}
	return at, o, err
}

// aimThrough maps the place to press outwards through the frames around the element, and checks in each of them that
// a press there reaches the frame inside.
func (t *Tab) aimThrough(ctx context.Context, e *element, at *spot, is seen, n needs,
	kind string) (Observation, error) {
	rests := make([]func(any) error, len(e.around))
	for i, s := range e.around {
		rests[i] = t.ask(ctx, s.In.Session, s.Object, "rest", map[string]any{})
	}
	sizes := []seen{is}
	for i := range e.around {
		var at seen
		if err := e.explain(rests[i](&at)); err != nil {
			return Observation{}, err
		}
		if at.State != Ready {
			return Observation{State: at.State, By: "a frame around it"}, nil
		}
		sizes = append(sizes, at)
	}
	views, err := t.views(ctx, e, sizes)
	if err != nil {
		return Observation{}, err
	}
	x, y := views[0].At(is.X, is.Y)
	looks := make([]func(any) error, len(e.around))
	for i, s := range e.around {
		inner, innerY := views[i+1].Inverse().At(x, y)
		look := map[string]any{"x": inner, "y": innerY, "needs": n}
		if kind != "" {
			look["guard"], look["guards"] = at.guard, kind
		}
		looks[i] = t.ask(ctx, s.In.Session, s.Object, "lookAt", look)
	}
	o := Observation{State: Ready, Unseen: is.Hidden}
	for _, look := range looks {
		var at seen
		if err := e.explain(look(&at)); err != nil {
			return Observation{}, err
		}
		if at.State != Ready && o.State == Ready {
			o.State, o.By = at.State, at.By
		}
	}
	at.x, at.y = x, y
	return o, nil
}

// views returns, for the element's frame and for each frame around it, the Projection from that frame's viewport to
// the page's. Chrome gives the place of an iframe in the viewport of the outermost frame of the process.
func (t *Tab) views(ctx context.Context, e *element, sizes []seen) ([]Projection, error) {
	replies := make([]page.Sent, len(e.around))
	for i, s := range e.around {
		replies[i] = t.page.Send(ctx, s.In.Session, "DOM.getBoxModel", map[string]any{"backendNodeId": s.Backend})
	}
	quads := make([]Quad, len(e.around))
	for i := range e.around {
		var box struct {
			Model struct{ Content Quad }
		}
		if err := replies[i].Wait(ctx, &box); err != nil {
			if gone := e.explain(err); !errors.Is(gone, err) {
				return nil, gone
			}
			return nil, &NotActionable{What: e.String(), State: Hidden}
		}
		quads[i] = box.Model.Content
	}
	views := make([]Projection, len(e.around)+1)
	views[len(e.around)] = Identity
	root := Identity // the outermost frame of the process in which frame i is
	for i := len(e.around) - 1; i >= 0; i-- {
		s := e.around[i]
		if i+1 < len(e.around) && s.In.Session != e.around[i+1].In.Session {
			root = views[i+1]
		}
		views[i] = root.After(Onto(quads[i], sizes[i].Width, sizes[i].Height))
		if !views[i].Finite() {
			return nil, &NotActionable{What: e.String(), State: Hidden}
		}
	}
	return views, nil
}

// disarm ends the guards. It doesn't wait, because a guard also ends by itself.
func (t *Tab) disarm(e *element, guard int) {
	ctx := page.DespiteDialog(context.Background())
	t.page.CallOn(ctx, e.frame.Session, e.object, disarm, guard)
	for _, s := range e.around {
		t.page.CallOn(ctx, s.In.Session, s.Object, disarm, guard)
	}
}

const disarm = "function (n) { globalThis.__webmcpHubAct.disarm(n) }"

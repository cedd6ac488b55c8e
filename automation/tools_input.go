package automation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"webmcphub/automation/input"
	"webmcphub/automation/page"
	"webmcphub/automation/schema"
)

// inputArguments are those of all tools that act on elements.
type inputArguments struct {
	pageArguments
	UID      string              `json:"uid"`
	Snapshot bool                `json:"includeSnapshot"`
	Timeout  schema.Milliseconds `json:"timeout"`
}

func (a inputArguments) limits() input.Limits {
	return input.Limits{Ready: time.Duration(a.Timeout)}
}

// node finds the element that the client means by a uid.
func (r *Request) node(ctx context.Context, p *opened, uid string) (input.Node, error) {
	began := time.Now()
	known, err := p.tab.seen.Find(ctx, p.Page, r.Client.ID, uid)
	if err != nil {
		return input.Node{}, err
	}
	return input.Node{
		Frame: known.Frame, Backend: known.Key.Backend,
		Role: known.Label.Role, Name: known.Label.Name, Checked: began,
		Still: func(ctx context.Context) error {
			now, err := p.tab.seen.Find(ctx, p.Page, r.Client.ID, uid)
			if err == nil && now.Label != known.Label {
				err = fmt.Errorf("nothing was done: %s is called %s since the call began. Look at the page again", uid, now.Label)
			}
			return err
		},
	}, r.judged.Enters(ctx, p.Page, known.Frame)
}

// act decodes the arguments and opens the page. Of a client that isn't known from one call to the
// next nobody knows what it saw last, so it is told what changes from now on.
func (r *Request) act(ctx context.Context, into any, common *inputArguments) (*opened, error) {
	if err := r.decode(into); err != nil {
		return nil, err
	}
	r.limit(common.Timeout, input.DefaultLimit)
	p, err := r.page(ctx, common.PageID)
	if err == nil && r.stranger && !common.Snapshot {
		ctx, cancel := context.WithTimeout(ctx, looks)
		defer cancel()
		_ = p.tab.seen.Note(ctx, p.Page, r.Client.ID) // if it can't be seen now, the action says so
	}
	return p, err
}

// actOn decodes the arguments, opens the page, and finds the element of uid.
func (r *Request) actOn(ctx context.Context, into any, common *inputArguments) (*opened, input.Node, error) {
	p, err := r.act(ctx, into, common)
	if err != nil {
		return nil, input.Node{}, err
	}
	node, err := r.node(ctx, p, common.UID)
	return p, node, err
}

// placeArguments are where in its element an action is wanted.
type placeArguments struct {
	X *float64 `json:"x"`
	Y *float64 `json:"y"`
}

// place is the place that the arguments name; nil is anywhere in the element.
func (a placeArguments) place() (*input.Place, error) {
	switch {
	case a.X == nil && a.Y == nil:
		return nil, nil
	case a.X == nil || a.Y == nil:
		return nil, errors.New("x and y have to be given together")
	}
	return &input.Place{X: *a.X, Y: *a.Y}, nil
}

func (r *Request) click(ctx context.Context) (*Result, error) {
	var a struct {
		inputArguments
		placeArguments
		Double    bool     `json:"dblClick"`
		Button    string   `json:"button"`
		Modifiers []string `json:"modifiers"`
	}
	p, node, err := r.actOn(ctx, &a, &a.inputArguments)
	if err != nil {
		return nil, err
	}
	if node.Place, err = a.place(); err != nil {
		return nil, err
	}
	o := input.ClickOptions{Button: input.Button(a.Button), Limits: a.limits()}
	did := "Clicked"
	if a.Double {
		o.Clicks, did = 2, "Double-clicked"
	}
	for _, m := range a.Modifiers {
		o.Modifiers |= map[string]input.Modifiers{"Alt": input.Alt, "Control": input.Control, "Meta": input.Meta, "Shift": input.Shift}[m]
	}
	out, err := p.input.Click(ctx, node, o)
	return r.told(ctx, p, did+" "+node.String(), out, err, a.Snapshot)
}

func (r *Request) hover(ctx context.Context) (*Result, error) {
	var a struct {
		inputArguments
		placeArguments
	}
	p, node, err := r.actOn(ctx, &a, &a.inputArguments)
	if err != nil {
		return nil, err
	}
	if node.Place, err = a.place(); err != nil {
		return nil, err
	}
	out, err := p.input.Hover(ctx, node, input.HoverOptions{Limits: a.limits()})
	return r.told(ctx, p, "The mouse is over "+node.String(), out, err, a.Snapshot)
}

func (r *Request) drag(ctx context.Context) (*Result, error) {
	var a struct {
		inputArguments
		placeArguments
		From  string   `json:"from_uid"`
		FromX *float64 `json:"from_x"`
		FromY *float64 `json:"from_y"`
		To    string   `json:"to_uid"`
		Text  string   `json:"text"`
	}
	p, err := r.act(ctx, &a, &a.inputArguments)
	if err != nil {
		return nil, err
	}
	from, err := r.node(ctx, p, a.From)
	if err != nil {
		return nil, fmt.Errorf("from_uid: %w", err)
	}
	if from.Place, err = (placeArguments{a.FromX, a.FromY}).place(); err != nil {
		return nil, fmt.Errorf("from_uid: %w", err)
	}
	place, err := a.place()
	o := input.DragOptions{Limits: a.limits()}
	switch {
	case err != nil:
		return nil, err
	case a.Text != "":
		if a.To != "" || place != nil || from.Place != nil {
			return nil, errors.New("text selects in from_uid: leave out to_uid, x and y")
		}
		out, err := p.input.SelectText(ctx, from, a.Text, a.limits())
		return r.told(ctx, p, "Selected text of "+from.String(), out, err, a.Snapshot)
	case a.To != "":
		to, err := r.node(ctx, p, a.To)
		if err != nil {
			return nil, fmt.Errorf("to_uid: %w", err)
		}
		to.Place, o.To = place, &to
		out, err := p.input.Drag(ctx, from, o)
		return r.told(ctx, p, "Dragged "+from.String()+" onto "+to.String(), out, err, a.Snapshot)
	case place == nil:
		return nil, errors.New("say where to drag: to_uid, or x and y for so many pixels from where it is")
	}
	o.ByX, o.ByY = place.X, place.Y
	out, err := p.input.Drag(ctx, from, o)
	return r.told(ctx, p, fmt.Sprintf("Dragged %s by %g, %g", from, place.X, place.Y), out, err, a.Snapshot)
}

func (r *Request) pressKey(ctx context.Context) (*Result, error) {
	var a struct {
		inputArguments
		Key    string `json:"key"`
		Repeat int    `json:"repeat"`
	}
	p, err := r.act(ctx, &a, &a.inputArguments)
	if err != nil {
		return nil, err
	}
	o := input.PressOptions{Repeat: a.Repeat, Limits: a.limits()}
	where := ""
	if a.UID != "" {
		node, err := r.node(ctx, p, a.UID)
		if err != nil {
			return nil, err
		}
		o.Node, where = &node, " on "+node.String()
	} else if o.In, err = r.judgedFocus(ctx, p); err != nil {
		return nil, err
	}
	out, err := p.input.Press(ctx, a.Key, o)
	return r.told(ctx, p, "Pressed "+a.Key+where, out, err, a.Snapshot)
}

// judgedFocus is the document that has the focus, and the only one that the call may press keys in;
// nil is any.
func (r *Request) judgedFocus(ctx context.Context, p *opened) (*page.FrameRef, error) {
	if r.Judge == nil {
		return nil, nil
	}
	in, err := p.input.FocusedFrame(ctx)
	if err != nil {
		return nil, err
	}
	return &in, r.judged.Enters(ctx, p.Page, in)
}

func (r *Request) uploadFile(ctx context.Context) (*Result, error) {
	var a struct {
		inputArguments
		Paths []string `json:"filePaths"`
	}
	p, node, err := r.actOn(ctx, &a, &a.inputArguments)
	if err != nil {
		return nil, err
	}
	paths, err := r.folders(ctx).Readable(a.Paths)
	if err != nil {
		return nil, err
	}
	out, err := p.input.Upload(ctx, node, paths, input.UploadOptions{Limits: a.limits()})
	return r.told(ctx, p, "Gave the files to "+node.String(), out, err, a.Snapshot)
}

package automation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"webmcphub/automation/input"
	"webmcphub/automation/input/keys"
	"webmcphub/automation/page"
	"webmcphub/automation/schema"
	"webmcphub/automation/snapshot"
)

// inputArguments are the common arguments of tools that act on elements.
type inputArguments struct {
	snapshotArgument
	timeoutArgument
	pageArguments
}

func (a inputArguments) common() inputArguments { return a }

// uidArgument names the element to act on.
type uidArgument struct {
	UID string `json:"uid" as:"required"`
}

type snapshotArgument struct {
	Snapshot bool `json:"includeSnapshot"`
}

type timeoutArgument struct {
	Timeout schema.Milliseconds `json:"timeout" is:"ms"`
}

func (a inputArguments) limits() input.Limits {
	return input.Limits{Ready: time.Duration(a.Timeout)}
}

// find returns the element that the client means by a uid, after checking that it is still the one that the client was
// shown. If the error is an *[input.NotShown], find returns the element as well.
func (r *Request) find(ctx context.Context, p *opened, uid string) (*snapshot.Known, error) {
	known, err := p.tab.seen.Find(ctx, p.Page, r.Client.ID, uid)
	if stale := new(snapshot.StaleError); errors.As(err, &stale) && stale.Hidden {
		return known, &input.NotShown{Err: err}
	}
	return known, err
}

// inputNode makes the node for an element. It was checked at the given time; the zero time means not yet.
func (r *Request) inputNode(p *opened, known *snapshot.Known, checked time.Time) input.Node {
	return input.Node{
		Frame: known.Frame(), Backend: known.Key.Backend,
		Role: known.Label.Role, Name: known.Label.Name, Checked: checked,
		Still: func(ctx context.Context) error {
			now, err := r.find(ctx, p, known.UID)
			if err == nil && now.Label != known.Label {
				err = fmt.Errorf("nothing was done: %s is called %s since the call began. Look at the page again",
					known.UID, now.Label)
			}
			return err
		},
	}
}

// named returns the element that the client means by a uid. The page is asked about it when something is done to it.
func (r *Request) named(ctx context.Context, p *opened, uid string) (input.Node, error) {
	known, err := p.tab.seen.Named(p.Page, r.Client.ID, uid)
	if err != nil {
		return input.Node{}, err
	}
	return r.inputNode(p, known, time.Time{}), r.judged.AuthorizeDocument(ctx, p.Page, known.Frame())
}

// node returns the element that the client means by a uid. If the page has replaced the element, node finds the new
// one, and the answer says so. If the error is an *[input.NotShown], node returns the element as well.
func (r *Request) node(ctx context.Context, p *opened, uid string) (input.Node, error) {
	began := time.Now()
	known, err := r.find(ctx, p, uid)
	if stale := new(snapshot.StaleError); errors.As(err, &stale) && stale.Removed {
		if again, lost := p.tab.seen.Again(ctx, p.Page, r.Client.ID, uid); lost == nil && again != nil {
			known, err = again, nil
			r.notes(fmt.Sprintf("The page had made %s anew: it was found again in the same place, as %s.", uid,
				again.UID))
		}
	}
	if known == nil {
		return input.Node{}, err
	}
	if enters := r.judged.AuthorizeDocument(ctx, p.Page, known.Frame()); enters != nil {
		err = enters
	}
	if err != nil { // a hidden element is checked again before anything is done
		began = time.Time{}
	}
	return r.inputNode(p, known, began), err
}

// awaited does the same as node for actions, which wait until the element is shown.
func (r *Request) awaited(ctx context.Context, p *opened, uid string) (input.Node, error) {
	node, err := r.node(ctx, p, uid)
	if errors.As(err, new(*input.NotShown)) {
		err = nil
	}
	return node, err
}

// onUID acts on the element of a uid. If the page replaces the element before anything is done, onUID tries once more.
func (r *Request) onUID(ctx context.Context, p *opened, uid string,
	act func(input.Node) (*input.Outcome, error)) (input.Node, *input.Outcome, error) {
	node, err := r.named(ctx, p, uid)
	if err != nil {
		return node, nil, err
	}
	out, err := act(node)
	not, stale := new(input.NotActionable), new(snapshot.StaleError)
	if errors.As(err, &not) && not.State == input.Detached || errors.As(err, &stale) && stale.Removed {
		if again, lost := r.awaited(ctx, p, uid); lost == nil {
			node = again
			out, err = act(node)
		}
	}
	return node, out, err
}

// acting makes the handler of a tool that acts on a page. For a client without a session, it isn't known
// what the client saw last. So the handler takes a snapshot first, and the answer reports changes from there.
func acting[A interface{ common() inputArguments }](
	act func(*Request, context.Context, *opened, A) (*Result, error)) handler {
	return with(func(r *Request, ctx context.Context, a A) (*Result, error) {
		common := a.common()
		r.limit(common.Timeout, input.DefaultLimit)
		p, err := r.page(ctx, common.PageID)
		if err != nil {
			return nil, err
		}
		if r.anonymous && !common.Snapshot {
			ctx, cancel := context.WithTimeout(ctx, looks)
			defer cancel()
			_ = p.tab.seen.Note(ctx, p.Page, r.Client.ID) // if that fails, the action reports the reason
		}
		return act(r, ctx, p, a)
	})
}

// placeArguments say where in its element an action is wanted.
type placeArguments struct {
	X *float64 `json:"x"`
	Y *float64 `json:"y"`
}

// place returns the place that the arguments name; nil means anywhere in the element.
func (a placeArguments) place() (*input.Place, error) {
	switch {
	case a.X == nil && a.Y == nil:
		return nil, nil
	case a.X == nil || a.Y == nil:
		return nil, errors.New("x and y have to be given together")
	}
	return &input.Place{X: *a.X, Y: *a.Y}, nil
}

type clickArguments struct {
	uidArgument
	placeArguments
	Double    bool     `json:"dblClick"`
	Button    string   `json:"button" among:"left,right,middle"`
	Modifiers []string `json:"modifiers" among:"Alt,Control,Meta,Shift"`
	inputArguments
}

func (r *Request) click(ctx context.Context, p *opened, a clickArguments) (*Result, error) {
	place, err := a.place()
	if err != nil {
		return nil, err
	}
	o := input.ClickOptions{Button: input.Button(a.Button), Limits: a.limits()}
	did := "Clicked"
	if a.Double {
		o.Clicks, did = 2, "Double-clicked"
	}
	for _, m := range a.Modifiers {
		key, _ := keys.Named(m)
		o.Modifiers |= key.Bit()
	}
	node, out, err := r.onUID(ctx, p, a.UID, func(n input.Node) (*input.Outcome, error) {
		n.Place = place
		return p.input.Click(ctx, n, o)
	})
	return r.actionResult(ctx, p, did+" "+node.String(), out, err, a.Snapshot)
}

type hoverArguments struct {
	uidArgument
	placeArguments
	inputArguments
}

func (r *Request) hover(ctx context.Context, p *opened, a hoverArguments) (*Result, error) {
	place, err := a.place()
	if err != nil {
		return nil, err
	}
	node, out, err := r.onUID(ctx, p, a.UID, func(n input.Node) (*input.Outcome, error) {
		n.Place = place
		return p.input.Hover(ctx, n, a.limits())
	})
	return r.actionResult(ctx, p, "The mouse is over "+node.String(), out, err, a.Snapshot)
}

type dragArguments struct {
	From  string   `json:"from_uid" as:"required"`
	FromX *float64 `json:"from_x"`
	FromY *float64 `json:"from_y"`
	To    string   `json:"to_uid"`
	placeArguments
	Text string `json:"text"`
	inputArguments
}

func (r *Request) drag(ctx context.Context, p *opened, a dragArguments) (*Result, error) {
	from, err := r.awaited(ctx, p, a.From)
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
		return r.actionResult(ctx, p, "Selected text of "+from.String(), out, err, a.Snapshot)
	case a.To != "":
		to, err := r.awaited(ctx, p, a.To)
		if err != nil {
			return nil, fmt.Errorf("to_uid: %w", err)
		}
		to.Place, o.To = place, &to
		out, err := p.input.Drag(ctx, from, o)
		return r.actionResult(ctx, p, "Dragged "+from.String()+" onto "+to.String(), out, err, a.Snapshot)
	case place == nil:
		return nil, errors.New("say where to drag: to_uid, or x and y for so many pixels from where it is")
	}
	o.ByX, o.ByY = place.X, place.Y
	out, err := p.input.Drag(ctx, from, o)
	return r.actionResult(ctx, p, fmt.Sprintf("Dragged %s by %g, %g", from, place.X, place.Y), out, err, a.Snapshot)
}

type keyArguments struct {
	Key    string `json:"key" as:"required"`
	UID    string `json:"uid"`
	Repeat int    `json:"repeat" least:"1" most:"100"`
	snapshotArgument
	pageArguments
}

func (a keyArguments) common() inputArguments {
	return inputArguments{snapshotArgument: a.snapshotArgument, pageArguments: a.pageArguments}
}

func (r *Request) pressKey(ctx context.Context, p *opened, a keyArguments) (*Result, error) {
	o := input.PressOptions{Repeat: a.Repeat}
	if a.UID != "" {
		node, out, err := r.onUID(ctx, p, a.UID, func(n input.Node) (*input.Outcome, error) {
			o.Node = &n
			return p.input.Press(ctx, a.Key, o)
		})
		return r.actionResult(ctx, p, "Pressed "+a.Key+" on "+node.String(), out, err, a.Snapshot)
	}
	in, err := r.judgedFocus(ctx, p)
	if err != nil {
		return nil, err
	}
	o.In = in
	o.Follow = func(ctx context.Context, in page.FrameRef) error { return r.judged.Follow(ctx, p.Page, in) }
	out, err := p.input.Press(ctx, a.Key, o)
	return r.actionResult(ctx, p, "Pressed "+a.Key, out, err, a.Snapshot)
}

// judgedFocus returns the document that has the focus, in which the call may press keys. Nil means any document.
func (r *Request) judgedFocus(ctx context.Context, p *opened) (*page.FrameRef, error) {
	if r.Judge == nil {
		return nil, nil
	}
	in, err := p.input.FocusedFrame(ctx)
	if err != nil {
		return nil, err
	}
	return &in, r.judged.AuthorizeDocument(ctx, p.Page, in)
}

type uploadArguments struct {
	uidArgument
	Paths []string `json:"filePaths" least:"1" as:"required"`
	inputArguments
}

func (r *Request) uploadFile(ctx context.Context, p *opened, a uploadArguments) (*Result, error) {
	paths, err := r.folders(ctx).Readable(a.Paths)
	if err != nil {
		return nil, err
	}
	node, out, err := r.onUID(ctx, p, a.UID, func(n input.Node) (*input.Outcome, error) {
		return p.input.Upload(ctx, n, paths, a.limits())
	})
	return r.actionResult(ctx, p, "Gave the files to "+node.String(), out, err, a.Snapshot)
}

package page

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// attempts is how often a screenshot is tried again while the page's frames change.
const attempts = 3

var errChanging = errors.New("while the picture was taken, the page added frames of sites that the user's rules keep out: " +
	"try again when the page is quiet")

// within takes a picture that shows nothing of documents that are kept out. It hides the frames of these documents
// while the picture is taken.
func within(ctx context.Context, p *Page, take func() (Picture, error)) (Picture, error) {
	for range attempts {
		main, there := p.Main()
		if !there {
			return Picture{}, errors.New("the page has no document now; try again in a moment")
		}
		if err := p.CheckRead(ctx, main); err != nil {
			return Picture{}, err
		}
		p.soon(ctx, func() bool { // it is known what all frames show, except those that are late
			return !slices.ContainsFunc(p.UnknownFrames(), func(f Frame) bool { return !f.Late })
		})
		is, err := takeWithout(ctx, p, keptOut(ctx, p), take)
		if err != errChanging {
			return is, p.Explain(ctx, main.FrameRef, err)
		}
	}
	return Picture{}, errChanging
}

// keptOut returns the frames to hide: frames that are kept out, and frames of which it isn't known yet what they
// show.
func keptOut(ctx context.Context, p *Page) []Frame {
	out := p.KeptOut(ctx)
	frames := p.Frames()
	for _, f := range p.UnknownFrames() {
		seen := slices.ContainsFunc(frames,
			func(around Frame) bool { return around.ID == f.Parent && p.CheckRead(ctx, around) == nil })
		known := slices.ContainsFunc(out, func(other Frame) bool { return other.ID == f.ID })
		if main := f.Parent == ""; (seen || main) && !known && p.CheckRead(ctx, f) != nil {
			out = append(out, f)
		}
	}
	return out
}

// takeWithout hides frames, takes a picture, and shows the frames again.
func takeWithout(ctx context.Context, p *Page, out []Frame, take func() (Picture, error)) (Picture, error) {
	if len(out) > 0 {
		release, err := p.hiding.Wait(ctx, p)
		if err != nil {
			return Picture{}, err
		}
		defer release()
	}
	hidden := map[string]curtain{}
	for _, f := range out {
		c, err := hide(ctx, p, f)
		if err != nil {
			if IsGone(err) {
				return Picture{}, errChanging
			}
			return Picture{}, fmt.Errorf("nothing was captured: a frame of %s, which the user's rules keep out, "+
				"could not be hidden: %w", f.Origin, err)
		}
		hidden[f.ID] = c
		defer c.lift(p)
	}
	is, err := take()
	if err != nil {
		return is, err
	}
	if main, there := p.Main(); !there || p.CheckRead(ctx, main) != nil {
		return Picture{}, errChanging
	}
	for _, f := range keptOut(ctx, p) {
		c, was := hidden[f.ID]
		if !was || !c.holds(ctx, p) {
			return Picture{}, errChanging
		}
	}
	is.Hidden = len(hidden)
	return is, nil
}

// curtain hides a frame by the style of the frame's element in the document around it.
type curtain FrameElement

const (
	hideFrame = `function() {
  this.webmcpHubStyle = this.getAttribute('style');
  this.style.setProperty('visibility', 'hidden', 'important');
  this.style.setProperty('transition', 'none', 'important');
}`
	frameIsHidden = `function() { return getComputedStyle(this).visibility === 'hidden' }`
	showFrame     = `function() {
  if (this.webmcpHubStyle === null) this.removeAttribute('style');
  else this.setAttribute('style', this.webmcpHubStyle);
}`
)

func hide(ctx context.Context, p *Page, f Frame) (curtain, error) {
	e, err := p.FrameElement(ctx, f)
	if err != nil {
		return curtain{}, err
	}
	return curtain(e), p.CallOn(ctx, e.In.Session, e.Object, hideFrame)(nil)
}

// holds says whether the frame is still hidden. The page may have shown it again.
func (c curtain) holds(ctx context.Context, p *Page) bool {
	hidden := false
	err := p.CallOn(ctx, c.In.Session, c.Object, frameIsHidden)(&hidden)
	return err == nil && hidden
}

// lift shows the frame again. It doesn't wait, because the page may not answer.
func (c curtain) lift(p *Page) {
	p.CallOn(DespiteDialog(context.Background()), c.In.Session, c.Object, showFrame)
	p.Release(c.In.FrameRef, c.Object)
}

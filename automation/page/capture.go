package page

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
)

// Bounds on pictures, in pixels.
const (
	// DefaultSide bounds the longer side: models scale larger pictures down.
	DefaultSide = 1568
	// MaxSide is what Chrome's compositor can do.
	MaxSide = 16384
)

// minScale is how far a whole page is scaled down unless the caller bounds its size. What
// is too long then is cut off, since nobody could read it smaller.
const minScale = 0.25

// Request says what to capture. The zero value is what the tab shows, as PNG.
type CaptureRequest struct {
	Format   string           // "png" (also ""), "jpeg" or "webp"
	Quality  int              // of jpeg and webp, 1 to 100; 0 leaves it to Chrome
	FullPage bool             // with what has to be scrolled to
	Element  *CapturedElement // only that; may be nil
	// Side bounds the longer side, in pixels. With 0 that is [DefaultSide], with -1
	// [MaxSide], and a page is cut off that is so long that nobody could read it then.
	Side int
}

// Element is one by its document and the number that Chrome has for it.
type CapturedElement struct {
	Frame       FrameRef
	BackendNode int
}

// Rect is a part of a page, in CSS pixels of its main document.
type Rect struct{ X, Y, Width, Height float64 }

// Picture is what came of a [Request].
type Picture struct {
	Data          []byte
	MIME          string
	Width, Height int     // in pixels
	Shows         Rect    // which part of the page
	Scale         float64 // pixels per CSS pixel
	CutOff        float64 // CSS pixels at the end of a long page that aren't shown
	Hidden        int     // frames that aren't shown, since the hub may not look into them
}

// Take captures. Errors are those of [page.Page.Call], and say so if there is nothing
// to capture.
func Capture(ctx context.Context, p *Page, r CaptureRequest) (Picture, error) {
	if r.Format == "" {
		r.Format = "png"
	}
	if r.Format != "png" && r.Format != "jpeg" && r.Format != "webp" {
		return Picture{}, fmt.Errorf("format %q: png, jpeg and webp are possible", r.Format)
	}
	if err := p.Setup(ctx, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}); err != nil {
		return Picture{}, fmt.Errorf("have the tab rendered in the background: %w", err)
	}
	at, err := measure(ctx, p)
	if err != nil {
		return Picture{}, err
	}
	whole, beyond := at.view, false
	switch {
	case r.Element != nil:
		if whole, err = locate(ctx, p, *r.Element, at); err != nil {
			return Picture{}, err
		}
		beyond = !at.view.holds(whole)
	case r.FullPage:
		whole = Rect{0, 0, at.content.Width, at.content.Height}
		beyond = !at.view.holds(whole)
	}
	if whole.Width < 1 || whole.Height < 1 {
		return Picture{}, errors.New("there is nothing to capture: it has no size")
	}
	shows, scale := fit(whole, at.ratio, r.Side)
	return within(ctx, p, func() (Picture, error) {
		return shoot(ctx, p, r, shows, scale, at.ratio, beyond, whole.Height-shows.Height)
	})
}

// maxPixels bounds a picture's area: Chrome holds four bytes of each, and hands over as many at most.
const maxPixels = 64 << 20

// fit says how much of a part of the page to show, and how much smaller.
func fit(whole Rect, ratio float64, side int) (shows Rect, scale float64) {
	shows, scale = fitSide(whole, ratio, side)
	if area := shows.Width * shows.Height * scale * scale * ratio * ratio; area > maxPixels {
		scale *= math.Sqrt(maxPixels / area)
	}
	return shows, scale
}

// fitSide is fit as far as the longer side is bounded.
func fitSide(whole Rect, ratio float64, side int) (shows Rect, scale float64) {
	wanted := side > 0
	switch {
	case side == 0:
		side = DefaultSide
	case side < 0 || side > MaxSide:
		side = MaxSide
	}
	most := float64(side)
	scale = min(1, most/(math.Max(whole.Width, whole.Height)*ratio))
	if wanted || scale >= minScale {
		return whole, scale
	}
	scale = min(1, max(minScale, most/(whole.Width*ratio)/2))
	scale = min(scale, most/(whole.Width*ratio))
	whole.Height = min(whole.Height, math.Floor(float64(min(MaxSide, 4*side))/(scale*ratio)))
	return whole, scale
}

func shoot(ctx context.Context, p *Page, r CaptureRequest, shows Rect, scale, ratio float64, beyond bool,
	cut float64) (Picture, error) {
	params := map[string]any{
		"format": r.Format, "captureBeyondViewport": beyond,
		"clip": map[string]any{"x": shows.X, "y": shows.Y, "width": shows.Width, "height": shows.Height,
			"scale": scale},
	}
	if r.Quality > 0 && r.Format != "png" {
		params["quality"] = min(r.Quality, 100)
	}
	defer p.Draw()()
	var taken struct{ Data string }
	if err := p.Call(ctx, "", "Page.captureScreenshot", params, &taken); err != nil {
		return Picture{}, err
	}
	data, err := base64.StdEncoding.DecodeString(taken.Data)
	if err != nil {
		return Picture{}, fmt.Errorf("decode Chrome's picture: %w", err)
	}
	is := Picture{Data: data, MIME: "image/" + r.Format, Shows: shows, Scale: scale * ratio, CutOff: max(0, cut)}
	is.Width, is.Height, err = size(r.Format, data)
	return is, err
}

package page

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // so that DecodeConfig knows the formats
	_ "image/png"
	"math"

	_ "golang.org/x/image/webp"
)

// Bounds on the size of pictures, in pixels.
const (
	// DefaultSide bounds the longer side, because models scale larger pictures down.
	DefaultSide = 1568
	// MaxSide is the most that Chrome's compositor can draw.
	MaxSide = 16384
)

// minScale is how far a whole page is scaled down at most, unless the caller bounds its size. If the page is still
// too long, its end is cut off, because nobody could read the picture at a smaller scale.
const minScale = 0.25

// CaptureRequest says what to capture. The zero value captures what the tab shows, as PNG.
type CaptureRequest struct {
	Format   string           // "png" (also ""), "jpeg" or "webp"
	Quality  int              // for jpeg and webp, 1 to 100; 0 leaves it to Chrome
	FullPage bool             // the whole page, not only the visible part
	Element  *CapturedElement // only this element; may be nil
	// Side bounds the longer side, in pixels. 0 means [DefaultSide], and -1 means [MaxSide]. With these two values,
	// the end of a page that is too long to be readable is cut off.
	Side int
}

// CapturedElement names an element by its document and its backend node id.
type CapturedElement struct {
	Frame       FrameRef
	BackendNode int
}

// Rect is a part of a page, in CSS pixels of the main document.
type Rect struct{ X, Y, Width, Height float64 }

// Picture is the result of [Capture].
type Picture struct {
	Data          []byte
	MIME          string
	Width, Height int     // in pixels
	Shows         Rect    // which part of the page it shows
	Scale         float64 // pixels per CSS pixel
	CutOff        float64 // how many CSS pixels at the end of a long page are cut off
	Hidden        int     // how many frames were hidden because the hub may not look into them
}

// Capture takes a screenshot. Its errors are those of [Page.Call], and errors that say that there is nothing to
// capture.
func Capture(ctx context.Context, p *Page, r CaptureRequest) (Picture, error) {
	if r.Format == "" {
		r.Format = "png"
	}
	if r.Format != "png" && r.Format != "jpeg" && r.Format != "webp" {
		return Picture{}, fmt.Errorf("format %q: png, jpeg and webp are possible", r.Format)
	}
	if err := p.EmulateFocus(ctx); err != nil {
		return Picture{}, fmt.Errorf("have the tab rendered in the background: %w", err)
	}
	at, err := measure(ctx, p)
	if err != nil {
		return Picture{}, err
	}
	whole, beyond := at.view, false
	switch {
	case r.Element != nil:
		if whole, err = locate(ctx, p, *r.Element); err != nil {
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

// maxPixels bounds a picture's area. Chrome needs four bytes of memory for each pixel.
const maxPixels = 64 << 20

// fit returns the part of the page that the picture shows, and the scale of the picture.
func fit(whole Rect, ratio float64, side int) (shows Rect, scale float64) {
	shows, scale = fitSide(whole, ratio, side)
	if area := shows.Width * shows.Height * scale * scale * ratio * ratio; area > maxPixels {
		scale *= math.Sqrt(maxPixels / area)
	}
	return shows, scale
}

// fitSide does the same as fit, but bounds only the longer side.
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
	size, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return Picture{}, fmt.Errorf("read Chrome's picture: %w", err)
	}
	return Picture{Data: data, MIME: "image/" + r.Format, Width: size.Width, Height: size.Height, Shows: shows,
		Scale: scale * ratio, CutOff: max(0, cut)}, nil
}

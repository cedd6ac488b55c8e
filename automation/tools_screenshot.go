package automation

import (
	"context"
	"errors"
	"fmt"
	"io"

	"webmcphub/automation/page"
)

// maxImage bounds the bytes of a picture in an answer. Clients accept no more.
const maxImage = 2_000_000

type screenshotArguments struct {
	Format   string `json:"format" among:"png,jpeg,webp" is:"Default: png"`
	Quality  int    `json:"quality" least:"0" most:"100"`
	UID      string `json:"uid"`
	FullPage bool   `json:"fullPage"`
	MaxSize  *int   `json:"maxSize" is:"Of the longer side in px. Default: 1568; 0: any"`
	fileArgument
	pageArguments
}

func (r *Request) takeScreenshot(ctx context.Context, a screenshotArguments) (*Result, error) {
	if a.FullPage && a.UID != "" {
		return nil, errors.New("give uid or fullPage, not both")
	}
	p, err := r.page(ctx, a.PageID)
	if err != nil {
		return nil, err
	}
	o := page.CaptureRequest{Format: a.Format, Quality: a.Quality, FullPage: a.FullPage}
	switch {
	case a.MaxSize == nil && a.FilePath != "", a.MaxSize != nil && *a.MaxSize == 0:
		o.Side = -1
	case a.MaxSize != nil:
		o.Side = *a.MaxSize
	}
	what := "what the page shows"
	if a.FullPage {
		what = "the full page"
	}
	if a.UID != "" {
		node, err := r.node(ctx, p, a.UID)
		if err != nil {
			return nil, err
		}
		o.Element, what = &page.CapturedElement{Frame: node.Frame, BackendNode: node.Backend}, node.String()
	}
	picture, err := page.Capture(ctx, p.Page, o)
	if err != nil {
		return nil, err
	}
	return r.picture(ctx, picture, what, a.FilePath)
}

// picture makes the answer with a picture, or with the path under which it was saved.
func (r *Request) picture(ctx context.Context, picture page.Picture, what, path string) (*Result, error) {
	text := fmt.Sprintf("A picture of %s: %d×%d pixels", what, picture.Width, picture.Height)
	if picture.Scale < 0.99 {
		text += fmt.Sprintf(", scaled to %.0f %%", picture.Scale*100)
	}
	if picture.CutOff > 0 {
		text += fmt.Sprintf("; the last %.0f CSS pixels of the page are left out", picture.CutOff)
	}
	if picture.Hidden > 0 {
		text += fmt.Sprintf("; %d frames are left out, whose sites are kept out by the user's rules (--allow-origin, "+
			"--deny-origin, --browsers)", picture.Hidden)
	}
	extension := map[string]string{"image/jpeg": ".jpeg", "image/webp": ".webp"}[picture.MIME]
	if extension == "" {
		extension = ".png"
	}
	if path == "" && len(picture.Data) <= maxImage {
		return &Result{Text: text + ".", Images: []Image{{Data: picture.Data, MIMEType: picture.MIME}}}, nil
	}
	switch {
	case path == "" && r.Elsewhere:
		return nil, fmt.Errorf("the picture has %d bytes, which is too large for an answer: give a smaller maxSize, "+
			"or format jpeg", len(picture.Data))
	case path == "":
		path = fmt.Sprintf("screenshot-%s-%d", r.Client.ID, r.service.number())
		text += "; too large for an answer"
	}
	saved, err := r.folders(ctx).Save(path, extension,
		func(w io.Writer) error { _, err := w.Write(picture.Data); return err })
	if err != nil {
		return nil, err
	}
	return resultf("%s. It was saved to %s.", text, saved), nil
}

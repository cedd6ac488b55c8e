package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"io"
	"maps"
	"slices"
	"strings"

	_ "embed"

	"webmcphub/cdpclient"
)

//go:embed stage.html
var stageSource string

var stageTemplate = template.Must(template.New("stage").Parse(stageSource))

// browser drives tabs beside the hub, as a person would.
type browser struct{ conn *cdpclient.Conn }

// open opens a tab of this size in CSS pixels, in a window of its own (Chrome draws no tab behind another), and returns its session.
func (b *browser) open(ctx context.Context, url string, width, height int) (cdpclient.SessionID, error) {
	var target cdpclient.CreateTargetResult
	if err := b.conn.Call(ctx, "", cdpclient.TargetCreateTarget, map[string]any{"url": url, "newWindow": true},
		&target); err != nil {
		return "", err
	}
	session, err := b.conn.AttachTo(ctx, string(target.TargetID))
	if err != nil {
		return "", err
	}
	if err := b.conn.Call(ctx, session, "Emulation.setScrollbarsHidden", map[string]bool{"hidden": true},
		nil); err != nil {
		return "", err
	}
	return session, b.size(ctx, session, width, height)
}

// size makes a tab of this size in CSS pixels.
func (b *browser) size(ctx context.Context, tab cdpclient.SessionID, width, height int) error {
	return b.conn.Call(ctx, tab, "Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// dark makes a tab see that the user prefers dark colours, or light ones.
func (b *browser) dark(ctx context.Context, tab cdpclient.SessionID, on bool) error {
	return b.conn.Call(ctx, tab, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{
		{"name": "prefers-color-scheme", "value": map[bool]string{true: "dark", false: "light"}[on]}}}, nil)
}

// closeOthers closes the tabs that Chrome began with.
func (b *browser) closeOthers(ctx context.Context) error {
	var targets cdpclient.GetTargetsResult
	if err := b.conn.Call(ctx, "", cdpclient.TargetGetTargets, nil, &targets); err != nil {
		return err
	}
	for _, t := range targets.TargetInfos {
		if t.Type == cdpclient.TypePage && !strings.Contains(t.URL, site) {
			if err := b.conn.Call(ctx, "", cdpclient.TargetCloseTarget, map[string]any{"targetId": t.TargetID},
				nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// screenshot returns a PNG of what the tab shows.
func (b *browser) screenshot(ctx context.Context, tab cdpclient.SessionID) ([]byte, error) {
	var shot struct{ Data []byte }
	err := b.conn.Call(ctx, tab, "Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	return shot.Data, err
}

// show replaces the tab's document.
func (b *browser) show(ctx context.Context, tab cdpclient.SessionID, html string) error {
	var tree struct {
		FrameTree struct{ Frame struct{ ID string } }
	}
	if err := b.conn.Call(ctx, tab, "Page.getFrameTree", nil, &tree); err != nil {
		return err
	}
	return b.conn.Call(ctx, tab, "Page.setDocumentContent",
		map[string]any{"frameId": tree.FrameTree.Frame.ID, "html": html}, nil)
}

// film is the picture as it is made: the shop's tab on the left, what was said on the right.
type film struct {
	browser     *browser
	shop, stage cdpclient.SessionID

	lines  []line
	frames []image.Image
	delays []int // of each frame, in hundredths of a second
}

// line is one line of the conversation.
type line struct{ Kind, Text string }

func (f *film) add(kind, text string) { f.lines = append(f.lines, line{kind, text}) }

// shoot takes a frame that is shown for so many milliseconds.
func (f *film) shoot(ctx context.Context, ms int) error {
	page, err := f.browser.screenshot(ctx, f.shop)
	if err != nil {
		return err
	}
	var html bytes.Buffer
	err = stageTemplate.Execute(&html, map[string]any{
		"Site":  site,
		"Page":  template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(page)),
		"Lines": f.lines,
	})
	if err != nil {
		return err
	}
	if err := f.browser.show(ctx, f.stage, html.String()); err != nil {
		return err
	}
	shot, err := f.browser.screenshot(ctx, f.stage)
	if err != nil {
		return err
	}
	frame, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return fmt.Errorf("reading the screenshot: %w", err)
	}
	f.frames, f.delays = append(f.frames, frame), append(f.delays, ms/10)
	return nil
}

// encode writes the frames as an endless GIF.
func (f *film) encode(w io.Writer) error {
	palette := f.palette()
	film := &gif.GIF{Delay: f.delays}
	for _, frame := range f.frames {
		p := image.NewPaletted(frame.Bounds(), palette)
		draw.Draw(p, p.Bounds(), frame, frame.Bounds().Min, draw.Src)
		film.Image = append(film.Image, p)
	}
	return gif.EncodeAll(w, film)
}

// palette is the 256 commonest colors of all frames: the picture is flat areas and text.
func (f *film) palette() color.Palette {
	count := map[color.RGBA]int{}
	for _, frame := range f.frames {
		b := frame.Bounds()
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				count[color.RGBAModel.Convert(frame.At(x, y)).(color.RGBA)]++
			}
		}
	}
	colors := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	palette := color.Palette{}
	for _, c := range colors[:min(len(colors), 256)] {
		palette = append(palette, c)
	}
	return palette
}

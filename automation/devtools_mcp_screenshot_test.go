package automation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPortedScreenshot has the cases of screenshot.test.ts.
func TestPortedScreenshot(t *testing.T) {
	const (
		all      = `<body style="margin:0"><div style="width:100vw;height:100vh;background:red"></div>`
		perCall  = "there are no flags for pictures: maxSize bounds the longer side, in each call"
		released = "which objects are let go of is no answer's: a picture of an element can be taken as often as one likes"
		button   = `<button style="width:200px;height:100px">test</button>`
	)
	// What hardly can be made smaller without loss.
	const noise = `<script>
		const c = document.querySelector("canvas"), pen = c.getContext("2d")
		c.width = c.height = 1200
		const dots = pen.createImageData(c.width, c.height)
		for (let i = 0; i < dots.data.length; i++) dots.data[i] = i % 4 == 3 ? 255 : Math.random() * 256
		pen.putImageData(dots, 0, 0)
	</script>`
	port(t, []ported{
		{name: "a picture of what the page shows", page: all, do: func(r real) {
			r.pictures(`{}`, "A picture of what the page shows", "image/png")
		}},
		{name: "a picture without loss takes no quality", page: all, do: func(r real) {
			r.pictures(`{"format":"png","quality":0}`, "A picture of what the page shows", "image/png")
		}},
		{name: "a picture as jpeg", page: all, do: func(r real) {
			r.pictures(`{"format":"jpeg"}`, "A picture of what the page shows", "image/jpeg")
		}},
		{name: "a picture as webp", page: all, do: func(r real) {
			got := r.call("take_screenshot", `{"format":"webp"}`)
			if len(got.Images) != 1 || got.Images[0].MIMEType != "image/webp" || !bytes.Equal(got.Images[0].Data[8:12], []byte("WEBP")) {
				r.t.Errorf("it says %s, with %d pictures", got.Text, len(got.Images))
			}
		}},
		{name: "a picture of the full page", page: `<body style="margin:0"><div style="height:3000px;background:red">`, do: func(r real) {
			if got := r.pictures(`{"fullPage":true,"maxSize":0}`, "A picture of the full page", "image/png"); got.Height != 3000 {
				r.t.Errorf("its height is %d", got.Height)
			}
		}},
		{
			name: "a picture that is too large", page: `<body style="margin:0;height:9000px"><canvas></canvas>` + noise,
			differs: "it is scaled down to what models see, or to maxSize; only what is too large in bytes is saved to a file",
			do: func(r real) {
				r.client.Roots = roots(r.t.TempDir())
				if got := r.pictures(`{"fullPage":true,"maxSize":500}`, "scaled to", "image/png"); got.Height > 500 {
					r.t.Errorf("its height is %d", got.Height)
				}
				r.says("take_screenshot", `{"fullPage":true,"maxSize":0}`, "too large for an answer. It was saved to ")
			},
		},
		{name: "a picture of an element", page: button, do: func(r real) {
			if got := r.pictures(`{"uid":"<test>"}`, `A picture of button "test"`, "image/png"); got.Width != 200 || got.Height != 100 {
				r.t.Errorf("it is %d×%d", got.Width, got.Height)
			}
		}},
		{name: "a second picture of an element", page: button, differs: released, do: func(r real) {
			r.pictures(`{"uid":"<test>"}`, `A picture of button "test"`, "image/png")
			r.pictures(`{"uid":"<test>"}`, `A picture of button "test"`, "image/png")
		}},
		{name: "a picture of an element after one that failed", page: button, differs: released, do: func(r real) {
			uid := r.called("test")
			r.is(`document.querySelector("button").hidden = true`, "true")
			if got := r.call("take_screenshot", `{"uid":"`+uid+`"}`); !got.IsError {
				r.t.Errorf("it says %s", got.Text)
			}
			r.is(`document.querySelector("button").hidden = false`, "false")
			r.pictures(`{"uid":"<test>"}`, `A picture of button "test"`, "image/png")
		}},
		{name: "a picture that is saved", page: all, do: func(r real) {
			path := filepath.Join(r.t.TempDir(), "shot.png")
			r.client.Roots = roots(filepath.Dir(path))
			got := r.call("take_screenshot", `{"filePath":"`+path+`"}`)
			if is, err := os.Stat(path); err != nil || is.Size() == 0 || got.IsError || len(got.Images) > 0 {
				r.t.Errorf("it says %s, with %d pictures (%v)", got.Text, len(got.Images), err)
			}
		}},
		{name: "a picture for a folder that can't be written to", page: all, do: func(r real) {
			dir := r.t.TempDir()
			r.client.Roots = roots(dir)
			place := filepath.Join(dir, "file") // what is a file can't be a folder, for root neither
			if err := os.WriteFile(place, nil, 0o400); err != nil {
				r.t.Fatal(err)
			}
			r.fails("take_screenshot", `{"filePath":"`+filepath.Join(place, "shot.png")+`"}`, "The file was not saved")
		}},
		{name: "a picture of the format that a flag says", none: "there is no --screenshot-format: each call says its format"},
		{name: "a picture of no format is a png", page: all, do: func(r real) {
			r.pictures(`{"quality":50}`, "A picture of", "image/png")
		}},
		{name: "a picture is scaled to a width", page: all, differs: perCall, do: func(r real) {
			r.says("emulate", `{"viewport":"800x600x1"}`, "viewport")
			r.sized(`{"maxSize":100}`, 100, 75)
		}},
		{name: "a picture of a screen with small pixels is scaled to a width", page: all, differs: perCall, do: func(r real) {
			r.says("emulate", `{"viewport":"800x600x2"}`, "viewport")
			r.sized(`{"maxSize":100}`, 100, 75)
		}},
		{name: "a picture of a window is scaled to a width", page: all, differs: perCall, do: func(r real) {
			size := js[[]float64](r, "[innerWidth, innerHeight]")
			r.sized(`{"maxSize":100}`, 100, int(100*size[1]/size[0]+0.5))
		}},
		{name: "a picture is scaled to the narrower of two bounds", page: all, differs: perCall, do: func(r real) {
			r.says("emulate", `{"viewport":"600x800x1"}`, "viewport")
			r.sized(`{"maxSize":80}`, 60, 80)
		}},
		{name: "a picture that is small enough isn't scaled", page: all, differs: perCall, do: func(r real) {
			r.says("emulate", `{"viewport":"800x600x1"}`, "viewport")
			r.sized(`{"maxSize":4000}`, 800, 600)
		}},
		{name: "a picture of the full page is scaled to a width", page: `<body style="margin:0"><div style="width:1000px;height:1500px;background:red">`, differs: perCall, do: func(r real) {
			r.says("emulate", `{"viewport":"1000x600x1"}`, "viewport")
			r.sized(`{"fullPage":true,"maxSize":300}`, 200, 300)
		}},
		{name: "a picture for a path that can't be", page: all, do: func(r real) {
			path, _ := json.Marshal("malformed\x00path.png")
			if got := r.call("take_screenshot", fmt.Sprintf(`{"filePath":%s}`, path)); !got.IsError || len(got.Images) > 0 {
				r.t.Errorf("it says %s", got.Text)
			}
		}},
	})
}

// pictures takes a picture and gives its size.
func (r real) pictures(args, text, mime string) image.Config {
	r.t.Helper()
	got := r.call("take_screenshot", r.filled(args))
	if !strings.Contains(got.Text, text) || len(got.Images) != 1 || got.Images[0].MIMEType != mime {
		r.t.Fatalf("take_screenshot(%s) says %s, with %d pictures", args, got.Text, len(got.Images))
	}
	is, _, err := image.DecodeConfig(bytes.NewReader(got.Images[0].Data))
	if err != nil {
		r.t.Error(err)
	}
	return is
}

// sized wants a picture to have a size, within a pixel.
func (r real) sized(args string, width, height int) {
	r.t.Helper()
	if got := r.pictures(args, "A picture of", "image/png"); got.Width != width || got.Height < height-1 || got.Height > height+1 {
		r.t.Errorf("take_screenshot(%s) is %d×%d, want %d×%d", args, got.Width, got.Height, width, height)
	}
}

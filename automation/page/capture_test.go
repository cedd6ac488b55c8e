package page_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	. "webmcphub/automation/automationtest"
	"webmcphub/automation/page"
)

const plain = `<body style="margin:0">`

func take(tab *Tab, r page.CaptureRequest) page.Picture {
	tab.T.Helper()
	is, err := page.Capture(tab.Ctx, tab.Page, r)
	if err != nil {
		tab.T.Fatal(err)
	}
	return is
}

func colorAt(t *testing.T, p page.Picture, x, y int) color.RGBA {
	t.Helper()
	is, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		t.Fatal(err)
	}
	return color.RGBAModel.Convert(is.At(x, y)).(color.RGBA)
}

var (
	red  = color.RGBA{255, 0, 0, 255}
	lime = color.RGBA{0, 255, 0, 255}
)

func TestViewport(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(plain+`<div style="height:5000px;background:red"></div>`))
	size := JS[[2]int](tab, "[innerWidth, innerHeight]")
	for _, format := range []string{"png", "jpeg", "webp"} {
		is := take(tab, page.CaptureRequest{Format: format, Quality: 60})
		if is.Width != int(is.Shows.Width) || is.Width > size[0] || is.Height != size[1] || is.MIME != "image/"+format {
			t.Errorf("%s: %dx%d of %v, showing %+v", format, is.Width, is.Height, size, is.Shows)
		}
	}
	if got := colorAt(t, take(tab, page.CaptureRequest{}), 10, 10); got != red {
		t.Errorf("it is %v", got)
	}
	if _, err := page.Capture(tab.Ctx, tab.Page, page.CaptureRequest{Format: "gif"}); err == nil {
		t.Error("gif")
	}
}

func TestFullPage(t *testing.T) {
	t.Parallel()
	for height, want := range map[string]struct {
		cut bool
	}{"3000": {}, "60000": {true}} {
		t.Run(height, func(t *testing.T) {
			t.Parallel()
			tab := Open(t, HTML(plain+`<div style="height:`+height+`px;background:red"></div>`))
			size := JS[[2]int](tab, "[innerWidth, innerHeight]")
			is := take(tab, page.CaptureRequest{FullPage: true})
			if is.Width < 100 || is.CutOff > 0 != want.cut || !want.cut && max(is.Width, is.Height) > page.DefaultSide || is.Height > page.MaxSide {
				t.Errorf("%dx%d, %v cut off", is.Width, is.Height, is.CutOff)
			}
			if got := colorAt(t, is, is.Width/2, is.Height-3); got != red {
				t.Errorf("its end is %v", got)
			}
			if now := JS[[2]int](tab, "[innerWidth, innerHeight]"); now != size {
				t.Errorf("the page was %v, is %v", size, now)
			}
		})
	}
}

// TestSide: a bound that the caller gives is kept, however small the picture is then.
func TestSide(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(plain+`<div style="width:1000px;height:8000px;background:red"></div>`))
	for _, side := range []int{2000, 800, 80} {
		if is := take(tab, page.CaptureRequest{FullPage: true, Side: side}); max(is.Width, is.Height) > side || is.Height < side-1 || is.CutOff > 0 {
			t.Errorf("at most %d: %dx%d, %v cut off", side, is.Width, is.Height, is.CutOff)
		}
	}
}

func TestElement(t *testing.T) {
	t.Parallel()
	tab := Open(t, Pages{
		"/":   plain + `<div style="height:2000px"></div><div id=low style="width:80px;height:40px;background:red"></div><iframe src="{{b}}/in" style="margin:30px;border:7px solid blue;width:300px;height:200px"></iframe><p id=none style="display:none">x`,
		"/in": plain + `<div style="height:900px"></div><div id=deep style="width:50px;height:20px;background:lime"></div>`,
	})
	main, in := tab.Frame(""), tab.Frame("/in")
	for _, test := range []struct {
		frame         page.Frame
		id            string
		width, height int
		is            color.RGBA
	}{{main, "#low", 80, 40, red}, {in, "#deep", 50, 20, lime}} {
		is := take(tab, page.CaptureRequest{Element: &page.CapturedElement{Frame: test.frame.FrameRef, BackendNode: tab.Node(test.frame, test.id)}})
		if is.Width != test.width || is.Height != test.height {
			t.Errorf("%s: %dx%d", test.id, is.Width, is.Height)
		}
		for _, at := range [][2]int{{1, 1}, {is.Width - 2, is.Height - 2}} {
			if got := colorAt(t, is, at[0], at[1]); got != test.is {
				t.Errorf("%s at %v: %v", test.id, at, got)
			}
		}
	}
	_, err := page.Capture(tab.Ctx, tab.Page, page.CaptureRequest{Element: &page.CapturedElement{Frame: main.FrameRef, BackendNode: tab.Node(main, "#none")}})
	if err == nil || !strings.Contains(err.Error(), "isn't rendered") {
		t.Errorf("an element that isn't rendered: %v", err)
	}
}

// TestFrameThatHasNotTold: a frame whose process doesn't say what it shows is not in the picture
// where the rules may keep it out.
func TestFrameThatHasNotTold(t *testing.T) {
	t.Parallel()
	tab := Stalled(t, "untold2")
	tab.Attach(func(o *page.Options) {
		o.Permits = func(origin string) bool { return strings.HasPrefix(origin, "http://a.test") }
	})
	is := take(tab, page.CaptureRequest{})
	if got := colorAt(t, is, 10, 10); got != lime || is.Hidden != 1 {
		t.Errorf("it is %v, with %d frames hidden", got, is.Hidden)
	}
}

// TestBackgroundTabs: tabs behind another in one window are captured soon, with what they
// show now, and none comes to the front.
func TestBackgroundTabs(t *testing.T) {
	if testing.Short() {
		t.Skip()
	}
	site := Serve(t, HTML(plain+`<div id=d style="height:100vh;background:lime"></div>`))
	first := OpenAt(t, site, site.URL("a", "/"))
	var tabs []*Tab
	for range 4 {
		tab := NewBackgroundTab(t, first, site.URL("a", "/"))
		tab.Attach()
		if err := tab.WaitLoad(tab.Ctx, "", page.Loaded); err != nil {
			t.Fatal(err)
		}
		tabs = append(tabs, tab)
	}
	if is := JS[string](tabs[0], "document.visibilityState"); is != "hidden" {
		t.Fatalf("the tab isn't in the background: %s", is)
	}
	var mu sync.Mutex
	var took []time.Duration
	var all sync.WaitGroup
	for _, tab := range tabs {
		all.Go(func() {
			for i := range 8 {
				color, want := "red", red
				if i%2 == 1 {
					color, want = "lime", lime
				}
				if err := tab.Evaluate(tab.Ctx, tab.Frame("").FrameRef, page.Main, "c => { d.style.background = c }", []any{color}, nil); err != nil {
					t.Error(err)
					return
				}
				began := time.Now()
				is, err := page.Capture(tab.Ctx, tab.Page, page.CaptureRequest{FullPage: i%3 == 2})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
				if got := colorAt(t, is, 10, 10); got != want {
					t.Errorf("picture %d is of %v", i, got)
				}
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	t.Logf("%d pictures of 4 background tabs at once: p50 %v, max %v", len(took), took[len(took)/2], took[len(took)-1])
}

func TestDialogIsInTheWay(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML("<p>x"))
	_ = tab.Evaluate(tab.Ctx, tab.Frame("").FrameRef, page.Main, "() => alert(1)", nil, nil)
	var open *page.DialogOpen
	if _, err := page.Capture(tab.Ctx, tab.Page, page.CaptureRequest{}); !errors.As(err, &open) {
		t.Errorf("got %v", err)
	}
	if _, err := tab.HandleDialog(context.WithoutCancel(tab.Ctx), 0, true, ""); err != nil {
		t.Error(err)
	}
}

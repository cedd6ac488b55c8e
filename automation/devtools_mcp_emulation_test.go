package automation

import (
	"net/http"
	"sync"
	"testing"
)

// TestPortedEmulation has the cases of emulation.test.ts.
func TestPortedEmulation(t *testing.T) {
	const dark = `matchMedia("(prefers-color-scheme: dark)").matches`
	port(t, []ported{
		{name: "no viewport emulates none", do: func(r real) { r.emulates(`{}`, "") }},
		{name: "a viewport of width and height", do: func(r real) { r.emulates(`{"viewport":"800x600"}`, "viewport 800x600") }},
		{name: "a viewport with a ratio of pixels", do: func(r real) { r.emulates(`{"viewport":"1024x768x2"}`, "viewport 1024x768x2") }},
		{name: "a viewport of a mobile device with touch", do: func(r real) {
			r.emulates(`{"viewport":"375x667x2,mobile,touch"}`, "viewport 375x667x2 mobile touch")
		}},
		{name: "a viewport in landscape", do: func(r real) { r.emulates(`{"viewport":"1024x768x1,landscape"}`, "viewport 1024x768x1 landscape") }},
		{name: "no place emulates none", do: func(r real) { r.emulates(`{"colorScheme":"dark"}`, "prefers-color-scheme dark") }},
		{name: "a place is a latitude and a longitude", do: func(r real) {
			r.says("emulate", `{"geolocation":"48.137154,11.576124"}`, "Emulated in the page: place 48.137154,11.576124.")
		}},

		{name: "no network", do: func(r real) {
			r.emulates(`{"networkConditions":"Offline"}`, "network Offline")
			r.is(`navigator.onLine + await fetch("/").catch(() => " and failed")`, "false and failed")
		}},
		{name: "a slow network", do: func(r real) { r.emulates(`{"networkConditions":"Slow 3G"}`, "network Slow 3G") }},
		{name: "the network as it is again", do: func(r real) {
			r.emulates(`{"networkConditions":"Offline"}`, "network Offline")
			r.emulates(`{}`, "")
			r.is(`navigator.onLine`, "true")
		}},
		{name: "a network that isn't one of those known", differs: "it is an error, and not silently no emulation", do: func(r real) {
			r.emulates(`{"colorScheme":"dark"}`, "prefers-color-scheme dark")
			r.fails("emulate", `{"networkConditions":"Slow 11G"}`, "Slow 3G")
			r.is(dark, "true")
		}},
		{name: "the network of one page only", tabs: func(d *desk) { d.emulatesInOne(`"networkConditions":"Slow 3G"`, "network Slow 3G") }},

		{name: "a slower CPU", do: func(r real) { r.emulates(`{"cpuThrottlingRate":4}`, "CPU 4 times slower") }},
		{name: "a slower CPU for DevTools' own session", none: "the hub keeps no second session for DevTools; a slower CPU is the page's, whoever asks"},
		{name: "the CPU as it is again", do: func(r real) {
			r.emulates(`{"cpuThrottlingRate":4}`, "CPU 4 times slower")
			r.emulates(`{"cpuThrottlingRate":1}`, "")
		}},
		{name: "the CPU of one page only", tabs: func(d *desk) { d.emulatesInOne(`"cpuThrottlingRate":4`, "CPU 4 times slower") }},

		{name: "a place", do: func(r real) {
			r.says("emulate", `{"geolocation":"48.137154,11.576124"}`, "place 48.137154,11.576124")
		}},
		{name: "the place as it is again", do: func(r real) {
			r.says("emulate", `{"geolocation":"48.137154,11.576124"}`, "place 48.137154,11.576124")
			r.emulates(`{}`, "")
		}},
		{name: "the place of one page only", tabs: func(d *desk) { d.emulatesInOne(`"geolocation":"1,2"`, "place 1,2") }},

		{name: "a viewport that the page sees", page: `<meta name=viewport content="width=device-width">`, do: func(r real) {
			r.emulates(`{"viewport":"400x400x2,mobile,touch"}`, "viewport 400x400x2 mobile touch")
			r.is("[innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints > 0]", "400,400,2,true")
		}},
		{name: "the viewport as it is again", do: func(r real) {
			r.emulates(`{"viewport":"400x400"}`, "viewport 400x400")
			r.is("[innerWidth, innerHeight]", "400,400")
			r.emulates(`{}`, "")
			r.is("innerWidth == 400 || innerHeight == 400", "false")
		}},
		{name: "the viewport of one page only", tabs: func(d *desk) {
			d.opens("")
			d.says("emulate", `{"viewport":"400x400","pageId":1}`, "viewport 400x400")
			d.is("1", "[innerWidth, innerHeight]", "400,400")
			d.is("2", "innerWidth == 400 || innerHeight == 400", "false")
		}},

		{name: "a User-Agent", do: func(r real) {
			r.emulates(`{"userAgent":"Mine/1.0"}`, `User-Agent "Mine/1.0"`)
			r.is("navigator.userAgent", "Mine/1.0")
		}},
		{name: "another User-Agent after the first", do: func(r real) {
			r.emulates(`{"userAgent":"Mine/1.0"}`, `User-Agent "Mine/1.0"`)
			r.emulates(`{"userAgent":"Mine/2.0"}`, `User-Agent "Mine/2.0"`)
			r.is("navigator.userAgent", "Mine/2.0")
		}},
		{name: "the User-Agent as it is again", do: func(r real) {
			r.emulates(`{"userAgent":"Mine/1.0"}`, `User-Agent "Mine/1.0"`)
			r.emulates(`{}`, "")
			r.is(`navigator.userAgent.includes("Chrome")`, "true")
		}},
		{name: "the User-Agent of one page only", tabs: func(d *desk) {
			d.emulatesInOne(`"userAgent":"Mine/1.0"`, `User-Agent "Mine/1.0"`)
			d.is("2", `navigator.userAgent.includes("Mine")`, "false")
		}},

		{name: "headers are sent", do: func(r real) {
			r.emulates(`{"extraHttpHeaders":"{\"X-Test\":\"one\"}"}`, "headers X-Test")
			r.sends("one")
		}},
		{name: "headers are sent no more", do: func(r real) {
			r.emulates(`{"extraHttpHeaders":"{\"X-Test\":\"one\"}"}`, "headers X-Test")
			r.emulates(`{"extraHttpHeaders":"{}"}`, "")
			r.sends("")
		}},
		{name: "headers are sent for each document", do: func(r real) {
			r.emulates(`{"extraHttpHeaders":"{\"X-Test\":\"one\"}"}`, "headers X-Test")
			r.sends("one")
			r.sends("one")
		}},
		{name: "headers and what else is emulated", do: func(r real) {
			r.emulates(`{"userAgent":"Mine/1.0"}`, `User-Agent "Mine/1.0"`)
			r.emulates(`{"extraHttpHeaders":"{\"X-Test\":\"one\"}"}`, "headers X-Test")
			r.emulates(`{"userAgent":"Mine/1.0"}`, `User-Agent "Mine/1.0", headers X-Test`)
			r.sends("one")
		}},
		{name: "the headers of one page only", tabs: func(d *desk) {
			d.emulatesInOne(`"extraHttpHeaders":"{\"X-Test\":\"one\"}"`, "headers X-Test")
		}},

		{name: "dark colors", do: func(r real) {
			r.emulates(`{"colorScheme":"dark"}`, "prefers-color-scheme dark")
			r.is(dark, "true")
		}},
		{name: "light colors after dark ones", do: func(r real) {
			r.emulates(`{"colorScheme":"dark"}`, "prefers-color-scheme dark")
			r.emulates(`{"colorScheme":"light"}`, "prefers-color-scheme light")
			r.is(dark, "false")
		}},
		{name: "colors as they are again", do: func(r real) {
			was := js[bool](r, dark)
			r.emulates(`{"colorScheme":"dark"}`, "prefers-color-scheme dark")
			r.is(dark, "true")
			r.emulates(`{"colorScheme":"auto"}`, "")
			if js[bool](r, dark) != was {
				r.t.Error("it is dark still")
			}
		}},
	})
}

// emulates wants emulate to say exactly what the page sees then, nothing if that is "".
func (r real) emulates(args, what string) {
	r.t.Helper()
	want := "Emulated in the page: " + what + "."
	if what == "" {
		want = "Nothing is emulated in the page."
	}
	if got := r.call("emulate", args); got.IsError || got.Text != want {
		r.t.Errorf("emulate(%s) says %q, want %q", args, got.Text, want)
	}
}

// emulatesInOne emulates something in page 1, and wants page 2 to be as before. The size of
// both is changed, as the answer to that says what all is emulated.
func (d *desk) emulatesInOne(argument, what string) {
	d.t.Helper()
	d.opens("")
	d.says("emulate", `{"pageId":1,`+argument+`}`, what)
	for id, want := range map[string]string{"1": what, "2": "Emulated in the page: size 500x400."} {
		d.says("resize_page", `{"width":500,"height":400,"pageId":`+id+`}`, want)
	}
}

// sends loads the page, and wants that request to have a header X-Test.
func (r real) sends(want string) {
	r.t.Helper()
	var mu sync.Mutex
	var sent []string
	r.Site.Handle(func(w http.ResponseWriter, q *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if q.URL.Path == "/sends" {
			sent = append(sent, q.Header.Get("X-Test"))
		}
		return false
	})
	r.Site.Set("/sends", "<p>sent</p>")
	r.says("navigate_page", `{"url":"`+r.Site.URL("a", "/sends")+`"}`, "The page is at")
	mu.Lock()
	defer mu.Unlock()
	if len(sent) != 1 || sent[0] != want {
		r.t.Errorf("sent %q, want %q once", sent, want)
	}
}

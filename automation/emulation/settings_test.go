package emulation

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestParseViewport(t *testing.T) {
	for _, c := range []struct {
		given string
		want  Viewport
	}{
		{"390x844x3,mobile,touch", Viewport{Size{390, 844}, 3, true, true, false}},
		{"800x600", Viewport{Size: Size{800, 600}}},
		{" 800X600x1.5 , Landscape", Viewport{Size{800, 600}, 1.5, false, false, true}},
		{"1x1x0", Viewport{Size: Size{1, 1}}},
	} {
		if got, err := ParseViewport(c.given); err != nil || *got != c.want {
			t.Errorf("%q is %+v (%v), want %+v", c.given, got, err, c.want)
		}
	}
	for given, says := range map[string]string{
		"":                  `"" is no size`,
		"800":               `"800" is no size`,
		"800x600x1x2":       "is no size",
		"800x-1":            `"-1" is no whole number from 1 to 16384`,
		"0x600":             `"0" is no whole number`,
		"99999x600":         `"99999" is no whole number`,
		"800x600xNaN":       `the ratio "nan" is no number`,
		"800x600x99":        `the ratio "99" is no number`,
		"800x600x1,phone":   `there is no "phone"; It is`,
		"800x600x1,":        `there is no ""`,
		"widthxheightxnone": `"width" is no size`,
	} {
		says, _, _ = strings.Cut(says, ";")
		if got, err := ParseViewport(given); err == nil || (given != "widthxheightxnone" && !strings.Contains(err.Error(), says)) || !strings.Contains(err.Error(), "for example 390x844x3") {
			t.Errorf("%q is %v (%v), want %q", given, got, err, says)
		}
	}
}

func TestParsePlace(t *testing.T) {
	if got, err := ParsePlace(" 52.52, -13.405"); err != nil || *got != (Place{52.52, -13.405}) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, given := range []string{"", "52.52", "91,0", "0,181", "NaN,0", "a,b", "1,2,3"} {
		if got, err := ParsePlace(given); err == nil {
			t.Errorf("%q is %v", given, got)
		}
	}
}

func TestParseHeaders(t *testing.T) {
	if got, err := ParseHeaders(`{"X-A":"1"}`); err != nil || !reflect.DeepEqual(got, map[string]string{"X-A": "1"}) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := ParseHeaders(""); err != nil || got != nil {
		t.Errorf("got %v, %v", got, err)
	}
	for _, given := range []string{"X-A: 1", `["a"]`, `{"a":1}`, `{"a b":"1"}`, `{"":"1"}`, `{"a":"1\r\nb: 2"}`} {
		if got, err := ParseHeaders(given); err == nil {
			t.Errorf("%s is %v", given, got)
		}
	}
}

// TestCommands holds what Chrome is told to what changes.
func TestCommands(t *testing.T) {
	phone := Settings{Viewport: &Viewport{Size{390, 844}, 3, true, true, false}, Network: "Slow 4G"}
	for _, c := range []struct {
		was, is Settings
		want    string
	}{
		{Settings{}, Settings{}, ""},
		{phone, phone, ""},
		{Settings{}, phone, `Network.emulateNetworkConditions {"downloadThroughput":180000,"latency":562.5,"offline":false,"uploadThroughput":84375}
Emulation.setDeviceMetricsOverride {"deviceScaleFactor":3,"height":844,"mobile":true,"screenOrientation":{"angle":0,"type":"portraitPrimary"},"width":390}
Emulation.setTouchEmulationEnabled {"enabled":true}`},
		{phone, Settings{}, `Network.emulateNetworkConditions {"downloadThroughput":-1,"latency":0,"offline":false,"uploadThroughput":-1}
Emulation.clearDeviceMetricsOverride {}
Emulation.setTouchEmulationEnabled {"enabled":false}`},
		{Settings{}, Settings{Network: "Offline"}, `Network.emulateNetworkConditions {"downloadThroughput":-1,"latency":0,"offline":true,"uploadThroughput":-1}`},
		{Settings{Network: "Fast 3G"}, Settings{Network: "Slow 4G"}, ""},
		{Settings{}, Settings{Place: &Place{0, 0}}, `Emulation.setGeolocationOverride {"accuracy":1,"latitude":0,"longitude":0}`},
		{Settings{Place: &Place{1, 2}}, Settings{}, `Emulation.clearGeolocationOverride {}`},
		{Settings{CPU: 4}, Settings{CPU: 1}, `Emulation.setCPUThrottlingRate {"rate":1}`},
		{Settings{}, Settings{Media: Media{ColorScheme: "dark", Contrast: "auto"}}, `Emulation.setEmulatedMedia {"features":[{"name":"prefers-color-scheme","value":"dark"}],"media":""}`},
		{Settings{Headers: map[string]string{"A": "b"}}, Settings{}, `Network.setExtraHTTPHeaders {"headers":{}}`},
		{Settings{}, Settings{Size: &Size{800, 600}}, `Emulation.setDeviceMetricsOverride {"deviceScaleFactor":0,"height":600,"mobile":false,"width":800}
Emulation.setTouchEmulationEnabled {"enabled":false}`},
		{Settings{Agent: "x"}, Settings{}, `Emulation.setUserAgentOverride {"userAgent":""}`},
	} {
		var lines []string
		for _, command := range c.is.commands(c.was, &headers{}) {
			params, err := json.Marshal(command.params)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, command.method+" "+string(params))
		}
		if got := strings.Join(lines, "\n"); got != c.want {
			t.Errorf("from %v to %v:\n%s\nwant:\n%s", c.was, c.is, got, c.want)
		}
	}
}

// TestHeadersByAddress: Chrome sends headers itself where nothing is kept out, and lets each
// request be looked at only where something is, and only as long as there are headers.
func TestHeadersByAddress(t *testing.T) {
	none, one, other := Settings{}, Settings{Headers: map[string]string{"A": "b"}}, Settings{Headers: map[string]string{"A": "c"}}
	for _, c := range []struct {
		was, is Settings
		all, by string
	}{
		{none, none, "", ""},
		{none, one, `Network.setExtraHTTPHeaders {"headers":{"A":"b"}}`, `Fetch.enable {"patterns":[{"urlPattern":"http*"}]}`},
		{one, other, `Network.setExtraHTTPHeaders {"headers":{"A":"c"}}`, ""},
		{one, none, `Network.setExtraHTTPHeaders {"headers":{}}`, `Fetch.disable {}`},
		{none, Settings{Agent: "x"}, `Emulation.setUserAgentOverride {"userAgent":"x"}`, `Emulation.setUserAgentOverride {"userAgent":"x"}`},
	} {
		for want, h := range map[*string]*headers{&c.all: {}, &c.by: {permits: func(string) bool { return true }}} {
			got := ""
			for _, command := range c.is.commands(c.was, h) {
				params, _ := json.Marshal(command.params)
				got += command.method + " " + string(params)
			}
			if got != *want {
				t.Errorf("from %v to %v: %s, want %s", c.was, c.is, got, *want)
			}
		}
	}
	got := merged(map[string]string{"accept": "*/*", "x-a": "the page's"}, map[string]string{"X-A": "ours"})
	if !reflect.DeepEqual(got, []header{{Name: "X-A", Value: "ours"}, {Name: "accept", Value: "*/*"}}) {
		t.Errorf("with headers: %v", got)
	}
}

func TestResized(t *testing.T) {
	s, err := Settings{Viewport: &Viewport{Size{390, 844}, 3, true, true, false}}.Resized(Size{500, 600})
	if err != nil || s.String() != "viewport 500x600x3 mobile touch" {
		t.Errorf("got %v, %v", s, err)
	}
	s.Viewport = nil
	if s.String() != "size 500x600" {
		t.Errorf("got %v", s)
	}
	if _, err := s.Resized(Size{500, 60000}); err == nil {
		t.Error("it may be of any height")
	}
}

func TestHints(t *testing.T) {
	for agent, want := range map[string]string{
		"": "null",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1": "null",
		"Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36":                   `Chromium 140, Google Chrome 140; Android 15 "Pixel 9" true`,
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.1.2":           `Chromium 140, Microsoft Edge 140; Windows 10.0.0 "" false`,
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 OPR/124.0.0.0":     `Chromium 140, Opera 124; macOS 10.15.7 "" false`,
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36":                           `Chromium 140, Google Chrome 140; Linux  "" false`,
	} {
		got := "null"
		if m := hints(agent); m != nil {
			b := m.Brands
			got = b[1].Brand + " " + b[1].Version + ", " + b[2].Brand + " " + b[2].Version + "; " + m.Platform + " " + m.PlatformVersion + ` "` + m.Model + `" `
			if m.Mobile {
				got += "true"
			} else {
				got += "false"
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", agent, got, want)
		}
	}
}

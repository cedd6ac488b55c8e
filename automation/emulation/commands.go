package emulation

import (
	"reflect"
)

// command is a command of CDP.
type command struct {
	method string
	params any // never nil, so that a later command of the same method replaces it
}

// commands returns the commands that lead from the settings was to s.
func (s Settings) commands(was Settings, h *headers) []command {
	var all []command
	for _, aspect := range []func(Settings) []command{network, cpu, place, agent, media, screen, h.commands} {
		if now := aspect(s); !reflect.DeepEqual(now, aspect(was)) {
			all = append(all, now...)
		}
	}
	return all
}

type params = map[string]any

// conditions of a network: down and up in bytes per second, latency in milliseconds.
type conditions struct{ down, up, latency float64 }

// networks has the numbers of Chrome's DevTools, under the names that DevTools used when chrome-devtools-mcp adopted
// them: Slow 4G was once called Fast 3G.
var networks = map[string]conditions{
	"Slow 3G": {50_000, 50_000, 2000},
	"Fast 3G": {180_000, 84_375, 562.5},
	"Slow 4G": {180_000, 84_375, 562.5},
	"Fast 4G": {1_012_500, 168_750, 165},
}

const offline = "Offline"

func network(s Settings) []command {
	is, slow := networks[s.Network]
	if !slow {
		is.down, is.up = -1, -1
	}
	return []command{{"Network.emulateNetworkConditions", params{
		"offline": s.Network == offline, "latency": is.latency, "downloadThroughput": is.down,
		"uploadThroughput": is.up,
	}}}
}

func cpu(s Settings) []command {
	return []command{{"Emulation.setCPUThrottlingRate", params{"rate": max(s.CPU, 1)}}}
}

func place(s Settings) []command {
	if s.Place == nil {
		return []command{{"Emulation.clearGeolocationOverride", params{}}}
	}
	return []command{{"Emulation.setGeolocationOverride",
		params{"latitude": s.Place.Latitude, "longitude": s.Place.Longitude, "accuracy": 1}}}
}

func agent(s Settings) []command {
	is := params{"userAgent": s.Agent}
	if m := hints(s.Agent); m != nil {
		is["userAgentMetadata"] = m
	}
	return []command{{"Emulation.setUserAgentOverride", is}}
}

// feature is a CSS media feature.
type feature struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (m Media) features() []feature {
	all := []feature{}
	for _, f := range []feature{
		{"prefers-color-scheme", m.ColorScheme}, {"forced-colors", m.ForcedColors},
		{"prefers-contrast", m.Contrast}, {"prefers-reduced-motion", m.ReducedMotion},
	} {
		if f.Value != "" && f.Value != "auto" {
			all = append(all, f)
		}
	}
	return all
}

func media(s Settings) []command {
	return []command{{"Emulation.setEmulatedMedia", params{"media": "", "features": s.Media.features()}}}
}

func screen(s Settings) []command {
	v := s.Viewport
	if v == nil && s.Size != nil {
		v = &Viewport{Size: *s.Size}
	}
	metrics := command{"Emulation.clearDeviceMetricsOverride", params{}}
	touch := command{"Emulation.setTouchEmulationEnabled", params{"enabled": v != nil && v.Touch}}
	if v == nil {
		return []command{metrics, touch}
	}
	is := params{"width": v.Width, "height": v.Height, "deviceScaleFactor": v.Ratio, "mobile": v.Mobile}
	switch {
	case v.Landscape:
		is["screenOrientation"] = params{"type": "landscapePrimary", "angle": 90}
	case v.Mobile:
		is["screenOrientation"] = params{"type": "portraitPrimary", "angle": 0}
	}
	return []command{{"Emulation.setDeviceMetricsOverride", is}, touch}
}

// chromesHeaders makes Chrome send the headers to every address.
func chromesHeaders(s Settings) []command {
	is := s.Headers
	if is == nil {
		is = map[string]string{}
	}
	return []command{{"Network.setExtraHTTPHeaders", params{"headers": is}}}
}

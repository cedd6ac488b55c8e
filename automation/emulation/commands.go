package emulation

import (
	"reflect"
)

// command is one of Chrome's protocol.
type command struct {
	method string
	params any // never nil: a later one of its method takes its place
}

// commands lead from settings that are in force to others.
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

// conditions are those of a network, in bytes a second and milliseconds.
type conditions struct{ down, up, latency float64 }

// networks have the numbers of Chrome's DevTools, and the names that it had for them
// when chrome-devtools-mcp took them over: Slow 4G was once called Fast 3G.
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

// feature is a media feature.
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

// chromesHeaders are sent to every address.
func chromesHeaders(s Settings) []command {
	is := s.Headers
	if is == nil {
		is = map[string]string{}
	}
	return []command{{"Network.setExtraHTTPHeaders", params{"headers": is}}}
}

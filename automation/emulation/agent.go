package emulation

import (
	"regexp"
	"strings"
)

// brand is the name and version of a browser in client hints.
type brand struct {
	Brand   string `json:"brand"`
	Version string `json:"version"`
}

// metadata has the client hints that go with a User-Agent.
type metadata struct {
	Brands          []brand `json:"brands"`
	FullVersionList []brand `json:"fullVersionList"`
	Platform        string  `json:"platform"`
	PlatformVersion string  `json:"platformVersion"`
	Architecture    string  `json:"architecture"`
	Model           string  `json:"model"`
	Mobile          bool    `json:"mobile"`
	Bitness         string  `json:"bitness"`
}

var (
	chromium   = regexp.MustCompile(`\b(?:Headless)?Chrome/((\d+)[\d.]*)`)
	variant    = regexp.MustCompile(`\b(Edg|EdgA|OPR)/((\d+)[\d.]*)`)
	android    = regexp.MustCompile(`\bAndroid ([\d.]+)(?:; ([^;)]+))?`)
	macVersion = regexp.MustCompile(`\bMac OS X (\d+)[_.](\d+)(?:[_.](\d+))?`)
)

// hints returns the client hints of the browser that a User-Agent names, so that the two agree. For browsers that
// aren't based on Chromium it returns nil, because those send no client hints.
func hints(userAgent string) *metadata {
	version := chromium.FindStringSubmatch(userAgent)
	if version == nil {
		return nil
	}
	name, full, major := "Google Chrome", version[1], version[2]
	if v := variant.FindStringSubmatch(userAgent); v != nil {
		name, full, major = "Microsoft Edge", v[2], v[3]
		if v[1] == "OPR" {
			name = "Opera"
		}
	}
	m := &metadata{
		Brands:          []brand{{"Not=A?Brand", "24"}, {"Chromium", version[2]}, {name, major}},
		FullVersionList: []brand{{"Not=A?Brand", "24.0.0.0"}, {"Chromium", version[1]}, {name, full}},
		Architecture:    "x86", Bitness: "64",
		Mobile: strings.Contains(userAgent, " Mobile"),
	}
	switch {
	case strings.Contains(userAgent, "Android"):
		m.Platform, m.Architecture, m.Bitness = "Android", "", ""
		if a := android.FindStringSubmatch(userAgent); a != nil {
			m.PlatformVersion, m.Model = a[1], strings.TrimSpace(a[2])
		}
	case strings.Contains(userAgent, "Windows"):
		m.Platform, m.PlatformVersion = "Windows", "10.0.0"
	case strings.Contains(userAgent, "CrOS"):
		m.Platform = "Chrome OS"
	case strings.Contains(userAgent, "Mac"):
		m.Platform = "macOS"
		if v := macVersion.FindStringSubmatch(userAgent); v != nil {
			patch := v[3]
			if patch == "" {
				patch = "0"
			}
			m.PlatformVersion = v[1] + "." + v[2] + "." + patch
		}
	default:
		m.Platform = "Linux"
	}
	return m
}

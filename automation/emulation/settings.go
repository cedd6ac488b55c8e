package emulation

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Settings are what a page is made to see. The zero value emulates nothing.
type Settings struct {
	Network string  // a name of [Networks], or ""
	CPU     float64 // how many times slower the CPU is; 0 and 1 mean no throttling
	Place   *Place
	Agent   string // the User-Agent
	Media   Media
	// Viewport emulates a device's screen. Size, without a Viewport, is the size to which the content is resized.
	Viewport *Viewport
	Size     *Size
	Headers  map[string]string // sent with each request
}

// Place is the device's position, in degrees.
type Place struct{ Latitude, Longitude float64 }

// Media are values of CSS media features; "" and "auto" mean the real value.
type Media struct{ ColorScheme, ForcedColors, Contrast, ReducedMotion string }

// Size is the size of a page's content, in CSS pixels.
type Size struct{ Width, Height int }

// Viewport is a device's screen.
type Viewport struct {
	Size
	Ratio                    float64 // device pixels per CSS pixel; 0 means the real ratio
	Mobile, Touch, Landscape bool
}

// maxSide bounds sizes, in CSS pixels. Chrome draws nothing at larger sizes.
const maxSide = 16384

// ParseViewport parses a viewport such as "390x844x3,mobile,touch". The ratio may be left out.
func ParseViewport(s string) (*Viewport, error) {
	const form = "the viewport %q can't be read: %s. It is WIDTHxHEIGHTxRATIO in CSS pixels, then any of ,mobile " +
		",touch ,landscape; for example 390x844x3,mobile,touch"
	wrong := func(what string, args ...any) (*Viewport, error) {
		return nil, fmt.Errorf(form, s, fmt.Sprintf(what, args...))
	}
	size, flags, more := strings.Cut(strings.ToLower(strings.TrimSpace(s)), ",")
	numbers := strings.Split(size, "x")
	if len(numbers) != 2 && len(numbers) != 3 {
		return wrong("%q is no size", size)
	}
	var v Viewport
	for i, side := range []*int{&v.Width, &v.Height} {
		n, err := strconv.Atoi(strings.TrimSpace(numbers[i]))
		if err != nil || n < 1 || n > maxSide {
			return wrong("%q is no whole number from 1 to %d", numbers[i], maxSide)
		}
		*side = n
	}
	if len(numbers) == 3 {
		ratio, err := strconv.ParseFloat(strings.TrimSpace(numbers[2]), 64)
		if err != nil || !(ratio >= 0 && ratio <= 10) {
			return wrong("the ratio %q is no number from 0 to 10", numbers[2])
		}
		v.Ratio = ratio
	}
	if !more {
		return &v, nil
	}
	for flag := range strings.SplitSeq(flags, ",") {
		switch strings.TrimSpace(flag) {
		case "mobile":
			v.Mobile = true
		case "touch":
			v.Touch = true
		case "landscape":
			v.Landscape = true
		default:
			return wrong("there is no %q", strings.TrimSpace(flag))
		}
	}
	return &v, nil
}

// ParsePlace parses a position such as "52.52,13.405": latitude, longitude.
func ParsePlace(s string) (*Place, error) {
	first, second, two := strings.Cut(s, ",")
	latitude, err1 := strconv.ParseFloat(strings.TrimSpace(first), 64)
	longitude, err2 := strconv.ParseFloat(strings.TrimSpace(second), 64)
	if !two || err1 != nil || err2 != nil || !(latitude >= -90 && latitude <= 90) ||
		!(longitude >= -180 && longitude <= 180) {
		return nil, fmt.Errorf("the geolocation %q can't be read: it is LATITUDE,LONGITUDE in degrees, from -90 to "+
			"90 and from -180 to 180; for example 52.52,13.405", s)
	}
	return &Place{latitude, longitude}, nil
}

// ParseHeaders parses a JSON object of strings; "" means no headers.
func ParseHeaders(s string) (map[string]string, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	var headers map[string]string
	if err := json.Unmarshal([]byte(s), &headers); err != nil {
		return nil, errors.New(`the extraHttpHeaders are no JSON object of texts, such as {"X-Test": "1"}`)
	}
	for name, value := range headers {
		switch {
		case name == "" || strings.ContainsFunc(name,
			func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r) }):
			return nil, fmt.Errorf("the extraHttpHeaders can't be sent: %q is no header's name", name)
		case strings.ContainsAny(value, "\r\n\x00"):
			return nil, fmt.Errorf("the extraHttpHeaders can't be sent: the value of %s holds a line break", name)
		}
	}
	return headers, nil
}

// Resized returns the settings with another size of the content.
func (s Settings) Resized(to Size) (Settings, error) {
	if to.Width > maxSide || to.Height > maxSide || to.Width < 1 || to.Height < 1 {
		return s, fmt.Errorf("a page can't be %dx%d: each side is from 1 to %d CSS pixels", to.Width, to.Height,
			maxSide)
	}
	s.Size = &to
	if s.Viewport != nil {
		v := *s.Viewport
		v.Size = to
		s.Viewport = &v
	}
	return s, nil
}

// String describes in a few words what is emulated; "" means nothing.
func (s Settings) String() string {
	var all []string
	add := func(set bool, format string, args ...any) {
		if set {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	add(s.Network != "", "network %s", s.Network)
	add(s.CPU > 1, "CPU %g times slower", s.CPU)
	if s.Place != nil {
		add(true, "place %g,%g", s.Place.Latitude, s.Place.Longitude)
	}
	add(s.Agent != "", "User-Agent %q", s.Agent)
	for _, f := range s.Media.features() {
		add(true, "%s %s", f.Name, f.Value)
	}
	switch v := s.Viewport; {
	case v != nil:
		words := fmt.Sprintf("viewport %dx%d", v.Width, v.Height)
		if v.Ratio > 0 {
			words += fmt.Sprintf("x%g", v.Ratio)
		}
		for _, is := range []struct {
			set  bool
			word string
		}{{v.Mobile, "mobile"}, {v.Touch, "touch"}, {v.Landscape, "landscape"}} {
			if is.set {
				words += " " + is.word
			}
		}
		add(true, "%s", words)
	case s.Size != nil:
		add(true, "size %dx%d", s.Size.Width, s.Size.Height)
	}
	if len(s.Headers) > 0 {
		var names []string
		for name := range s.Headers {
			names = append(names, name)
		}
		slices.Sort(names)
		add(true, "headers %s", strings.Join(names, " "))
	}
	return strings.Join(all, ", ")
}

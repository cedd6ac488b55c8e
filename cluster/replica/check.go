package replica

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"webmcphub/cluster/wire"
	"webmcphub/registry"

	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// What a gateway takes of a node at most.
const (
	maxPages    = 2 * registry.DefaultMaxPages
	maxBrowsers = 1000
	maxLabels   = 50
	maxFrames   = 5000
	maxTools    = 5 * registry.DefaultMaxTools // of a page
	maxID       = 256                          // bytes of a page's or a frame's id
	maxText     = 4 << 10                      // bytes of a title, a state, a frame's address
	maxURL      = 64 << 10                     // bytes of a page's address
)

// pageError says why a page can't be taken, "" if it can.
func pageError(p *wire.Page) string {
	switch {
	case idError(p.ID) != "":
		return "its id " + idError(p.ID)
	case p.Browser != "" && browserError(wire.Browser{Name: p.Browser}) != "":
		return browserError(wire.Browser{Name: p.Browser})
	case len(p.URL) > maxURL || len(p.Title) > maxText || len(p.State) > maxText || len(p.Dialog) > maxText:
		return "its address, title or state is too long"
	case p.Origin != "" && names.DocumentOrigin(p.Origin, "") != p.Origin:
		return fmt.Sprintf("its origin is none: %q", cut(p.Origin, 100))
	case p.Opened < 0:
		return "it was opened a negative number of times"
	case len(p.Tools) > maxTools:
		return fmt.Sprintf("it has more than %d tools", maxTools)
	}
	return cmp.Or(framesError(p.Frames), offersError(p.Offers))
}

func framesError(frames []wire.Frame) string {
	switch {
	case len(frames) > maxFrames:
		return fmt.Sprintf("it has more than %d frames", maxFrames)
	case slices.ContainsFunc(frames, func(f wire.Frame) bool { return len(f.ID) > maxID || len(f.URL) > maxText }):
		return "a frame's id or address is too long"
	}
	return ""
}

func offersError(o *wire.Offers) string {
	if o != nil && (len(o.Resources) > 2*offer.MaxOffers || len(o.Prompts) > offer.MaxOffers ||
		slices.Contains(o.Prompts, nil)) {
		return fmt.Sprintf("it offers more than %d resources or prompts, or nothing in place of one", offer.MaxOffers)
	}
	return ""
}

// idError says what is wrong with an id of a page.
func idError(id string) string {
	bad := func(r rune) bool {
		return r == utf8.RuneError || r > unicode.MaxASCII || !unicode.IsGraphic(r) || r == ' '
	}
	switch {
	case id == "":
		return "is empty"
	case len(id) > maxID:
		return fmt.Sprintf("is longer than %d bytes", maxID)
	case strings.ContainsFunc(id, bad):
		return "has characters that no id has"
	}
	return ""
}

// browserError says what is wrong with a node's browser.
func browserError(b wire.Browser) string {
	if b.Name != "" && b.Name != registry.ExtensionBrowser {
		if why := registry.BrowserNameError(b.Name); why != "" {
			return why
		}
	}
	if len(b.Labels) > maxLabels ||
		slices.ContainsFunc(b.Labels, func(l string) bool { return registry.BrowserLabelError(l) != "" }) {
		return "it has too many labels, or one that is none"
	}
	return ""
}

// cut is a text in at most some bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

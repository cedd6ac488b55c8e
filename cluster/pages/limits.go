package pages

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"webmcphub/cluster/api"
	"webmcphub/registry"

	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

const (
	// maxPart is how many bytes of pages go into one message, unless one page alone is larger.
	maxPart = 1 << 20
	// maxPage is how many bytes a node sends of one page.
	maxPage = 2 << 20
	// maxWeight is how many bytes all pages of a node may have, with perItem more for each of their items.
	maxWeight = 32 << 20
	perItem   = 256
	// maxDelta is the largest deltaWeight of all parts of a delta together. It is more than maxWeight because a delta
	// also has ids, numbers of tools, browsers and pages that are gone.
	maxDelta  = maxWeight + maxWeight/4
	perNumber = 8
)

// The most that a gateway accepts from a node.
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

// LeftOut says what isn't passed on, and why. It is for the log.
type LeftOut struct {
	Page string // the page's id at the node; "" if no page is concerned
	Why  string
}

// Parts of a page have weights in bytes, which nodes and gateways compute in the same way.
func infoWeight(p *api.PageInfo) int { return perItem + proto.Size(p) }
func framesWeight(f *api.Frames) int { return proto.Size(f) + perItem*len(f.GetAll()) }
func toolWeight(t *api.Tool) int     { return perItem + proto.Size(t) }

func offersWeight(o *api.Offers) int { return proto.Size(o) + perItem*offerItems(o) }

func offerItems(o *api.Offers) int {
	items := len(o.GetResources()) + len(o.GetPrompts())
	for _, p := range o.GetPrompts() {
		items += len(p.GetArguments())
	}
	return items
}

// deltaWeight returns the weight of a whole delta, including what no page keeps, such as unknown fields.
func deltaWeight(d *api.Delta) int {
	items, numbers := len(d.GetGone())+len(d.GetBrowsers().GetAll())+len(d.GetPages()), 0
	for _, p := range d.GetPages() {
		items += len(p.GetFrames().GetAll()) + offerItems(p.GetOffers()) + len(p.GetTools().GetNew())
		numbers += len(p.GetTools().GetNumbers())
	}
	return proto.Size(d) + perItem*items + perNumber*numbers
}

// pageError returns the reason why the gateway refuses a page, or "".
func pageError(p *api.Page) string {
	if why := idError(p.GetId()); why != "" {
		return "its id " + why
	}
	return cmp.Or(infoError(p.GetInfo()), framesError(p.GetFrames()), offersError(p.GetOffers()),
		toolsError(p.GetTools()))
}

func infoError(p *api.PageInfo) string {
	switch {
	case p == nil:
	case p.Browser != "" && browserError(&api.Browser{Name: p.Browser}) != "":
		return browserError(&api.Browser{Name: p.Browser})
	case len(p.Url) > maxURL || len(p.Title) > maxText || len(p.State) > maxText || len(p.Dialog) > maxText:
		return "its address, title or state is too long"
	case p.Origin != "" && names.DocumentOrigin(p.Origin, "") != p.Origin:
		return fmt.Sprintf("its origin isn't valid: %q", cut(p.Origin, 100))
	case p.Opened < 0:
		return "it was opened a negative number of times"
	}
	return ""
}

func framesError(f *api.Frames) string {
	switch {
	case len(f.GetAll()) > maxFrames:
		return fmt.Sprintf("it has more than %d frames", maxFrames)
	case slices.ContainsFunc(f.GetAll(), func(f *api.Frame) bool { return len(f.Id) > maxID || len(f.Url) > maxText }):
		return "a frame's id or address is too long"
	}
	return ""
}

func offersError(o *api.Offers) string {
	if len(o.GetResources()) > 2*offer.MaxOffers || len(o.GetPrompts()) > offer.MaxOffers {
		return fmt.Sprintf("it offers more than %d resources and templates, or more than %d prompts",
			2*offer.MaxOffers, offer.MaxOffers)
	}
	return ""
}

func toolsError(t *api.Tools) string {
	if len(t.GetNumbers()) > maxTools || len(t.GetNew()) > maxTools {
		return fmt.Sprintf("it has more than %d tools", maxTools)
	}
	return ""
}

// idError returns what is wrong with a page's id, or "".
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
		return "has characters that an id can't have"
	}
	return ""
}

// browserError returns what is wrong with a node's browser, or "".
func browserError(b *api.Browser) string {
	if b.Name != "" && b.Name != registry.ExtensionBrowser {
		if why := registry.BrowserNameError(b.Name); why != "" {
			return why
		}
	}
	if len(b.Labels) > maxLabels ||
		slices.ContainsFunc(b.Labels, func(l string) bool { return registry.BrowserLabelError(l) != "" }) {
		return "it has too many labels, or a malformed one"
	}
	return ""
}

// cut returns at most the first most bytes of a text.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

package screencast

import (
	"context"
	"slices"
	"strings"
	"time"

	"webmcphub/automation/page"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// keptOut says why the tab may be neither shown nor operated, judging by the documents that it is known to have, or
// returns "" if it may. It doesn't block. Even without rules, hubs' own pages are kept out.
func (s *Screen) keptOut() string {
	all := s.page.Frames()
	if len(all) == 0 {
		return "What the tab shows isn't known yet, and the rules for sites may keep it out. The picture waits for that."
	}
	for _, f := range all {
		if why := refused(s.options.Rules, whose(all, f)); why != "" {
			return why
		}
	}
	if slices.ContainsFunc(s.page.UnknownFrames(), func(f page.Frame) bool { return !permits(s.options.Rules, f, false) }) {
		return unknownFrames
	}
	return ""
}

// unknownFrames is the reason for hiding a tab if the hub doesn't know everything that the tab shows.
const unknownFrames = "A frame in the page is still loading or doesn't answer, and the rules for sites may keep it out. " +
	"The picture waits for that."

// whose returns a frame with the origin by which to judge whether a person may see it. A sandbox takes a document's
// origin away, but the document still belongs to the site at its address or, with srcdoc, to the document around it.
// For other documents without an origin, such as those of data: URLs, nobody can tell to which site they belong. A
// site that is kept out can navigate its own frame to such a URL.
func whose(all []page.Frame, f page.Frame) page.Frame {
	if f.Origin != names.OpaqueOrigin {
		return f
	}
	if at := names.DocumentOrigin("", f.URL); at != "" {
		f.Origin, f.Permitted = at, !names.IsLive(f.URL)
		return f
	}
	around, there := page.FrameByID(all, f.Parent)
	if address, _, _ := strings.Cut(f.URL, "#"); address != "about:srcdoc" || !there {
		return f
	}
	is := whose(all, around)
	is.Parent = f.Parent
	return is
}

// permits says whether a tab may be shown if it has this frame. main says that it is the main frame.
func permits(rules *names.Origins, f page.Frame, main bool) bool {
	return f.Permitted && !rules.Refuses(f.Origin, f.URL, main)
}

// refused says why a tab with a frame may not be shown, or returns "" if it may.
func refused(rules *names.Origins, f page.Frame) string {
	switch {
	case permits(rules, f, f.Parent == ""):
		return ""
	case f.Parent == "":
		return "The tab shows a page that is not for agents: the rules for sites keep it out, or it is the hub's " +
			"own. It is neither shown nor operated here."
	case f.Origin == "":
		return unknownFrames
	}
	return "The page has a frame of " + sanitize.Text(f.Origin, 200) + ", which the rules for sites keep out. It is " +
		"neither shown nor operated here."
}

// judged bounds how long Chrome may take to say what a tab shows.
const judged = 2 * time.Second

// asks does the same as keptOut, but also asks Chrome itself for the page's address. Chrome knows the address before
// the page can be drawn, and answers while the page is busy.
func (s *Screen) asks(ctx context.Context) string {
	rules := s.options.Rules
	ctx, cancel := context.WithTimeout(page.DespiteDialog(ctx), judged)
	defer cancel()
	current, err := s.page.Entry(ctx, 0)
	if err != nil {
		return "Chrome doesn't say what the tab shows, so it isn't shown here."
	}
	if names.ParseAddress(current.URL) != (names.Origin{}) && rules.Refuses("", current.URL, true) {
		return refused(rules, page.Frame{URL: current.URL})
	}
	return s.keptOut()
}

package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"webmcphub/cmd/webmcp-hub/person"
	"webmcphub/internal/wording"
	"webmcphub/trust/pins"
)

type diffCmd struct {
	PinsFolder
	Origin string `arg:"" optional:"" help:"Only of this site. Default: all sites."`
	Tool   string `arg:"" optional:"" help:"Only of this tool, by the page's name for it."`
}

func (c diffCmd) Run() error {
	all, err := c.sites(c.Origin)
	if err != nil {
		return err
	}
	found := false
	for _, s := range all {
		found = c.print(s) || found
	}
	if !found {
		fmt.Fprintln(os.Stderr, "Nothing waits to be accepted.")
	}
	return nil
}

// print prints what waits for acceptance on a site, and reports whether that is anything.
func (c diffCmd) print(s *pins.Site) (found bool) {
	for _, e := range s.Waiting {
		if c.Tool != "" && c.Tool != e.Definition.Name {
			continue
		}
		if !found {
			fmt.Printf("%s\n", s.Origin)
		}
		found = true
		printDrift(os.Stdout, s, e)
	}
	if s.Unkept > 0 && c.Tool == "" {
		fmt.Printf("%s: up to %d more, which were not kept; accept these, and the pages that are open show the next\n",
			s.Origin, s.Unkept)
		return true
	}
	return found
}

// printDrift prints a waiting definition: what it changes, its id, and whether a later one of its tool was seen.
func printDrift(w io.Writer, s *pins.Site, e pins.Entry) {
	current := "current"
	if !s.IsCurrent(&e.Definition) {
		current = "earlier"
	}
	fmt.Fprintf(w, "  %s, since %s, %s, id %s:\n", shown(e.Definition.Name), e.At.Local().Format(time.DateTime), current,
		e.ID())
	for _, line := range s.Drift(&e.Definition) {
		fmt.Fprintf(w, "    %s\n", line)
	}
}

type acceptCmd struct {
	PinsFolder
	person.Flags
	Origin string `arg:"" help:"The site, as \"pins list\" names it."`
	Tool   string `arg:"" optional:"" help:"Accept only this tool's current definition, by the page's name for it, or the one definition with this id, as \"pins diff\" shows it. Default: the current definitions of all tools."`
}

func (c acceptCmd) Run() error {
	folder, all, err := c.read()
	if err != nil {
		return err
	}
	site, err := origin(all, c.Origin)
	if err != nil {
		return err
	}
	s := all[slices.IndexFunc(all, func(s *pins.Site) bool { return s.Origin == site })]
	these, known := c.choose(s)
	if !known {
		return fmt.Errorf("%s has no tool %s that waits or was accepted, and no waiting definition with this id; "+
			"\"webmcp-hub pins diff %s\" says what waits", site, shown(c.Tool), site)
	}
	var text strings.Builder
	var shown []pins.Definition
	for _, e := range these {
		printDrift(&text, s, e)
		shown = append(shown, e.Definition)
	}
	if len(these) > 0 { // otherwise this only ends the first visit
		if err := c.Confirm(context.Background(), acceptText(site, text.String()), folder.ScriptsAllowed); err != nil {
			return err
		}
	}
	accepted := 0
	if _, err := folder.Edit(site, func(was *pins.Site) (*pins.Site, error) {
		if was == nil {
			return nil, errors.New("it was forgotten just now")
		}
		is := was.Clone()
		var err error
		accepted, err = is.AcceptThese(shown, pins.ByHand, time.Now())
		return is, err
	}); err != nil {
		return err
	}
	if len(these) == 0 {
		fmt.Printf("Nothing waited of %s. What it registers from now on, and was not accepted, will.\n", site)
		return nil
	}
	fmt.Printf("%s of %s accepted.\n%s", wording.Count(accepted, "definition"), site, &text)
	return nil
}

// choose returns the waiting definitions that the command is about. known is false if the site has neither such a tool
// nor such an id.
func (c acceptCmd) choose(s *pins.Site) (these []pins.Entry, known bool) {
	if c.Tool == "" {
		return s.Current(), true
	}
	for _, e := range s.Current() {
		if e.Definition.Name == c.Tool {
			return []pins.Entry{e}, true
		}
	}
	if s.Latest(c.Tool) != nil {
		return nil, true
	}
	for _, e := range s.Waiting {
		if e.ID() == c.Tool {
			these = append(these, e)
		}
	}
	return these, len(these) == 1
}

// acceptText says what a person is asked to accept. What differs has the site's words.
func acceptText(site, differs string) string {
	return "Accept what " + site + " has changed:\n| " +
		strings.ReplaceAll(strings.TrimSuffix(differs, "\n"), "\n", "\n| ")
}

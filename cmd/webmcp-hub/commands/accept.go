package commands

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"webmcphub/trust/pins"
	"webmcphub/trust/pins/store"
)

type diffCmd struct {
	PinsFolder
	Origin string `arg:"" optional:"" help:"Only of this site. Default: all sites."`
	Tool   string `arg:"" optional:"" help:"Only of this tool, by the page's name for it."`
}

func (c diffCmd) Run() error {
	folder, all, err := c.read()
	if err != nil {
		return err
	}
	if all, err = chosen(all, c.Origin); err != nil {
		return err
	}
	found := false
	for _, s := range all {
		shown := c.print(s)
		found = found || len(shown) > 0 || s.Unkept > 0 && c.Tool == ""
		if failed := showPins(folder, s, shown); failed != nil {
			err = errors.Join(err, fmt.Errorf("it could not be noted that this was shown of %s, so don't accept it: "+
				"more may have come by then: %w", s.Origin, failed))
		}
	}
	if !found {
		fmt.Fprintln(os.Stderr, "Nothing waits to be accepted.")
	}
	return err
}

// print prints what waits for acceptance on a site, and returns it.
func (c diffCmd) print(s *pins.Site) (shown []pins.Definition) {
	for _, e := range s.Waiting {
		if c.Tool != "" && c.Tool != e.Definition.Name {
			continue
		}
		if len(shown) == 0 {
			fmt.Printf("%s\n", s.Origin)
		}
		shown = append(shown, e.Definition)
		printDrift(os.Stdout, s, e.Definition, e.At)
	}
	if s.Unkept > 0 && c.Tool == "" {
		fmt.Printf("%s: up to %d more, which were not kept; accept these, and the pages that are open show the next\n",
			s.Origin, s.Unkept)
	}
	return shown
}

func printDrift(w io.Writer, s *pins.Site, d pins.Definition, since time.Time) {
	fmt.Fprintf(w, "  %s, since %s:\n", said(d.Name), since.Local().Format(time.DateTime))
	for _, line := range s.Drift(&d) {
		fmt.Fprintf(w, "    %s\n", line)
	}
}

// showPins records that a person has seen what waits on a site, if that is new.
func showPins(folder store.Folder, s *pins.Site, shown []pins.Definition) error {
	if !s.Clone().Show(shown) {
		return nil
	}
	_, err := folder.Edit(s.Origin, func(was *pins.Site) (*pins.Site, error) {
		if was == nil {
			return nil, nil
		}
		is := was.Clone()
		if !is.Show(shown) {
			return was, nil
		}
		return is, nil
	})
	return err
}

type acceptCmd struct {
	PinsFolder
	Origin string `arg:"" help:"The site, as \"pins list\" names it."`
	Tool   string `arg:"" optional:"" help:"Accept only this tool's definitions, by the page's name for it. Default: all that wait."`
}

// accepted is the result of accepting.
type accepted struct {
	was           *pins.Site
	these, unseen []pins.Definition
	had           bool // the site has something of that name
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
	var a accepted
	_, err = folder.Edit(site, func(was *pins.Site) (*pins.Site, error) {
		if was == nil {
			return nil, errors.New("it was forgotten just now")
		}
		is := was.Clone()
		a = accepted{was: was, had: c.Tool == "" ||
			slices.ContainsFunc(slices.Concat(is.Waiting, is.Accepted),
				func(e pins.Entry) bool { return e.Definition.Name == c.Tool })}
		if !a.had {
			return was, nil
		}
		var err error
		a.these, a.unseen, err = is.AcceptShown(func(d *pins.Definition) bool {
			return c.Tool == "" ||
				d.Name == c.Tool
		}, pins.ByHand, time.Now())
		is.Show(a.unseen)
		return is, err
	})
	switch {
	case err != nil:
		return err
	case !a.had:
		return fmt.Errorf("%s has no tool %s that waits or was accepted; \"webmcp-hub pins diff %s\" says what waits",
			site, said(c.Tool), site)
	}
	return a.told(site)
}

// told prints what was accepted, and how it differs from what was accepted before.
func (a accepted) told(site string) error {
	if len(a.these)+len(a.unseen) == 0 {
		fmt.Printf("Nothing waited of %s. What it registers from now on, and was not accepted, will.\n", site)
		return nil
	}
	fmt.Printf("%s of %s accepted.\n", counted(len(a.these), "definition"), site)
	a.print(a.these)
	if len(a.unseen) == 0 {
		return nil
	}
	fmt.Printf("Not accepted, because it has come since \"pins diff\" showed what waits:\n")
	a.print(a.unseen)
	return fmt.Errorf("%s of %s came since \"pins diff\" showed what waits, and is not accepted; it is shown above, "+
		"and the same command accepts it now", counted(len(a.unseen), "definition"), site)
}

func (a accepted) print(these []pins.Definition) {
	for _, e := range a.was.Waiting {
		if slices.ContainsFunc(these, func(d pins.Definition) bool { return d.Hash() == e.Definition.Hash() }) {
			printDrift(os.Stdout, a.was, e.Definition, e.At)
		}
	}
}

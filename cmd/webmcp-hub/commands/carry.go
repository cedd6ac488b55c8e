package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"webmcphub/cmd/webmcp-hub/person"
	"webmcphub/internal/wording"
	"webmcphub/trust/pins"
)

// carried is what export prints and import reads.
type carried struct {
	Format int           `json:"format"`
	Sites  []carriedSite `json:"sites"`
}

type carriedSite struct {
	Origin         string       `json:"origin"`
	FirstVisitOver bool         `json:"firstVisitOver"`
	Accepted       []pins.Entry `json:"accepted"`
}

const (
	carriedFormat = 1
	maxCarried    = 256 << 20 // bytes
)

type exportCmd struct {
	PinsFolder
	Origin string `arg:"" optional:"" help:"Only of this site. Default: all sites."`
}

func (c exportCmd) Run() error {
	all, err := c.sites(c.Origin)
	if err != nil {
		return err
	}
	out := carried{Format: carriedFormat, Sites: []carriedSite{}}
	for _, s := range all {
		out.Sites = append(out.Sites, carriedSite{s.Origin, s.Visit.Over, s.Accepted})
	}
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(out)
}

type importCmd struct {
	PinsFolder
	person.Flags
	File string `arg:"" help:"The file, or - for standard input."`
}

func (c importCmd) Run() error {
	in, err := c.open()
	if err != nil {
		return err
	}
	folder, err := c.Folder()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("Accept the definitions of %s in %s.", wording.Count(len(in.Sites), "site"), shown(c.File))
	if err := c.Confirm(context.Background(), text, folder.ScriptsAllowed); err != nil {
		return err
	}
	added := 0
	for _, from := range in.Sites {
		if _, err := folder.Edit(from.Origin, func(was *pins.Site) (*pins.Site, error) {
			is := pins.NewSite(from.Origin, time.Now())
			if was != nil {
				is = was.Clone()
			}
			added += is.Merge(from.Accepted, from.FirstVisitOver, pins.ByImport)
			return is, nil
		}); err != nil {
			return fmt.Errorf("%s was not imported, nor what follows it: %w", from.Origin, err)
		}
	}
	fmt.Printf("%s of %s imported.\n", wording.Count(added, "definition"), wording.Count(len(in.Sites), "site"))
	return nil
}

// open reads the whole import before anything is changed.
func (c importCmd) open() (in carried, err error) {
	file := os.Stdin
	if c.File != "-" {
		if file, err = os.Open(c.File); err != nil {
			return in, err
		}
		defer file.Close()
	}
	d := json.NewDecoder(io.LimitReader(file, maxCarried))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return in, fmt.Errorf("%s is not what \"webmcp-hub pins export\" prints: %w", c.File, err)
	}
	if in.Format != carriedFormat {
		return in, fmt.Errorf("%s has format %d, and this webmcp-hub reads format %d", c.File, in.Format,
			carriedFormat)
	}
	for _, s := range in.Sites {
		if s.Origin == "" {
			return in, errors.New("a site of " + c.File + " has no origin")
		}
	}
	return in, nil
}

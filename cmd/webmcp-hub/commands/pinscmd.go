package commands

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"webmcphub/cmd/webmcp-hub/person"
	"webmcphub/internal/private"
	"webmcphub/internal/wording"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
	"webmcphub/trust/pins"
	"webmcphub/trust/pins/store"
)

// Pins is the command "pins".
type Pins struct {
	List   listCmd   `cmd:"" help:"List the sites whose tool definitions are pinned, and how many wait to be accepted."`
	Diff   diffCmd   `cmd:"" help:"Show the definitions that wait to be accepted, and how they differ from the accepted ones."`
	Accept acceptCmd `cmd:"" help:"Accept the waiting definitions of a site, of one of its tools, or one definition. Others of the same tools lapse, and the site's first visit ends. This needs a person in a terminal."`
	Forget forgetCmd `cmd:"" help:"Forget a site, so that its next visit counts as the first (this needs a person in a terminal); or forget one of its tools, which must then be accepted again."`
	Export exportCmd `cmd:"" help:"Print the accepted definitions, for \"pins import\" on another computer."`
	Import importCmd `cmd:"" help:"Accept the definitions that \"pins export\" printed elsewhere, in addition to those accepted here. This needs a person in a terminal."`
}

// PinsFolder is the flag that says where the files are.
type PinsFolder struct {
	PinsDir string `type:"path" placeholder:"DIR" help:"The folder with the accepted definitions of sites' tools. Default: a folder of the hub's own."`
}

// Folder returns the folder with the files.
func (p PinsFolder) Folder() (store.Folder, error) {
	if p.PinsDir != "" {
		return store.Folder{Path: p.PinsDir}, nil
	}
	path, err := private.Place("pins")
	if err != nil {
		return store.Folder{}, fmt.Errorf("there is no place for the pins (%w); name a folder by --pins-dir", err)
	}
	return store.Folder{Path: path}, nil
}

// read returns all sites, sorted by origin, and warns about files that can't be used.
func (p PinsFolder) read() (folder store.Folder, all []*pins.Site, err error) {
	if folder, err = p.Folder(); err != nil {
		return folder, nil, err
	}
	sites, lost, err := folder.All()
	if err != nil {
		return folder, nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(lost)) {
		fmt.Fprintln(os.Stderr, "webmcp-hub: "+lost[key])
	}
	for _, origin := range slices.Sorted(maps.Keys(sites)) {
		all = append(all, sites[origin])
	}
	return folder, all, nil
}

// origin returns the origin that a person means by word: a pinned origin, the address of one of its pages, or its
// host.
func origin(all []*pins.Site, word string) (string, error) {
	for _, o := range []string{word, names.SiteOf(word), names.SiteOf("https://" + word),
		names.SiteOf("http://" + word)} {
		if o != "" && slices.ContainsFunc(all, func(s *pins.Site) bool { return s.Origin == o }) {
			return o, nil
		}
	}
	if len(all) == 0 {
		return "", fmt.Errorf("nothing is pinned of %s, nor of any other site; a hub with --pins=warn or --pins=hold "+
			"pins the tools of the sites that it sees", word)
	}
	return "", fmt.Errorf("nothing is pinned of %s; \"webmcp-hub pins list\" names the sites", word)
}

// sites returns the sites that a person means by word; "" means all.
func (p PinsFolder) sites(word string) ([]*pins.Site, error) {
	_, all, err := p.read()
	if err != nil || word == "" {
		return all, err
	}
	o, err := origin(all, word)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(s *pins.Site) bool { return s.Origin != o }), nil
}

// shown returns a page's text on one line, safe for a terminal.
func shown(text string) string {
	return strings.Join(strings.Fields(sanitize.Text(text, 200)), " ")
}

type listCmd struct {
	PinsFolder
	Origin string `arg:"" optional:"" help:"List the tools of this site. Default: all sites."`
}

func (c listCmd) Run() error {
	all, err := c.sites(c.Origin)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintln(os.Stderr, "Nothing is pinned. A hub with --pins=warn or --pins=hold pins the tools of the "+
			"sites that it sees.")
	}
	for _, s := range all {
		fmt.Println(summary(s))
		if c.Origin != "" {
			printTools(os.Stdout, s)
		}
	}
	return nil
}

// summary describes a site in one line.
func summary(s *pins.Site) string {
	text := fmt.Sprintf("%s: %s accepted", s.Origin, wording.Count(len(s.Accepted), "definition"))
	if n := len(s.Waiting) + s.Unkept; n > 0 {
		text += fmt.Sprintf(", %d waiting", n)
	}
	if n := s.Clone(); !n.Visit.Over && !n.Tick(false, time.Now()) {
		text += ", still on the first visit"
	}
	return text
}

func printTools(w io.Writer, s *pins.Site) {
	for _, list := range []struct {
		entries []pins.Entry
		waits   bool
	}{{s.Accepted, false}, {s.Waiting, true}} {
		for _, e := range list.entries {
			how := "accepted by " + e.By
			if list.waits {
				how = "waiting with the id " + e.ID()
			}
			fmt.Fprintf(w, "  %s  %s since %s  %s\n", shown(e.Definition.Name), how, e.At.Local().Format(time.DateTime),
				shown(e.Definition.Description))
		}
	}
}

type forgetCmd struct {
	PinsFolder
	person.Flags
	Origin string `arg:"" help:"The site, as \"pins list\" names it, or one whose file can't be used."`
	Tool   string `arg:"" optional:"" help:"Forget only this tool's definitions, by the page's name for it."`
}

func (c forgetCmd) Run() error {
	folder, all, err := c.read()
	if err != nil {
		return err
	}
	if c.Tool == "" { // the next visit accepts everything
		text := "Forget what was accepted of " + shown(c.Origin) + ", so that its next visit counts as the first."
		if err := c.Confirm(context.Background(), text, folder.ScriptsAllowed); err != nil {
			return err
		}
	}
	site, err := origin(all, c.Origin)
	if err != nil && c.Tool == "" && folder.Remove(c.Origin) == nil { // a broken file is not read as a site
		site, err = c.Origin, nil
	} else if err == nil {
		err = c.forget(folder, site)
	}
	if err == nil {
		fmt.Printf("Forgotten: %s\n", strings.TrimSpace(site+" "+shown(c.Tool)))
	}
	return err
}

func (c forgetCmd) forget(folder store.Folder, site string) error {
	had := true
	_, err := folder.Edit(site, func(was *pins.Site) (*pins.Site, error) {
		if was == nil || c.Tool == "" {
			return nil, nil
		}
		is := was.Clone()
		if had = is.Forget(c.Tool); !had {
			return was, nil
		}
		return is, nil
	})
	if err == nil && !had {
		return fmt.Errorf("%s has no tool %s that is pinned; \"webmcp-hub pins list %s\" names them", site,
			shown(c.Tool), site)
	}
	return err
}

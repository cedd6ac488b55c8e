package policy

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"webmcphub/internal/agent"
	"webmcphub/internal/hosts"
	"webmcphub/registry/names"
	"webmcphub/trust/rules"
)

// About says which tool is meant.
type About struct {
	Tool   string `arg:"" help:"The tool's name: the page's own, or the one that the hub gives it."`
	Origin string `placeholder:"ORIGIN" env:"-" help:"The origin of the document that has the tool. With it, no running hub is asked."`
	To     string `placeholder:"URL" env:"-" help:"The address that a browser tool goes to."`
	Class  string `enum:"read-only,destructive,unknown" default:"unknown" env:"-" help:"The class of the tool's effects."`
	Kind   string `enum:",page,introspected,automation,resource,prompt,request" default:"" env:"-" help:"The tool's kind. Default: page. automation means a browser tool or one for tabs."`
	Client string `env:"-" help:"The client's name, as it gives it."`
}

// Check returns an error if the origin is not valid.
func (c About) Check() error {
	if c.Origin != "" && c.Origin != names.OpaqueOrigin && names.ParseAddress(c.Origin) == (names.Origin{}) {
		return fmt.Errorf("--origin must be an origin such as https://shop.example, not %q", c.Origin)
	}
	return nil
}

// Tell writes which of the flags' rules decides about the tool. Tell looks up the tool among what the running hub
// offers, unless the flags say what it is.
func (c About) Tell(to io.Writer, by Flags, offered func() (agent.Overview, error)) error {
	set, err := by.Read()
	if err != nil {
		return err
	}
	if c.Origin != "" || c.Kind != "" {
		return Explain(to, set, c.Subject())
	}
	o, err := offered()
	if err != nil {
		return err
	}
	found := c.LookUp(o)
	if len(found) == 0 {
		return fmt.Errorf("no open page has a tool called %s. \"webmcp-hub tools\" lists what there is; --origin "+
			"says of which site a tool would be, and --kind=automation that it is a browser tool", c.Tool)
	}
	for _, about := range found {
		if err := Explain(to, set, about); err != nil {
			return err
		}
	}
	return nil
}

// Subject returns the tool as the flags describe it.
func (c About) Subject() rules.Subject {
	s := rules.Subject{Names: [2]string{c.Tool, c.Tool}, Class: c.Class, Kind: c.Kind, Client: c.Client}
	if s.Kind == "" {
		s.Kind = "page"
	}
	if s.Kind != "automation" || c.Origin != "" {
		s.Origins = append(s.Origins, c.Origin)
	}
	if c.To != "" {
		to := c.To
		if address, err := names.CheckAddress("", to, hosts.ASCII); err == nil {
			to = address
		}
		s.Origins = append(s.Origins, names.DocumentOrigin("", to))
	}
	return s
}

// LookUp finds the tools of that name on the open pages, and those of sites.
func (c About) LookUp(o agent.Overview) (found []rules.Subject) {
	for _, p := range o.Pages {
		for _, t := range p.Tools {
			if t.Name != c.Tool && t.Tool != c.Tool {
				continue
			}
			s := rules.Subject{Origins: []string{t.Origin}, Names: [2]string{t.Tool, t.Name},
				Class: classOf(t.Annotations), Kind: "page", Client: c.Client}
			if t.Introspected {
				s.Kind = "introspected"
			}
			switch t.Origin {
			case "":
				s.Origins[0] = cmp.Or(p.Origin, names.DocumentOrigin("", p.URL))
			case names.Foreign(names.OpaqueOrigin, "", false), names.Foreign("", "", false): // a sandboxed frame, whose content may come from anybody
				s.Origins[0], s.Anyones = names.OpaqueOrigin, true
			}
			found = append(found, s)
		}
	}
	for _, t := range o.Sites {
		if t.Name == c.Tool || t.Tool == c.Tool {
			found = append(found, rules.Subject{Origins: []string{t.Site}, Names: [2]string{t.Tool, t.Name},
				Class: classOf(t.Annotations), Kind: "page", Client: c.Client})
		}
	}
	return found
}

func classOf(h agent.Hints) string {
	switch {
	case h.Destructive:
		return "destructive"
	case h.ReadOnly:
		return "read-only"
	}
	return "unknown"
}

// Explain writes what the rules decide about a subject, and why.
func Explain(to io.Writer, set *rules.Set, about rules.Subject) error {
	d := set.Decide(about)
	where := strings.Join(about.Origins, " and ")
	if where == "" {
		where = "no site"
	}
	_, err := fmt.Fprintf(to, "%s: %s (%s, %s, of %s): %s\n", d.Outcome, about.Names[1], about.Kind, about.Class, where,
		d.Why())
	return err
}

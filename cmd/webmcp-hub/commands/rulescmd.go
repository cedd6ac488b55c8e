package commands

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"webmcphub/cmd/webmcp-hub/policy"
	"webmcphub/internal/private"
	"webmcphub/trust/approvals"
	"webmcphub/trust/pins"
	"webmcphub/trust/rules"
)

// Grant is something that agents are allowed now, and how to take it back.
type Grant struct {
	Text     string
	revoke   func() error
	restrict bool   // it takes something away from agents, so only a person may take it back
	key      string // what the id is made of; "" means the text
}

// ID identifies a grant on the command line.
func (g Grant) ID() string {
	sum := sha256.Sum256([]byte(cmp.Or(g.key, g.Text)))
	return hex.EncodeToString(sum[:4])
}

// Grants returns what people have allowed: answers that hold until a time, permissions for sites, flows, tools that
// were accepted, and all rules of the hub, which flags name. Beside an error, which says what can't be read, it returns
// all else.
func Grants(flags policy.Flags, pinned PinsFolder) (all []Grant, err error) {
	for _, some := range []func() ([]Grant, error){answers, flows, pinned.grants, func() ([]Grant, error) { return written(flags) }} {
		grants, failed := some()
		all, err = append(all, grants...), errors.Join(err, failed)
	}
	return all, err
}

func answers() (all []Grant, err error) {
	path, err := private.Place("answers")
	if err != nil {
		return nil, err
	}
	kept, err := approvals.List(path)
	for _, l := range kept {
		all = append(all, Grant{answered(l), func() error { return approvals.Drop(path, l) },
			l.Permission() == approvals.Ask || l.Permission() == approvals.Never, ""})
	}
	return all, err
}

func flows() (all []Grant, err error) {
	kept, err := policy.OpenFlows(slog.Default())
	if err != nil {
		return nil, err
	}
	for _, p := range kept.Read() {
		all = append(all, Grant{"flow: " + shown(p.String()) + ", for good",
			func() error { return kept.Drop(p.String()) }, false, ""})
	}
	return all, nil
}

func (p PinsFolder) grants() (all []Grant, err error) {
	folder, sites, err := p.read()
	for _, s := range sites {
		for _, e := range s.Accepted {
			if e.By == pins.ByVisit {
				continue
			}
			name := e.Definition.Name
			all = append(all, Grant{fmt.Sprintf("tool: %s of %s, accepted at %s (%s)", shown(name), s.Origin,
				e.At.Local().Format(time.DateTime), e.By), func() error {
				return forgetCmd{Origin: s.Origin, Tool: name}.forget(folder, s.Origin)
			}, false, ""})
		}
	}
	return all, err
}

func written(flags policy.Flags) (all []Grant, err error) {
	set, err := flags.Read()
	if err != nil {
		return nil, err
	}
	equal := map[string]int{}
	for _, r := range set.Rules() {
		// Lines change when an earlier rule is taken back.
		key := "rule: " + r.Outcome.String() + " " + r.Text
		equal[key]++
		all = append(all, Grant{"rule: " + r.String(), func() error {
			if r.Line > 0 {
				return rules.RemoveFromFile(flags.Policy, r)
			}
			return fmt.Errorf("remove it where it is written: %s", r.Source)
		}, r.Line > 0 && r.Outcome != rules.Allow, key + " " + strconv.Itoa(equal[key])})
	}
	return all, nil
}

// permissions are the permissions for sites in words.
var permissions = map[approvals.Permission]string{
	approvals.Allow: "no questions of rules", approvals.Ask: "a question before each call that changes something",
	approvals.Never: "nothing is allowed",
}

// answered describes an answer.
func answered(l approvals.Lasting) string {
	if p := l.Permission(); p != approvals.Default {
		return fmt.Sprintf("permission: %s on %s, for all agents, chosen in the extension's popup", permissions[p],
			shown(l.Origin))
	}
	what := fmt.Sprintf("the tool %s of %s", shown(l.Tool), shown(l.Origin))
	switch l.Kind {
	case "site":
		what = fmt.Sprintf("%s on %s", shown(l.Tool), shown(l.Origin))
	case "flow":
		what = "the flow " + shown(l.Tool)
	}
	in := ""
	if l.Browser != "" {
		in = " in " + shown(l.Browser)
	}
	return fmt.Sprintf("answer: %s, for %s%s, until %s", what, shown(l.Client), in,
		l.Until.Local().Format(time.DateTime))
}

// ListGrants prints what agents are allowed now.
func ListGrants(to io.Writer, all []Grant) error {
	if len(all) == 0 {
		fmt.Fprintln(os.Stderr, "Nothing was allowed by a person, and there are no rules. Answers that hold once or until "+
			"a page navigates are not kept.")
	}
	for _, g := range all {
		if _, err := fmt.Fprintf(to, "%s  %s\n", g.ID(), g.Text); err != nil {
			return err
		}
	}
	return nil
}

// Revoke takes back the grants with an id. It calls confirm before it takes back what forbids something to agents, and
// takes back nothing if that returns an error.
func Revoke(to io.Writer, all []Grant, id string, confirm func(text string) error) error {
	mine := slices.DeleteFunc(slices.Clone(all), func(g Grant) bool { return g.ID() != strings.ToLower(id) })
	if len(mine) == 0 {
		return fmt.Errorf("nothing that is allowed has the id %s; \"webmcp-hub rules\" lists what is", shown(id))
	}
	for _, g := range mine {
		if g.restrict {
			if err := confirm("Take back:\n| " + g.Text); err != nil {
				return err
			}
		}
		if err := g.revoke(); err != nil {
			return err
		}
		fmt.Fprintf(to, "Taken back: %s\n", g.Text)
	}
	return nil
}

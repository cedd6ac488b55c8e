package policy

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"webmcphub/internal/settings"
	"webmcphub/mcpserver/share"
	"webmcphub/trust"
	"webmcphub/trust/rules"
)

// Flags say what clients may do. They belong to the hub: a process that joins it can't weaken them.
type Flags struct {
	Policy       string     `type:"path" placeholder:"FILE" help:"Decide by the rules in this file (YAML) what clients may do: each allows, asks or denies by origin, tool, class, kind and client, and the first that matches decides. It is read again when it changes. See docs/trust.md."`
	Deny         []ruleText `sep:"none" placeholder:"RULE" help:"Refuse what this rule matches, such as \"origin=https://*.bank.example tool=transfer* class=destructive kind=page client=claude*\"; https://shop.example alone is an origin, * is everything. Repeatable. The rules of the command line count in its order, before those of --policy."`
	Ask          []ruleText `sep:"none" placeholder:"RULE" help:"Ask the client's user before what this rule matches, written as for --deny. Repeatable."`
	Allow        []ruleText `sep:"none" placeholder:"RULE" help:"Allow what this rule matches, written as for --deny, whatever later rules say. Repeatable. What no rule matches is allowed."`
	PolicyPreset string     `enum:",careful,safe" default:"" placeholder:"NAME" help:"Rules that come after all others. careful: ask before anything that isn't known to be read-only. safe: ask before the first action of each kind on a site."`
}

// ruleText is a rule on the command line, with its place among all rules there.
type ruleText struct {
	text  string
	place uint64
}

var rulesRead atomic.Uint64

// UnmarshalText reads a rule. The parser calls it in the order of the command line.
func (r *ruleText) UnmarshalText(text []byte) error {
	r.text, r.place = string(text), rulesRead.Add(1)
	return nil
}

func (r ruleText) String() string { return r.text }

// given returns the rules of the command line, in its order.
func (f Flags) given() (all []*rules.Rule, err error) {
	var places []uint64
	for _, flag := range []struct {
		outcome rules.Outcome
		texts   []ruleText
	}{{rules.Deny, f.Deny}, {rules.Ask, f.Ask}, {rules.Allow, f.Allow}} {
		for _, t := range flag.texts {
			name := "--" + flag.outcome.String()
			r, err := rules.Parse(flag.outcome, t.text, name)
			if err != nil {
				return nil, fmt.Errorf("%s %q: %w", name, t.text, err)
			}
			at, _ := slices.BinarySearch(places, t.place)
			all, places = slices.Insert(all, at, r), slices.Insert(places, at, t.place)
		}
	}
	return all, nil
}

// with returns all rules, where inFile are the rules of the file.
func (f Flags) with(inFile []*rules.Rule) (*rules.Set, error) {
	all, err := f.given()
	if err != nil {
		return nil, err
	}
	all = append(all, inFile...)
	if f.PolicyPreset != "" {
		preset, err := rules.Preset(f.PolicyPreset)
		if err != nil {
			return nil, err
		}
		all = append(all, preset...)
	}
	return rules.NewSet(all)
}

// Read returns all rules, with those that the file has now.
func (f Flags) Read() (*rules.Set, error) {
	var inFile []*rules.Rule
	if f.Policy != "" {
		var err error
		if inFile, err = rules.ReadFile(f.Policy); err != nil {
			return nil, fmt.Errorf("--policy: %w", err)
		}
	}
	return f.with(inFile)
}

// Check returns an error if a rule of the command line or the preset is wrong.
func (f Flags) Check() error {
	_, err := f.with(nil)
	return err
}

// empty reports whether there are no rules and can never be any.
func (f Flags) empty() bool {
	return f.Policy == "" && len(f.Deny)+len(f.Ask)+len(f.Allow) == 0 && f.PolicyPreset == ""
}

// Open returns the policy that the flags ask for; nil if they ask for none. The file is watched until stop is called.
func (f Flags) Open(log *slog.Logger) (p *trust.Policy, stop func(), err error) {
	if f.empty() {
		return nil, func() {}, nil
	}
	was := settings.StampOf(f.Policy)
	set, err := f.Read()
	if err != nil {
		return nil, nil, err
	}
	p = trust.NewPolicy(set)
	if f.Policy == "" {
		return p, func() {}, nil
	}
	ctx, stop := context.WithCancel(context.Background())
	go rules.WatchFile(ctx, f.Policy, was, func(inFile []*rules.Rule, err error) {
		var set *rules.Set
		if err == nil {
			set, err = f.with(inFile)
		}
		if err != nil {
			log.Error("the rules of --policy are wrong now; those before go on deciding", "err", err)
			return
		}
		p.Replace(set)
		log.Info("the rules of --policy were read again", "file", f.Policy, "rules", len(inFile))
	})
	return p, stop, nil
}

// Settings returns the flags for other processes that want to share the hub. Those must have the same rules in the
// same order.
func (f Flags) Settings() []share.Setting {
	given, _ := f.given()
	var order []string
	for _, r := range given {
		order = append(order, r.Outcome.String()+" "+r.Text)
	}
	return []share.Setting{
		{Name: "--policy", Value: f.Policy},
		{Name: "--policy-preset", Value: f.PolicyPreset},
		{Name: "--deny, --ask and --allow", Value: strings.Join(order, "\n")},
	}
}

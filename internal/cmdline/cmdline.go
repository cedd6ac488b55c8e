// Package cmdline describes a program's command line, as kong has parsed it from the program's types: for shells, which
// complete it, for man, and for docs/flags.md.
package cmdline

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Commands are those about the command line itself, for every program.
type Commands struct {
	Completion Completion `cmd:"" help:"Print a script that completes this program's command line in your shell."`
	Man        Man        `cmd:"" hidden:"" help:"Print the man page."`
}

// Leaves returns the commands below n that have no subcommands, without hidden ones. It returns n itself if it has
// none.
func Leaves(n *kong.Node) (all []*kong.Node) {
	if len(n.Children) == 0 {
		return []*kong.Node{n}
	}
	for _, child := range n.Children {
		if !child.Hidden {
			all = append(all, Leaves(child)...)
		}
	}
	return all
}

// Path returns the words that call a command, without the program: "pins accept".
func Path(n *kong.Node) string {
	if n.Parent == nil {
		return ""
	}
	return strings.TrimPrefix(Path(n.Parent)+" "+n.Name, " ")
}

// A Group has the flags that are under one heading in help.
type Group struct {
	Title string // without a colon; may be empty
	Flags []*kong.Flag
}

// Grouped returns flags by their headings, without hidden ones.
func Grouped(flags []*kong.Flag) (groups []Group) {
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		title := ""
		if f.Group != nil {
			title = strings.TrimSuffix(f.Group.Title, ":")
		}
		i := slices.IndexFunc(groups, func(g Group) bool { return g.Title == title })
		if i < 0 {
			i = len(groups)
			groups = append(groups, Group{Title: title})
		}
		groups[i].Flags = append(groups[i].Flags, f)
	}
	return groups
}

// Own returns the flags of command n. If n takes all flags of the program's default command, they are left out, and
// besides is that command.
func Own(app *kong.Application, n *kong.Node) (own []*kong.Flag, besides *kong.Node) {
	standard := app.DefaultCmd
	if standard == nil || standard == n {
		return n.Flags, nil
	}
	has := func(flags []*kong.Flag, f *kong.Flag) bool {
		return slices.ContainsFunc(flags, func(o *kong.Flag) bool { return o.Name == f.Name })
	}
	for _, f := range standard.Flags {
		if !has(n.Flags, f) {
			return n.Flags, nil
		}
	}
	return slices.DeleteFunc(slices.Clone(n.Flags), func(f *kong.Flag) bool { return has(standard.Flags, f) }), standard
}

// FlagName returns how help writes a flag, with what it takes: "--[no-]share", "--mode=all|focus".
func FlagName(f *kong.Flag) string {
	name := "--" + f.Name
	if f.Tag.Negatable != "" {
		name = "--[no-]" + f.Name
	}
	if f.Short != 0 {
		name = "-" + string(f.Short) + ", " + name
	}
	if f.IsBool() {
		return name
	}
	return name + "=" + cmp.Or(f.PlaceHolder, valueName(f))
}

// valueName is what a flag without a placeholder takes.
func valueName(f *kong.Flag) string {
	switch {
	case f.Enum != "":
		return strings.Join(values(f.Value), "|")
	case f.Target.Type().String() == "time.Duration":
		return "TIME"
	case f.Target.Kind() == reflect.Int:
		return "N"
	}
	return strings.ToUpper(f.Name)
}

// values returns what v may be, if that is limited.
func values(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return slices.DeleteFunc(v.EnumSlice(), func(s string) bool { return s == "" })
}

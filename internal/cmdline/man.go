package cmdline

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Man is the command that prints the program's man page. Packages have the page, so the command is hidden.
type Man struct{}

// Run prints the page.
func (Man) Run(ctx *kong.Context, vars kong.Vars) error {
	_, err := fmt.Fprint(ctx.Stdout, ManPage(ctx.Model, vars["version"]))
	return err
}

// ManPage returns the program's man page in man's macros. The version is "PROGRAM VERSION".
func ManPage(app *kong.Application, version string) string {
	var b strings.Builder
	lines := func(format string, texts ...any) {
		for i, t := range texts {
			texts[i] = roff(t.(string))
		}
		fmt.Fprintf(&b, format, texts...)
	}
	flags := func(all []*kong.Flag) {
		for _, group := range Grouped(all) {
			if group.Title != "" {
				lines(".SS %s\n", group.Title)
			}
			for _, f := range group.Flags {
				lines(".TP\n\\fB%s\\fR\n%s\n", FlagName(f), f.Help)
			}
		}
	}
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"%s\" \"\"\n", strings.ToUpper(app.Name), roff(version))
	lines(".SH NAME\n%s \\- %s\n", app.Name, strings.TrimSuffix(app.Help, "."))
	lines(".SH SYNOPSIS\n.B %s\n[\\fICOMMAND\\fR] [\\fIFLAGS\\fR]\n.SH COMMANDS\n", app.Name)
	var commands []*kong.Node
	for _, n := range Leaves(app.Node) {
		lines(".TP\n\\fB%s\\fR\n%s\n", Path(n), n.Help)
		if len(n.Flags)+len(n.Positional) > 0 {
			commands = append(commands, n)
		}
	}
	lines(".SH FLAGS OF ALL COMMANDS\n")
	flags(app.Flags)
	for _, n := range commands {
		lines(".SH %s\n%s\n", strings.ToUpper(Path(n)), n.Help)
		for _, arg := range n.Positional {
			lines(".TP\n\\fI%s\\fR\n%s\n", arg.Summary(), arg.Help)
		}
		own, besides := Own(app, n)
		if besides != nil {
			lines(".PP\nIt takes all flags of \\fB%s\\fR, too.\n", besides.Name)
		}
		flags(own)
	}
	lines(".SH ENVIRONMENT\n%s\n", "An environment variable sets each flag that is not about printing: its name is that of the "+
		"program and of the flag, in capitals, with underscores for dashes.")
	return b.String()
}

// roff escapes what man's macros would take for instructions, and what isn't ASCII.
func roff(text string) string {
	var b strings.Builder
	for i, r := range strings.ReplaceAll(text, "\n", " ") {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case i == 0 && (r == '.' || r == '\''):
			b.WriteString(`\&` + string(r))
		case r > 126:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

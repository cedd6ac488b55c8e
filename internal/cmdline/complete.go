package cmdline

import (
	"embed"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

//go:embed complete.*
var scripts embed.FS

// Completion is the command that prints a script for a shell.
type Completion struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell" help:"The shell: bash, zsh, fish or powershell."`
}

// Run prints the script.
func (c *Completion) Run(ctx *kong.Context) error {
	_, err := fmt.Fprint(ctx.Stdout, Script(c.Shell, ctx.Model))
	return err
}

// Script returns a script by which a shell completes the program's command line. The scripts of all shells have the
// same table, and look up in it what can follow the words that have been typed.
func Script(shell string, app *kong.Application) string {
	script, err := scripts.ReadFile("complete." + shell)
	if err != nil {
		panic(err) // kong has checked the shell
	}
	return strings.NewReplacer("PROGRAM", app.Name, "FUNCTION", "_"+strings.ReplaceAll(app.Name, "-", "_"),
		"TABLE\n", table(app)).Replace(string(script))
}

// table returns lines of the form COMMAND|WORD|HELP: after COMMAND ("" for none yet), WORD can follow. A flag that
// takes a value ends with "=". Each of a flag's values has a line, too, as --mode=all.
func table(app *kong.Application) string {
	var b strings.Builder
	line := func(command, word, help string) {
		help, _, _ = strings.Cut(help, ". ") // the first sentence
		help = strings.NewReplacer("'", "’", `\`, "", "|", "/").Replace(help)
		fmt.Fprintf(&b, "%s|%s|%s\n", command, word, strings.TrimSuffix(help, "."))
	}
	flags := func(command string, all []*kong.Flag) {
		for _, f := range all {
			switch {
			case f.Hidden:
				continue
			case f.IsBool():
				line(command, "--"+f.Name, f.Help)
			default:
				line(command, "--"+f.Name+"=", f.Help)
			}
			if f.Tag.Negatable != "" {
				line(command, "--no-"+f.Name, f.Help)
			}
			for _, v := range values(f.Value) {
				line(command, "--"+f.Name+"="+v, "")
			}
		}
	}
	var walk func(n *kong.Node)
	walk = func(n *kong.Node) {
		path := Path(n)
		for _, group := range n.AllFlags(true) {
			flags(path, group)
		}
		if n.DefaultCmd != nil { // its name can be left out
			flags(path, n.DefaultCmd.Flags)
		}
		for _, arg := range n.Positional {
			for _, v := range values(arg) {
				line(path, v, "")
			}
		}
		for _, child := range n.Children {
			if !child.Hidden {
				line(path, child.Name, child.Help)
				walk(child)
			}
		}
	}
	walk(app.Node)
	return b.String()
}

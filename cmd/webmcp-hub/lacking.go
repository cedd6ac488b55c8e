package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// A lackingError says that a command was not given something that it needs.
type lackingError struct {
	command string // the full name, such as "pins forget"
	needs   string
}

func (e lackingError) Error() string { return e.command + " needs " + e.needs }

// lacking returns an error that says what a command line lacks, in the words of the command's own help; the parser
// only says which word it expected. It returns nil if err is about something else.
func lacking(err error) error {
	var refused *kong.ParseError
	if !errors.As(err, &refused) || refused.Context == nil || !strings.HasPrefix(err.Error(), "expected ") {
		return nil
	}
	of := refused.Context.Selected()
	if of == nil {
		return nil
	}
	var what, words, commands []string
	for _, arg := range of.Positional {
		if arg.Required && !arg.Set {
			what = append(what, noun(arg.Help))
		}
		if arg.Required {
			words = append(words, strings.ToUpper(arg.Name))
		}
	}
	for _, c := range of.Children {
		commands = append(commands, c.Name)
	}
	switch {
	case len(what) > 0:
		return lackingError{of.Path(), fmt.Sprintf("%s: %s %s", strings.Join(what, " and "), of.FullPath(),
			strings.Join(words, " "))}
	case len(commands) > 0:
		return lackingError{of.Path(), "one of its commands: " + strings.Join(commands, ", ")}
	}
	return nil
}

// noun returns what the first words of a help text call a thing: "the file" for "The file, or - for standard input."
func noun(help string) string {
	if end := strings.IndexAny(help, ",.:;"); end >= 0 {
		help = help[:end]
	}
	return strings.ToLower(help[:min(1, len(help))]) + help[min(1, len(help)):]
}

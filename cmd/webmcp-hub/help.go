package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// helpCmd does the same as --help, for people who type "help".
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command. Default: all commands."`
}

// Run prints the help of the command. The parser does that for its own flag --help.
func (c helpCmd) Run() error {
	var fresh cli
	parser, err := newParser(&fresh)
	if err != nil {
		return err
	}
	node := parser.Model.Node
	for _, name := range c.Command {
		i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == name })
		if i < 0 {
			return usage(unknownCommand(strings.Join(c.Command, " ")))
		}
		node = node.Children[i]
	}
	_, err = parser.Parse(append(c.Command, "--help")) // prints, and ends the program
	return err
}

// wrongUsage rewrites a parser's error about a command line in the words that people know from other programs. The
// parser takes any first word for an argument of serve.
func wrongUsage(args []string, err error) error {
	if wrong, ok := errors.AsType[usageError](err); ok {
		return wrong // without the parser's prefix "serve: "
	}
	if lacks := lacking(err); lacks != nil {
		return lacks
	}
	word, unexpected := strings.CutPrefix(err.Error(), "unexpected argument ")
	switch {
	case !unexpected || strings.Contains(word, ", did you mean"):
		return err
	case slices.Contains(args, "serve"):
		return fmt.Errorf("serve takes flags only, and %q is none", word)
	case !isCommand(args):
		return unknownCommand(word)
	}
	return err
}

// isCommand reports whether a command line names a command.
func isCommand(args []string) bool {
	var c cli
	parser, err := newParser(&c)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(parser.Model.Children, func(n *kong.Node) bool { return slices.Contains(args, n.Name) })
}

// unknownCommand returns an error that says that word is no command, and which command may be meant.
func unknownCommand(word string) error {
	const unexpected = "unexpected argument "
	text := fmt.Sprintf("unknown command %q", word)
	var c cli
	parser, err := newParser(&c, kong.PostBuild(func(k *kong.Kong) error {
		k.Model.DefaultCmd = nil // so that the word can only be a command
		return nil
	}), kong.Writers(os.Stderr, os.Stderr))
	if err == nil {
		_, err = parser.Parse([]string{word})
	}
	if err != nil {
		if _, guess, ok := strings.Cut(strings.TrimPrefix(err.Error(), unexpected), ", did you mean "); ok {
			return fmt.Errorf("%s; did you mean %s", text, guess)
		}
	}
	return errors.New(text)
}

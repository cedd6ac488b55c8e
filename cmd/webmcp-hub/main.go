package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"webmcphub/cmd/webmcp-hub/commands"
	"webmcphub/cmd/webmcp-hub/policy"
	"webmcphub/cmd/webmcp-hub/process"

	"webmcphub/cmd/webmcp-hub/livepage"
	"webmcphub/extlink"
	"webmcphub/internal/cmdline"
	"webmcphub/internal/gctuning"
	"webmcphub/internal/settings"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// version is set by the build (-ldflags "-X main.version=…").
var version = "dev"

// cli is the command line.
type cli struct {
	serving

	Demo     commands.Demo `cmd:"" help:"Show what the hub does: starts a headless Chrome with a small shop and acts as an agent."`
	Tools    toolsCmd      `cmd:"" help:"Print the tools of the open tabs, as the running hub offers them."`
	Tokens   tokensCmd     `cmd:"" help:"Estimate how many tokens the tools of the open tabs cost a model, the most expensive first."`
	Call     callCmd       `cmd:"" help:"Call one tool of an open tab and print its result."`
	checking `embed:""`

	Doctor    doctorCmd     `cmd:"" help:"Check whether the hub can work here, and say how to get what is missing."`
	Extension extensionCmd  `cmd:"" help:"Pair the browser's extension with the hub."`
	Pins      commands.Pins `cmd:"" help:"Show, accept and forget the definitions of sites' tools that --pins remembers."`
	Rules     rulesCmd      `cmd:"" help:"List what agents are allowed now, and take it back."`
	Policy    policyCmd     `cmd:"" help:"Say what the rules for agents decide."`
	Token     tokenCmd      `cmd:"" help:"Make a new token for HTTP clients or for the extension."`

	restCommands `embed:""`
}

// serving is the command line of serve, and what all commands have. serve is the default command, so the configuration
// of an MCP client needs only the program's name.
type serving struct {
	Config      string           `type:"path" env:"WEBMCP_HUB_CONFIG" placeholder:"FILE" help:"Read settings from this file, which has flags without their dashes, as in \"max-pages: 20\". Default: config.yaml in webmcp-hub's folder among your settings, if it is there."`
	ShowVersion kong.VersionFlag `name:"version" env:"-" help:"Print the version."`

	Serve serveCmd `cmd:"" default:"withargs" help:"Offer the tools of all open tabs to an MCP client over stdin and stdout (the default)."`

	set settings.Places // where the settings file sets flags
}

// checking has the commands for people who test pages with tools, or agents that use them.
type checking struct {
	Check   commands.Check   `cmd:"" help:"Check the WebMCP tools of pages that you build: definitions, changes, and how the tools behave."`
	Inspect commands.Inspect `cmd:"" help:"Show the tools and console of a page that you build on a live page, and call the tools by hand."`
	Record  recordCmd        `cmd:"" help:"Serve as \"serve\" does, and record the client's session to a file. It takes all flags of serve."`
	Replay  commands.Replay  `cmd:"" help:"Serve a recorded session to an MCP client over stdin and stdout, without a browser."`
}

// restCommands are the commands that need none of the hub's flags.
type restCommands struct {
	commands.ClusterCommands `embed:""`

	UI      livepage.UICmd `cmd:"" name:"ui" help:"Open the live page of the hub that runs with --ui."`
	Help    helpCmd        `cmd:"" help:"Print the help of a command."`
	Version versionCmd     `cmd:"" help:"Print the version."`

	cmdline.Commands `embed:""`
}

// usageError is a mistake in what the user wrote. The program ends with code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usage returns err as a usageError; nil stays nil.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// interruptedCode is the exit code after Ctrl-C, as shells have it: 128 and the number of the signal.
const interruptedCode = 130

func main() {
	gctuning.Start() // never stopped; first of all, because Go would collect the garbage of the start in the middle of it
	version = process.Version(version)
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	var c cli
	ctx, err := parseArgs(&c, args)
	if err != nil {
		return misused(c.set.Explain(wrongUsage(args, err)), args, err)
	}
	err = ctx.Run()
	var code commands.ExitCode
	var wrong usageError
	switch {
	case err == nil:
		return 0
	case process.Interrupted():
		fmt.Fprintf(os.Stderr, "webmcp-hub: %v\n", process.ErrInterrupted)
		return interruptedCode
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &wrong):
		return misused(c.set.Explain(wrong), args, &kong.ParseError{Context: ctx})
	}
	fmt.Fprintf(os.Stderr, "webmcp-hub: %v\n", c.set.Explain(err))
	return 1
}

// parseArgs parses a command line into c. MCP clients wait for serve, and to make a parser for all commands takes far
// longer than for serve alone. So parseArgs first tries the command line with the latter, which refuses everything that
// isn't for serve, --help included.
func parseArgs(c *cli, args []string) (*kong.Context, error) {
	if len(args) == 0 || args[0] == "serve" || strings.HasPrefix(args[0], "-") {
		parser, err := newParserWithoutHelp(&c.serving, kong.NoDefaultHelp())
		if err != nil { // a mistake in serving itself
			panic(err)
		}
		if ctx, err := parser.Parse(args); err == nil {
			return ctx, nil
		}
		*c = cli{}
	}
	parser, err := newParser(c)
	if err != nil { // a mistake in cli itself
		panic(err)
	}
	return parser.Parse(args)
}

// misused says what is wrong with a command line, and where the help of its command is. refused has the parser's
// context.
func misused(err error, args []string, refused error) (code int) {
	see := `"webmcp-hub --help" to see what there is`
	if at, ok := errors.AsType[*kong.ParseError](refused); ok && at.Context != nil {
		if of := at.Context.Selected(); of != nil && slices.Contains(args, of.Name) { // and isn't the one without a name
			see = fmt.Sprintf(`"webmcp-hub %s --help" to see what it takes`, of.Path())
		}
	}
	fmt.Fprintf(os.Stderr, "webmcp-hub: %v\nRun %s.\n", err, see)
	return 2
}

// newParser returns a parser that reads command lines, the environment and settings into c.
func newParser(c *cli, more ...kong.Option) (*kong.Kong, error) {
	parser, err := newParserWithoutHelp(c, more...)
	if err != nil {
		return nil, err
	}
	return parser, eachFlag(parser, func(f *kong.Flag) { f.Help = variables.Replace(f.OrigHelp) })
}

// newParserWithoutHelp does the same for any grammar, but leaves flags without their help.
func newParserWithoutHelp(grammar any, more ...kong.Option) (*kong.Kong, error) {
	return kong.New(grammar, append([]kong.Option{
		kong.Name("webmcp-hub"),
		kong.Description("Gives AI agents the WebMCP tools of every open browser tab, as ordinary MCP tools."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 120}),
		kong.ValueFormatter(func(v *kong.Value) string { return v.Help }), // without the variable of each flag
		kong.Writers(os.Stdout, os.Stderr),
		kong.DefaultEnvars(envPrefix),
		kong.ExplicitGroups(flagGroups),
		kong.Vars{"version": "webmcp-hub " + version},
		// kong would search each text for variables with a regular expression, which takes a third of its time.
		kong.PostBuild(func(k *kong.Kong) error {
			return eachFlag(k, func(f *kong.Flag) { f.Default, f.Help = variables.Replace(f.Default), "" })
		}),
	}, more...)...)
}

// variables replaces ${name} in the defaults and the help of flags by the value of a variable.
var variables = strings.NewReplacer(
	"${maxName}", strconv.Itoa(names.DefaultMaxName),
	"${maxResult}", strconv.Itoa(defaultResultTokens),
	"${maxTools}", strconv.Itoa(registry.DefaultMaxTools),
	"${maxPages}", strconv.Itoa(registry.DefaultMaxPages),
	"${surfaceTokens}", strconv.Itoa(view.DefaultTokens),
	"${extensionPort}", strconv.Itoa(extlink.DefaultPort),
	"${auditSize}", policy.AuditVars["auditSize"],
	"${auditBackups}", policy.AuditVars["auditBackups"],
)

// eachFlag calls do with the flags of all commands.
func eachFlag(k *kong.Kong, do func(*kong.Flag)) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if flag, is := node.(*kong.Flag); is {
			do(flag)
		}
		return next(nil)
	})
}

// flagGroups are the headings in the help. A flag without a group of its own is among those for tuning.
var flagGroups = []kong.Group{
	{Key: "common", Title: "What most people use:"},
	{Key: "chrome", Title: "Tuning, Chrome:"},
	{Key: "tools", Title: "Tuning, tools:"},
	{Key: "trust", Title: "What agents may do:"},
	{Key: "http", Title: "Tuning, MCP over HTTP:"},
	{Key: "sharing", Title: "Tuning, several clients:"},
	{Key: "extension", Title: "Tuning, the browser's extension:"},
	{Key: "logging", Title: "Tuning, logs:"},
}

type versionCmd struct{}

func (versionCmd) Run() error {
	_, err := fmt.Println("webmcp-hub", version)
	return err
}

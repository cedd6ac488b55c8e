package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"webmcphub/cmd/webmcp-hub/commands"
	"webmcphub/cmd/webmcp-hub/policy"
	"webmcphub/cmd/webmcp-hub/process"

	"webmcphub/cmd/webmcp-hub/livepage"
	"webmcphub/extlink"
	"webmcphub/internal/cmdline"
	"webmcphub/internal/settings"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// version is set by the build (-ldflags "-X main.version=…").
var version = "dev"

// cli is the command line. The default command is serve, so the configuration of an MCP client needs only the
// program's name.
type cli struct {
	Config      string           `type:"path" env:"WEBMCP_HUB_CONFIG" placeholder:"FILE" help:"Read settings from this file, which has flags without their dashes, as in \"max-pages: 20\". Default: config.yaml in webmcp-hub's folder among your settings, if it is there."`
	ShowVersion kong.VersionFlag `name:"version" env:"-" help:"Print the version."`

	Serve    serveCmd  `cmd:"" default:"withargs" help:"Offer the tools of all open tabs to an MCP client over stdin and stdout (the default)."`
	Demo     demoCmd   `cmd:"" help:"Show what the hub does: starts a headless Chrome with a small shop and acts as an agent."`
	Tools    toolsCmd  `cmd:"" help:"Print the tools of the open tabs, as the running hub offers them."`
	Tokens   tokensCmd `cmd:"" help:"Estimate how many tokens the tools of the open tabs cost a model, the most expensive first."`
	Call     callCmd   `cmd:"" help:"Call one tool of an open tab and print its result."`
	checking `embed:""`

	Doctor    doctorCmd     `cmd:"" help:"Check whether the hub can work here, and say how to get what is missing."`
	Extension extensionCmd  `cmd:"" help:"Pair the browser's extension with the hub."`
	Pins      commands.Pins `cmd:"" help:"Show, accept and forget the definitions of sites' tools that --pins remembers."`
	Rules     rulesCmd      `cmd:"" help:"List what agents are allowed now, and take it back."`
	Policy    policyCmd     `cmd:"" help:"Say what the rules for agents decide."`
	Token     tokenCmd      `cmd:"" help:"Make a new token for HTTP clients or for the extension."`

	restCommands `embed:""`
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

	set settings.Places // where the settings file sets flags
}

// exitCode is an exit code as an error whose text has been printed already.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Told returns the exit code.
func (e exitCode) Told() int { return int(e) }

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
	version = process.Version(version)
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	var c cli
	parser, err := newParser(&c)
	if err != nil { // a mistake in cli itself
		panic(err)
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		return misused(c.set.Explain(wrongUsage(args, err)))
	}
	err = ctx.Run()
	var code interface{ Told() int }
	var wrong usageError
	switch {
	case err == nil:
		return 0
	case process.Interrupted():
		fmt.Fprintf(os.Stderr, "webmcp-hub: %v\n", process.ErrInterrupted)
		return interruptedCode
	case errors.As(err, &code):
		return code.Told()
	case errors.As(err, &wrong):
		return misused(c.set.Explain(wrong))
	}
	fmt.Fprintf(os.Stderr, "webmcp-hub: %v\n", c.set.Explain(err))
	return 1
}

func misused(err error) (code int) {
	see := `"webmcp-hub --help" to see what there is`
	var lacks lackingError
	if errors.As(err, &lacks) {
		see = fmt.Sprintf(`"webmcp-hub %s --help" to see what it takes`, lacks.command)
	}
	fmt.Fprintf(os.Stderr, "webmcp-hub: %v\nRun %s.\n", err, see)
	return 2
}

// newParser returns a parser that reads command lines, the environment and settings into c.
func newParser(c *cli, more ...kong.Option) (*kong.Kong, error) {
	return kong.New(c, append([]kong.Option{
		kong.Name("webmcp-hub"),
		kong.Description("Gives AI agents the WebMCP tools of every open browser tab, as ordinary MCP tools."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 120}),
		kong.ValueFormatter(func(v *kong.Value) string { return v.Help }), // without the variable of each flag
		kong.Writers(os.Stdout, os.Stderr),
		kong.DefaultEnvars(envPrefix),
		kong.ExplicitGroups(flagGroups),
		kong.Vars{"version": "webmcp-hub " + version},
		kong.PostBuild(fillIn(map[string]string{
			"maxName":   strconv.Itoa(names.DefaultMaxName),
			"maxResult": strconv.Itoa(defaultResultTokens),
			"maxTools":  strconv.Itoa(registry.DefaultMaxTools),
			"maxPages":  strconv.Itoa(registry.DefaultMaxPages),

			"surfaceTokens": strconv.Itoa(view.DefaultTokens),

			"extensionPort": strconv.Itoa(extlink.DefaultPort),
		})),
		kong.PostBuild(fillIn(policy.AuditVars)),
	}, more...)...)
}

// fillIn replaces ${name} in the defaults and the help of all flags by values. kong.Vars does the same, but searches
// each flag for every variable, which took a fifth of the time until a hub answers.
func fillIn(values map[string]string) func(*kong.Kong) error {
	var pairs []string
	for name, value := range values {
		pairs = append(pairs, "${"+name+"}", value)
	}
	fill := strings.NewReplacer(pairs...)
	return func(k *kong.Kong) error {
		return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
			if flag, is := node.(*kong.Flag); is {
				flag.Default, flag.Help = fill.Replace(flag.Default), fill.Replace(flag.Help)
			}
			return next(nil)
		})
	}
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

package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/alecthomas/kong"

	"webmcphub/extlink"
	"webmcphub/registry"
)

// version is set by the build (-ldflags "-X main.version=…").
var version = "dev"

// cli is the command line. The default command is serve, so that an MCP
// client's configuration needs no more than the program's name.
type cli struct {
	Serve     serveCmd     `cmd:"" default:"withargs" help:"Offer the tools of all open tabs to an MCP client over stdin and stdout (the default)."`
	Demo      demoCmd      `cmd:"" help:"Show what the hub does: starts a headless Chrome with a small shop and acts as an agent."`
	Tools     toolsCmd     `cmd:"" help:"Print the tools of a running Chrome's tabs."`
	Call      callCmd      `cmd:"" help:"Call one tool of a running Chrome's tabs and print its result."`
	Doctor    doctorCmd    `cmd:"" help:"Say what is missing for the hub to work here, and the remedy."`
	Extension extensionCmd `cmd:"" help:"Pair the browser's extension with the hub."`
	Version   versionCmd   `cmd:"" help:"Print the version."`
}

// exitCode is an error that has been told already.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	var c cli
	parser, err := newParser(&c)
	if err != nil { // a mistake in cli itself
		panic(err)
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "webmcp-hub: %v\nRun \"webmcp-hub --help\" to see what there is.\n", err)
		return 2
	}
	err = ctx.Run()
	var code exitCode
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	fmt.Fprintf(os.Stderr, "webmcp-hub: %v\n", err)
	return 1
}

// newParser reads command lines into c.
func newParser(c *cli) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("webmcp-hub"),
		kong.Description("Gives AI agents the WebMCP tools of every open browser tab, as ordinary MCP tools."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(os.Stdout, os.Stderr),
		kong.Vars{
			"maxName":  strconv.Itoa(registry.DefaultMaxName),
			"maxTools": strconv.Itoa(registry.DefaultMaxTools),
			"maxPages": strconv.Itoa(registry.DefaultMaxPages),

			"extensionPort": strconv.Itoa(extlink.DefaultPort),
		},
	)
}

type versionCmd struct{}

func (versionCmd) Run() error {
	_, err := fmt.Println("webmcp-hub", version)
	return err
}

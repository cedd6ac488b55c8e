package main

import (
	"fmt"
	"os"
	"path/filepath"

	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/internal/private"
)

// tokenCmd has the subcommands about tokens.
type tokenCmd struct {
	Rotate rotateCmd `cmd:"" help:"Make a new token and print it; the running hubs accept the old one until they are restarted."`
}

// rotateCmd makes a new token.
type rotateCmd struct {
	Which     string `arg:"" optional:"" enum:"http,extension" default:"http" help:"http: the token of HTTP clients (the default). extension: the pairing token of browsers' extensions."`
	TokenFile string `type:"path" placeholder:"FILE" help:"The file with the token of HTTP clients; the extension's is always the hub's own. Default: the hub's own."`
}

// Run prints the token alone to stdout, for scripts, and the rest to stderr.
func (c rotateCmd) Run() error {
	file, err := process.HTTPFlags{TokenFile: c.TokenFile}.Place()
	next := "Give it to the HTTP clients, as \"Authorization: Bearer TOKEN\""
	if c.Which == "extension" {
		file, err = pairingFile()
		next = "Pair each browser again: paste it into the extension's window"
	}
	if err != nil {
		return err
	}
	if err := private.NewToken(file, os.Rename); err != nil {
		return fmt.Errorf("the token file can't be written: %w; see that you may write to the folder %s", err,
			filepath.Dir(file))
	}
	token, err := private.Token(file)
	if err != nil {
		return err
	}
	if _, err := fmt.Println(token); err != nil {
		return err
	}
	_, err = fmt.Fprintf(os.Stderr, "This is the new token, in %s. %s.\nHubs that run keep the old one: close the "+
		"clients that started them, and start them again.\n", file, next)
	return err
}

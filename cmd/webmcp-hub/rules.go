package main

import (
	"context"
	"errors"
	"os"

	"webmcphub/cmd/webmcp-hub/commands"
	"webmcphub/cmd/webmcp-hub/person"
	"webmcphub/cmd/webmcp-hub/policy"
)

// rulesCmd has the subcommands about what agents are allowed now. Only taking back what forbids something to agents
// needs a person in a terminal.
type rulesCmd struct {
	List   rulesListCmd   `cmd:"" default:"withargs" help:"List what agents are allowed now, with ids: answers that hold until a time, permissions for sites, flows, tools that were accepted, and rules."`
	Revoke rulesRevokeCmd `cmd:"" help:"Take back one thing that \"rules list\" lists. The running hub asks again within seconds. Only a person, in a terminal, can take back what forbids something to agents: a site's \"Ask me first\" or \"Never\", and a rule of --policy that asks or denies."`
}

// grantFlags say where the rules and the accepted tools are.
type grantFlags struct {
	policy.Flags
	commands.PinsFolder
}

type rulesListCmd struct{ grantFlags }

func (c *rulesListCmd) Run() error {
	all, err := commands.Grants(c.Flags, c.PinsFolder)
	return errors.Join(commands.ListGrants(os.Stdout, all), err)
}

type rulesRevokeCmd struct {
	grantFlags
	person.Flags
	ID string `arg:"" name:"id" help:"The id, as \"rules\" lists it."`
}

func (c *rulesRevokeCmd) Run() error {
	all, err := commands.Grants(c.grantFlags.Flags, c.PinsFolder)
	confirm := func(text string) error {
		folder, err := c.Folder()
		if err != nil {
			return err
		}
		return c.Confirm(context.Background(), text, folder.ScriptsAllowed)
	}
	if failed := commands.Revoke(os.Stdout, all, c.ID, confirm); failed != nil {
		return errors.Join(failed, err)
	}
	return nil
}

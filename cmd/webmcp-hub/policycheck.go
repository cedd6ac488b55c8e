package main

import (
	"cmp"
	"context"
	"os"

	"webmcphub/cmd/webmcp-hub/policy"
	"webmcphub/internal/agent"
	"webmcphub/mcpserver"
)

// policyCmd has the subcommands about the rules for agents.
type policyCmd struct {
	Check policyCheckCmd `cmd:"" help:"Say which rule decides about a tool. The tool is looked up in the hub that runs, unless --origin or --kind says what it is."`
}

// policyCheckCmd says which rule decides about a tool.
type policyCheckCmd struct {
	attachFlags
	policy.Flags
	policy.About
}

// Validate checks the flags. The parser calls it.
func (c *policyCheckCmd) Validate() error {
	return cmp.Or(c.attachFlags.Validate(), usage(cmp.Or(c.About.Check(), c.Flags.Check())))
}

func (c *policyCheckCmd) Run() error {
	return c.Tell(os.Stdout, c.Flags, func() (o agent.Overview, err error) {
		err = withHub(c.attachFlags, mcpserver.DefaultCallTimeout,
			func(ctx context.Context, a *agent.Agent) (err error) {
				if _, o, err = a.Overview(ctx, c.Wait); err == nil {
					err = c.reached(a, o)
				}
				return err
			})
		return o, err
	})
}

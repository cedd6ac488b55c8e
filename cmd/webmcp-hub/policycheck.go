package main

import (
	"context"
	"fmt"
	"os"

	"webmcphub/cmd/webmcp-hub/policy"
	"webmcphub/internal/agent"
	"webmcphub/registry/mcpserver"
)

// policyCmd is about the rules for agents.
type policyCmd struct {
	Check policyCheckCmd `cmd:"" help:"Say which rule decides about a tool. The tool is looked up in the hub that runs, unless --origin or --kind says what it is."`
}

// policyCheckCmd says which rule decides.
type policyCheckCmd struct {
	attachFlags
	policy.Flags
	policy.About
}

// Validate is called by the parser.
func (c *policyCheckCmd) Validate() error {
	if err := c.attachFlags.Validate(); err != nil {
		return err
	}
	if err := c.About.Check(); err != nil {
		return usage(err)
	}
	return usage(c.Flags.Check())
}

func (c *policyCheckCmd) Run() error {
	set, err := c.Read()
	if err != nil {
		return err
	}
	if c.Origin != "" || c.Kind != "" {
		return policy.Explain(os.Stdout, set, c.Subject())
	}
	return withHub(c.attachFlags, mcpserver.DefaultCallTimeout, func(ctx context.Context, a *agent.Agent) error {
		_, o, err := a.Overview(ctx, c.Wait)
		if err == nil {
			err = c.reached(a, o)
		}
		if err != nil {
			return err
		}
		found := c.LookUp(o)
		if len(found) == 0 {
			return fmt.Errorf("no open page has a tool called %s. \"webmcp-hub tools\" lists what there is; --origin says of which site a tool would be, and --kind=automation that it is a browser tool", c.Tool)
		}
		for _, about := range found {
			if err := policy.Explain(os.Stdout, set, about); err != nil {
				return err
			}
		}
		return nil
	})
}

package policy

import (
	"errors"

	"webmcphub/trust"
)

// RateFlags limit what clients and pages may do in a minute.
type RateFlags struct {
	RateClient        int `default:"0" placeholder:"N" help:"How many calls one client may make in a minute, of all tools, resources and prompts together. The hub refuses further calls and says when to try again. Clients without a session count as one. 0: no limit."`
	RateOrigin        int `default:"0" placeholder:"N" help:"How many calls all clients together may make of one site in a minute. 0: no limit."`
	RateTool          int `default:"0" placeholder:"N" help:"How many calls all clients together may make of one tool of a site in a minute. 0: no limit."`
	RateRegistrations int `default:"0" placeholder:"N" help:"How many new or changed tools one tab may register in a minute. The hub withholds further ones until the next minute; list_webmcp_tools shows that. 0: no limit."`
}

// Check returns an error if a limit is negative.
func (f RateFlags) Check() error {
	if min(f.RateClient, f.RateOrigin, f.RateTool, f.RateRegistrations) < 0 {
		return errors.New("--rate-client, --rate-origin, --rate-tool and --rate-registrations must be 0, for no " +
			"limit, or more")
	}
	return nil
}

// Add adds the limits of calls to a guard's options.
func (f RateFlags) Add(o *trust.Options) {
	if r := trust.NewRateDecider(f.RateClient, f.RateOrigin, f.RateTool); r != nil {
		o.Rates = r
	}
}

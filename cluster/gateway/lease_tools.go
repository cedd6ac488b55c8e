package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"webmcphub/cluster/leases"
	"webmcphub/internal/browsertool"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/focus"
	"webmcphub/registry/sanitize"
)

// The tools by which agents get browsers of their own, and give them back.
const (
	acquireBrowser = "acquire_browser"
	releaseBrowser = "release_browser"
)

const (
	// defaultWait is how long a request waits that says nothing of it, and maxWait the longest.
	defaultWait = 30 * time.Second
	maxWait     = 10 * time.Minute

	acquireInput = `{"type":"object","properties":{` +
		`"labels":{"type":"array","items":{"type":"string"},"maxItems":20,"description":"Labels that the browser must have, such as os=linux. Default: any browser."},` +
		`"profile":{"type":"string","description":"The name of a browser profile, for a browser that is kept with it. Default: a fresh profile."},` +
		`"wait":{"type":"number","minimum":0,"maximum":600,"description":"How many seconds to wait at most while all are taken.","default":30}},"additionalProperties":false}`
	acquireOutput = `{"type":"object","properties":{` +
		`"browser":{"type":"string","description":"The handle: give it to open_tab or new_page as browser, and to release_browser at the end."},` +
		`"node":{"type":"string"},"until":{"type":"string","description":"When it ends at the latest (RFC 3339)."}},"required":["browser","node","until"]}`
	releaseInput  = `{"type":"object","properties":{"browser":{"type":"string","description":"The handle that acquire_browser gave."}},"required":["browser"],"additionalProperties":false}`
	releaseOutput = `{"type":"object","properties":{"released":{"type":"boolean"}},"required":["released"]}`
)

var leaseToolTable = []focus.Tool{
	focus.NewTool(acquireBrowser,
		"Gives you a browser of your own among those of this server, with a fresh profile: its tabs and tools are "+
			"yours until release_browser. While all are taken it waits in line.",
		acquireInput, acquireOutput, `{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}`),
	focus.NewTool(releaseBrowser,
		"Gives a browser back that acquire_browser gave: its tabs are closed, and what is stored in it is deleted.",
		releaseInput, releaseOutput, `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false}`),
}

// appearance is how long the answer waits for the browser to be in the tenant's list.
const appearance = 5 * time.Second

// leaseTools are those tools of a tenant, after its browser tools: a [calls.Automation].
type leaseTools struct {
	*tenantServer
	others calls.Automation // the browser tools; nil for none
}

// Tools always returns the same tools, because each tenant has one set.
func (l leaseTools) Tools(categories string) (all []browsertool.Tool) {
	if l.others != nil {
		all = l.others.Tools(categories)
	}
	for _, t := range leaseToolTable {
		all = append(all, browsertool.Tool{Name: t.Name, Input: t.InputSchema, Encoded: t.Encoded,
			OwnTime:   true,
			Arguments: func(args json.RawMessage) json.RawMessage { return args }})
	}
	return all
}

// ClientGone reports that a client's session is over. The tenant keeps its leases, because leases belong to a tenant
// and not to a client.
func (l leaseTools) ClientGone(session string) {
	if l.others != nil {
		l.others.ClientGone(session)
	}
}

// Call carries a call out.
func (l leaseTools) Call(ctx context.Context, call browsertool.Call) registry.Result {
	if call.Tool != acquireBrowser && call.Tool != releaseBrowser {
		return l.others.Call(ctx, call)
	}
	if call.Judge != nil {
		if err := call.Judge(ctx, browsertool.Action{}); err != nil {
			return sanitize.ErrorResult(err.Error())
		}
	}
	if call.Tool == releaseBrowser {
		var a struct{ Browser string }
		if err := json.Unmarshal(call.Args, &a); err != nil {
			return sanitize.ErrorResult(err.Error())
		}
		if err := l.options.Store.Release(ctx, l.tenant, a.Browser); err != nil {
			return l.refusal(err)
		}
		return sanitize.StructuredResult(map[string]bool{"released": true})
	}
	var w BrowserRequest
	if err := json.Unmarshal(call.Args, &w); err != nil {
		return sanitize.ErrorResult(err.Error())
	}
	if err := w.check(); err != nil {
		return sanitize.ErrorResult(err.Error())
	}
	given, err := l.acquire(ctx, w, func(s leases.Progress) { call.Progress(lineOf(s)) })
	if err != nil {
		return l.refusal(err)
	}
	if ctx.Err() != nil { // nobody learns the handle any more
		l.giveBack(given.Browser)
	}
	return sanitize.StructuredResult(given)
}

// lineOf says how a request stands.
func lineOf(s leases.Progress) string {
	text := fmt.Sprintf("waiting for a browser; %d of your requests are ahead", s.Ahead)
	if s.Trouble != "" {
		text += "; " + s.Trouble
	}
	return text
}

// refusal says why there is no browser, and when to try again.
func (r *tenantServer) refusal(err error) registry.Result {
	var why *leases.Refusal
	if !errors.As(err, &why) {
		return sanitize.ErrorResult(err.Error())
	}
	return sanitize.StructuredError(r.refused(why))
}

// Refused tells a client why it gets no browser.
type Refused struct {
	Error  string   `json:"error"`
	Reason string   `json:"reason"`
	After  float64  `json:"tryAgainAfterSeconds,omitempty"`
	Labels []string `json:"labels,omitempty"` // that there are, for who sees all browsers
	Held   []string `json:"held,omitempty"`   // the tenant's browsers
}

// refused is what the tenant is told. Which labels there are is known to whoever sees all browsers: they are the
// operator's words, and may tell one tenant of another.
func (r *tenantServer) refused(why *leases.Refusal) Refused {
	is := Refused{Error: why.Text, Reason: string(why.Reason), After: why.After.Seconds(), Held: why.Held}
	if !r.leasing && len(why.Exist) > 0 {
		is.Labels = why.Exist
		is.Error += "; there are: " + strings.Join(why.Exist, ", ")
	}
	return is
}

// BrowserRequest says which browser a client asks for.
type BrowserRequest struct {
	Labels  []string `json:"labels"`
	Profile string   `json:"profile"`
	Wait    *float64 `json:"wait"` // in seconds
}

// check says what is wrong with a request.
func (w BrowserRequest) check() error {
	if w.Wait != nil && !(*w.Wait >= 0 && *w.Wait <= maxWait.Seconds()) {
		return fmt.Errorf("wait must be 0 to %v seconds, not %v", maxWait.Seconds(), *w.Wait)
	}
	return nil
}

// Given tells a client which browser it has got.
type Given struct {
	Browser string `json:"browser"` // the handle
	Node    string `json:"node"`
	Until   string `json:"until"` // RFC 3339
}

// acquire gives the tenant a browser, and returns when its list has it.
func (r *tenantServer) acquire(ctx context.Context, w BrowserRequest, progress func(leases.Progress)) (Given, error) {
	wait := defaultWait
	if w.Wait != nil {
		wait = time.Duration(*w.Wait * float64(time.Second))
	}
	l, err := r.options.Store.Acquire(ctx, leases.Request{Tenant: r.tenant, Labels: w.Labels, Profile: w.Profile,
		Wait: wait}, progress)
	if err != nil {
		return Given{}, err
	}
	if ctx.Err() != nil { // nobody would ever learn the handle
		r.giveBack(l.Handle)
		return Given{}, context.Cause(ctx)
	}
	return Given{l.Handle, l.Node, l.Until.UTC().Format(time.RFC3339)}, r.appears(ctx, l.Handle)
}

// giveBackBound is how long a browser may take to be given back that nobody knows of.
const giveBackBound = 5 * time.Second

// giveBack gives a browser back that nobody knows of. It returns at once; the gateway doesn't stop before it is done.
func (r *tenantServer) giveBack(handle string) {
	r.returning.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), giveBackBound)
		defer cancel()
		_ = r.options.Store.Release(ctx, r.tenant, handle)
	})
}

// appears waits until the tenant's list has the browser and it is connected, for a bounded time. The error says that
// its lease has ended before: its node has died, or begun it afresh.
func (r *tenantServer) appears(ctx context.Context, handle string) error {
	ctx, cancel := context.WithTimeout(ctx, appearance)
	ended := false
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		r.options.Store.Watch(ctx, func(p leases.Snapshot) {
			// The store had the lease when it gave it: where it isn't now, it has ended, be this the first snapshot.
			if !slices.ContainsFunc(p.Leases, func(l leases.Lease) bool { return l.Handle == handle }) {
				ended = true
				cancel()
			}
		})
	}()
	r.server.Await(ctx, func(c *registry.Catalog) bool { return connectedIn(c, handle) })
	cancel()
	<-watched
	if ended {
		return &leases.Refusal{Reason: leases.NoneFree, After: time.Second, Text: "the browser that you were given was " +
			"lost before you had it: try again"}
	}
	return nil
}

// connectedIn says whether a catalog has the browser of a handle, connected.
func connectedIn(c *registry.Catalog, handle string) bool {
	for _, b := range c.Browsers() {
		if slices.Contains(b.Labels, handle) {
			return b.Status == ""
		}
	}
	return false
}

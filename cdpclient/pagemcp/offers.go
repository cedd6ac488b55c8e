package pagemcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	methodResourcesChanged = "notifications/resources/list_changed"
	methodPromptsChanged   = "notifications/prompts/list_changed"
)

// MaxLog is the longest log message of a page's server in bytes; longer ones are ignored.
const MaxLog = 64 << 10

// Capabilities say what a page's server declares besides tools, and which changes it doesn't announce.
type Capabilities struct {
	Resources, Prompts, Logging bool
	// Silent says that the server announces no changes of its tools. SilentOffers says that it has resources or
	// prompts and doesn't announce their changes. Such lists must be read again from time to time.
	Silent, SilentOffers bool
	// Browser has the capabilities that the server declared as "browser", directly or as experimental ones, because
	// some libraries pass on only MCP's own capabilities.
	Browser BrowserCapabilities
}

// BrowserCapabilities are the capabilities that MCP-B adds to MCP's.
type BrowserCapabilities struct{ MultiTabSupport, CacheSupported, Elicitation bool }

// browserOf reads BrowserCapabilities from the result of initialize. Any value but true counts as false.
func browserOf(result json.RawMessage) (all BrowserCapabilities) {
	type declared struct{ Browser json.RawMessage }
	var r struct{ Capabilities json.RawMessage }
	var own struct{ Experimental json.RawMessage }
	_ = json.Unmarshal(result, &r)
	_ = json.Unmarshal(r.Capabilities, &own)
	for _, raw := range []json.RawMessage{r.Capabilities, own.Experimental} {
		var d declared
		var flags map[string]json.RawMessage
		if json.Unmarshal(raw, &d) != nil || json.Unmarshal(d.Browser, &flags) != nil {
			continue
		}
		has := func(name string) bool { return string(flags[name]) == "true" }
		all.MultiTabSupport = all.MultiTabSupport || has("multiTabSupport")
		all.CacheSupported = all.CacheSupported || has("cacheSupported")
		all.Elicitation = all.Elicitation || has("elicitation")
	}
	return all
}

// Offers returns the server's capabilities. They are known once Connect has succeeded.
func (c *Client) Offers() Capabilities {
	if !c.connected.Load() {
		return Capabilities{}
	}
	return c.offers
}

func capabilitiesOf(s mcp.ServerCapabilities) Capabilities {
	return Capabilities{
		Resources: s.Resources != nil,
		Prompts:   s.Prompts != nil,
		Logging:   s.Logging != nil,

		Silent: s.Tools == nil || !s.Tools.ListChanged,
		SilentOffers: s.Resources != nil && !s.Resources.ListChanged ||
			s.Prompts != nil && !s.Prompts.ListChanged,
	}
}

// noticed handles the notifications that belong to no request.
func (c *Client) noticed(method string, params json.RawMessage) {
	o := c.options
	switch {
	case !c.connected.Load():
	case method == methodResourcesChanged && o.OnResourcesChanged != nil:
		o.OnResourcesChanged()
	case method == methodPromptsChanged && o.OnPromptsChanged != nil:
		o.OnPromptsChanged()
	case method == "notifications/resources/updated" && o.OnResourceUpdated != nil:
		var p struct {
			URI string `json:"uri"`
		}
		if json.Unmarshal(params, &p) == nil && p.URI != "" {
			o.OnResourceUpdated(p.URI)
		}
	case method == "notifications/message" && o.OnLog != nil && len(params) > 0 && len(params) <= MaxLog:
		o.OnLog(params)
	default:
		o.Logger.Debug("page server sent a notification that nobody listens to", "method", clip(method))
	}
}

// Resource is one entry of the page's resources/list. Its texts are the page's own, neither checked nor changed.
type Resource struct {
	URI         string          `json:"uri"`
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	MIMEType    string          `json:"mimeType"`
	Size        json.RawMessage `json:"size"`        // nil if the page gave none
	Annotations json.RawMessage `json:"annotations"` // nil if the page gave none
}

// Template is one entry of the page's resources/templates/list.
type Template struct {
	URITemplate string          `json:"uriTemplate"`
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	MIMEType    string          `json:"mimeType"`
	Annotations json.RawMessage `json:"annotations"`
}

// Prompt is one entry of the page's prompts/list.
type Prompt struct {
	Name        string           `json:"name"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Arguments   []PromptArgument `json:"arguments"`
}

// PromptArgument is an argument of a [Prompt].
type PromptArgument struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
}

// ListResources reads the whole list, in the server's order, as [Client.ListTools] does. If the server has no
// resources, the list is empty.
func (c *Client) ListResources(ctx context.Context) ([]Resource, error) {
	if !c.Offers().Resources {
		return nil, c.usable()
	}
	return listOffers(ctx, c, "resources/list", "resources", func(r Resource) bool { return r.URI != "" })
}

// ListTemplates is ListResources for resource templates.
func (c *Client) ListTemplates(ctx context.Context) ([]Template, error) {
	if !c.Offers().Resources {
		return nil, c.usable()
	}
	return listOffers(ctx, c, "resources/templates/list", "resourceTemplates",
		func(t Template) bool { return t.URITemplate != "" })
}

// ListPrompts is ListResources for prompts.
func (c *Client) ListPrompts(ctx context.Context) ([]Prompt, error) {
	if !c.Offers().Prompts {
		return nil, c.usable()
	}
	return listOffers(ctx, c, "prompts/list", "prompts", func(p Prompt) bool { return p.Name != "" })
}

// listOffers reads a list. A server may not know the method until it has its first entry; then the list is empty.
func listOffers[E any](ctx context.Context, c *Client, method, member string, good func(E) bool) ([]E, error) {
	all, err := listAll(ctx, c, method, member, good)
	if refusal := (*RPCError)(nil); errors.As(err, &refusal) && refusal.Code == mcp.METHOD_NOT_FOUND {
		return nil, nil
	}
	return all, err
}

// Request sends a request such as resources/read, prompts/get, completion/complete or resources/subscribe, which has
// no effects but those that MCP defines. params is a JSON object without _meta; the result is the page's, byte for
// byte. The request is sent once; it is never repeated. progress, if not nil, gets the params of each
// notifications/progress of this request, always before Request returns. When ctx ends, Request sends the page a
// cancellation, and returns ctx's error at once. Other errors are as in [Client.CallTool], and the send's own.
func (c *Client) Request(ctx context.Context, method string, params json.RawMessage,
	progress func(params json.RawMessage)) (json.RawMessage, error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	var members map[string]any
	if progress != nil {
		var with map[string]json.RawMessage
		if err := json.Unmarshal(params, &with); err != nil {
			return nil, fmt.Errorf("%s: params: %w", method, err)
		}
		members = make(map[string]any, len(with)+1)
		for k, v := range with {
			members[k] = v
		}
	}
	result, err := c.call(ctx, method, 1, progress, func(id int64) any {
		if members == nil {
			return params
		}
		members["_meta"] = callMeta{ProgressToken: id}
		return members
	})
	if err == nil && interrupted(result) {
		return nil, ErrInterrupted
	}
	return result, err
}

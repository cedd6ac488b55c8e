package cdp

import (
	"encoding/json"
	"reflect"
	"slices"

	"webmcphub/actors/tab"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// Arguments that WebMCP.invokeTool refuses are passed to the page's own API instead, in the bridge's world. Chrome
// reports such a call by the same events as an invocation, so the call becomes an invocation once its id is known.

// executeReply tags the reply to executeTool, which comes after those events.
type executeReply struct{ call *tab.Call }

func (p *Link) execute(f *frame, c *tab.Call) {
	if f.world == nil {
		p.Finish(c, registry.NotThere(c.Route.Tool, "its page isn't ready"))
		return
	}
	c.State.Executed = true
	p.unnamed = append(p.unnamed, c)
	p.askDocument(f, bridge.ExecuteTool, executeReply{c}, c.Route.Tool, string(c.Args))
}

// toolInvoked learns the id of a call that executeTool has begun. Calls with the same tool and arguments are executed
// in order, so the oldest one is meant.
func (p *Link) toolInvoked(s cdpclient.SessionID, params json.RawMessage) error {
	if len(p.unnamed) == 0 {
		return nil
	}
	var e cdpclient.ToolInvoked
	if err := json.Unmarshal(params, &e); err != nil {
		return err
	}
	i := slices.IndexFunc(p.unnamed, func(c *tab.Call) bool {
		return string(c.Route.Frame) == e.FrameID && c.Route.Tool == e.ToolName && equalJSON(c.Args, []byte(e.Input))
	})
	if i < 0 {
		return nil // the call of another client
	}
	c := p.unnamed[i]
	p.unnamed = slices.Delete(p.unnamed, i, i+1)
	c.State.Invocation = e.InvocationID
	if p.Calls[c] {
		p.byInvocation[c.State.Invocation] = c
	} else { // the call was given up meanwhile
		p.abort(c)
	}
	return nil
}

// executed ends a call that no event has ended: Chrome did not begin it, or a relay changed the order of the events.
func (p *Link) executed(c *tab.Call, r cdpclient.Reply) {
	c.State.StopUnconfirmed = false
	p.unnamed = slices.DeleteFunc(p.unnamed, func(other *tab.Call) bool { return other == c })
	if !p.Calls[c] || r.Err != nil && c.State.Invocation != "" { // or its document is gone, which ends the call
		return
	}
	if r.Err != nil {
		p.Finish(c, p.notStarted(c, r.Session, r.Err))
		return
	}
	var reply struct {
		Result struct {
			Value struct{ Text, Failed *string }
		}
	}
	switch err := json.Unmarshal(r.Result, &reply); {
	case err == nil && reply.Result.Value.Text != nil:
		p.Finish(c, sanitize.NativeResult(jsonOrText(*reply.Result.Value.Text)))
	case err == nil && reply.Result.Value.Failed != nil:
		p.Finish(c, registry.PageFailure(c.Route.Tool, sanitize.Text(*reply.Result.Value.Failed, 4096)))
	default:
		p.Finish(c, registry.NotThere(c.Route.Tool, "Chrome's answer could not be read"))
	}
}

// giveUpUnnamed ends a call that its caller gives up before the hub knows the call's id. Once it does, toolInvoked
// tells the page.
func (p *Link) giveUpUnnamed(c *tab.Call) {
	c.State.StopUnconfirmed = true
	p.watchOn(c)
	p.Finish(c, registry.EndedByCancel(c.Route.Tool))
}

func jsonOrText(s string) json.RawMessage {
	if json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	b, _ := json.Marshal(s) // a string can always be encoded
	return b
}

// equalJSON says whether two texts are the same JSON value, with numbers as in JavaScript.
func equalJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

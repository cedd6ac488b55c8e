package cdp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	. "webmcphub/actors/hubtest"
	. "webmcphub/actors/tab/cdp"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
)

// TestSchemasThatWereLost: Chrome announces tools without schemas that they have.
func TestSchemasThatWereLost(t *testing.T) {
	setup := func(t *testing.T) (h *TestHub, p *cdptest.Page, announce func(names ...string), asked *[]string) {
		h = NewHub(t)
		p = h.Offer()
		asked = &[]string{}
		p.On(cdpclient.RuntimeCallFunctionOn, func(c cdptest.Command) (any, error) {
			var call struct {
				FunctionDeclaration string
				Arguments           []struct{ Value []string }
			}
			if json.Unmarshal(c.Params, &call) != nil || call.FunctionDeclaration != bridge.ReadSchemas {
				return nil, cdptest.ErrPass
			}
			names := call.Arguments[0].Value
			*asked = append(*asked, strings.Join(names, " "))
			value := []map[string]any{}
			for _, name := range names {
				if name != "plain" {
					value = append(value, map[string]any{"name": name, "title": "The " + name, "inputSchema": map[string]any{"type": "object", "title": name}})
				}
			}
			return map[string]any{"result": map[string]any{"value": value}}, nil
		})
		announce = func(names ...string) {
			inLink(h, p, func(a *Link) { // in one turn, so that no answer comes between
				for _, name := range names {
					a.Event(event(a, cdpclient.WebMCPToolsAdded, cdpclient.ToolsAdded{Tools: []cdpclient.Tool{{Name: name, FrameID: p.ID()}}}))
				}
			})
		}
		return h, p, announce, asked
	}
	schema := func(h *TestHub, name string) string { return string(h.Tool("shop_test_page0_" + name).ArgumentSchema) }

	t.Run("are read, many at a time", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h, _, announce, asked := setup(t)
			announce("a", "b", "c", "plain")
			h.Quiet()
			for _, name := range []string{"a", "b", "c"} {
				if got := schema(h, name); !strings.Contains(got, `"title":"`+name+`"`) {
					t.Errorf("%s has the schema %s", name, got)
				}
				if got := h.TitleOf("shop_test_page0_" + name); got != "The "+name {
					t.Errorf("%s has the title %q", name, got)
				}
			}
			if got := schema(h, "plain"); strings.Contains(got, "title") {
				t.Errorf("plain has the schema %s", got)
			}
			if len(*asked) != 2 || (*asked)[0] != "a" {
				t.Errorf("asked %q", *asked)
			}
		})
	})
	t.Run("are not asked for all the time where there are none", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h, p, announce, asked := setup(t)
			for range 1000 {
				announce("plain")
				fakeclock.Elapse(10 * time.Millisecond)
			}
			if len(*asked) < 10 || len(*asked) > 20 {
				t.Errorf("asked %d times in 10 s", len(*asked))
			}
			before := len(*asked)
			announce("a")
			inLink(h, p, func(a *Link) { a.RemoveNative("plain") })
			announce("plain", "b")
			inLink(h, p, func(a *Link) { a.RemoveNative("plain") })
			fakeclock.Elapse(SchemasLongestPause)
			h.Quiet()
			if now := strings.Join((*asked)[before:], "|"); now != "a b" && now != "a|b" {
				t.Errorf("asked %q for what was there", now)
			}
			for _, name := range []string{"a", "b"} {
				if got := schema(h, name); !strings.Contains(got, `"title":"`+name+`"`) {
					t.Errorf("%s has the schema %s", name, got)
				}
			}
		})
	})
	t.Run("those of a document that is gone count for nothing", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h, p, announce, asked := setup(t)
			inLink(h, p, func(a *Link) {
				a.Schemas(1, cdpclient.Reply{Result: json.RawMessage(`{"result":{"value":[{"name":"a","inputSchema":{"title":"old"}}]}}`)})
			})
			announce("a")
			h.Quiet()
			if got := schema(h, "a"); !strings.Contains(got, `"title":"a"`) || len(*asked) != 1 {
				t.Errorf("a has the schema %s, asked %q", got, *asked)
			}
		})
	})
	t.Run("an answer that came too late for a tool announced anew", func(t *testing.T) {
		Bubble(t, func(t *testing.T) {
			h, p, announce, _ := setup(t)
			announce("a")
			inLink(h, p, func(a *Link) {
				a.LoseSchema("a") // the answer below was made before this
				a.Schemas(0, cdpclient.Reply{Result: json.RawMessage(`{"result":{"value":[{"name":"a","inputSchema":{"title":"old"}}]}}`)})
			})
			h.Quiet()
			if got := schema(h, "a"); strings.Contains(got, "old") {
				t.Errorf("a has the schema %s", got)
			}
		})
	})
}

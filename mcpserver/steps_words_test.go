package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// quoting is a Trust that puts what pages say in quotes, with whose words they are.
type quoting struct {
	judge
	held []string // what it was given of actions besides whose they are
}

func (q *quoting) Delimit(d calls.Action, r registry.Result) registry.Result {
	if d.Args != nil || d.Besides != nil || d.Ask != nil || d.Ended != nil || d.Definition != nil {
		q.held = append(q.held, d.Name)
	}
	var blocks []map[string]any
	_ = json.Unmarshal(jsonrpc.MustEncode(memberOf(r.JSON, "content")), &blocks)
	for _, b := range blocks {
		if text, is := b["text"].(string); is {
			b["text"] = "«" + d.Origin + ": " + text + "»"
		}
	}
	return registry.Result{JSON: jsonrpc.MustEncode(map[string]any{"content": blocks, "structuredContent": memberOf(r.JSON, "structuredContent")})}
}

func memberOf(object json.RawMessage, name string) json.RawMessage {
	for is, value := range jsonrpc.Members(object) {
		if is == name {
			return value
		}
	}
	return json.RawMessage("null")
}

// Whatever a batch's answer shows of a page's words, in its text and in its structured
// content, says whose they are: results, errors, and what quotes a result.
func TestWordsOfPagesInStepsAreMarked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		q := &quoting{}
		h := newHub(t, func(_ context.Context, c calls.Call) registry.Result {
			switch c.Tool.Route.Tool {
			case "fail":
				return sanitize.ErrorResult("EVIL error")
			case "say":
				return sanitize.TextResult("EVIL text")
			}
			return sanitize.NativeResult(json.RawMessage(`{"EVIL_name":"EVIL value"}`))
		}, func(o *Options, _ *registry.Options) { o.Trust = q })
		h.page("A", "https://a.test/", "fail", "say", "give")
		h.page("B", "https://b.test/", "take")
		c := h.connect(true)
		c.handshake()
		for args, want := range map[string]string{
			`"steps":[{"tool":"fail"},{"tool":"say"}]`:                                             "step 0: error, tab 1, https://a.test\n«https://a.test: EVIL error»\nstep 1: ok, tab 1, https://a.test\n«https://a.test: EVIL text»",
			`"steps":[{"tool":"say","as":"s"},{"tool":"take","arguments":{"x":{"$ref":"s.no"}}}]`:  "step 0 (s): ok, tab 1, https://a.test\n«https://a.test: EVIL text»\nstep 1: error: «https://a.test: \"s.no\" finds nothing: s is the text \"EVIL text\"»",
			`"steps":[{"tool":"give","as":"g"},{"tool":"take","arguments":{"x":{"$ref":"g.no"}}}]`: "step 1: error: «https://a.test: \"g.no\" finds nothing: g has no member \"no\"; it has EVIL_name»",
			`"steps":[{"tool":"give","as":"g"}],"return":["g.no","g.EVIL_name"]`:                   "g.no: nothing: «https://a.test: \"g.no\" finds nothing: g has no member \"no\"; it has EVIL_name»\n«https://a.test: g.EVIL_name: \"EVIL value\"»",
		} {
			out, text := c.batch(`{` + args + `,"stopOn":"never"}`)
			if !strings.Contains(text, want) {
				t.Errorf("%s\nsays\n%s\nwant\n%s", args, text, want)
			}
			var shown []string
			for _, s := range out.Steps {
				shown = append(shown, s.Text, s.Why)
			}
			for _, why := range out.Missing {
				shown = append(shown, why)
			}
			for _, s := range shown {
				if strings.Contains(s, "EVIL") && !(strings.HasPrefix(s, "«https://a.test: ") && strings.HasSuffix(s, "»")) {
					t.Errorf("%s: the structured content has %q", args, s)
				}
			}
		}
		c.hangUp()
	})
}

// A page of a whole result that is read by a step stays the words of the page that said it,
// also where that is cut once more; other steps take it without marks or the hub's notices.
func TestWordsThatStepsReadOnAreMarked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		q := &quoting{}
		h := longHub(t, maxTokens(2000), func(o *Options, _ *registry.Options) { o.Trust = q })
		h.page("B", "https://b.test/", "take")
		c := h.connect(true)
		c.handshake()
		uri := wholeURI.FindString(c.call("webmcp_shop_test_page0_text", `{"secret":"`+strings.Repeat("x", 1000)+`"}`))
		read := `{"tool":"read_result","arguments":{"uri":"` + uri + `"}}`
		_, text := c.batch(`{"steps":[` + read + `,` + read + `]}`)
		if n := strings.Count(text, "«https://shop.test: a line of it\n"); n != 2 || strings.Count(text, "»") != 2 || !strings.HasPrefix(text, "step 0: ok, https://shop.test\n«") {
			t.Errorf("%d marks: %.200s", n, text)
		}
		if n := strings.Count(text, "They go on at "+uri); n != 2 {
			t.Errorf("it says %d times how to go on: %s", n, text[max(0, len(text)-600):])
		}
		uris := wholeURI.FindAllString(text, -1)
		if i := slices.IndexFunc(uris, func(u string) bool { return u != uri }); i < 0 {
			t.Errorf("nothing was cut once more: %q", uris)
		} else if got := c.call("read_result", `{"uri":"`+uris[i]+`"}`); !strings.HasPrefix(got, "«https://shop.test: a line of it\n") {
			t.Errorf("what was cut once more: %.200s", got)
		}
		var took string
		h.reaches(func(_ context.Context, call calls.Call) registry.Result {
			took = string(call.Args)
			return sanitize.TextResult("")
		})
		c.batch(`{"steps":[` + strings.Replace(read, `,"arguments"`, `,"as":"r","arguments"`, 1) + `,{"tool":"take","arguments":{"x":{"$ref":"r"}}}]}`)
		if !strings.HasPrefix(took, `{"x":"a line of it\n`) || strings.ContainsAny(took, "«»[") {
			t.Errorf("it took %.100s … %s", took, took[max(0, len(took)-200):])
		}
		if len(q.held) > 0 {
			t.Errorf("what marks results holds more of an action than whose words they are: %q", q.held)
		}
		c.hangUp()
	})
}

package recording

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"webmcphub/internal/jsonrpc"
)

// unplanned answers what was not recorded.
func (p *Player) unplanned(m *jsonrpc.Message, now *asking) []byte {
	switch m.Method {
	case ping, "logging/setLevel":
		return jsonrpc.Result(m.ID, json.RawMessage("{}")).Bytes()
	case listTools:
		if p.tools != nil && string(now.args) == "{}" {
			return jsonrpc.Result(m.ID, p.toolsThen()).Bytes()
		}
	}
	p.unknown++
	if m.Method == callTool {
		return failed(m.ID, p.nearest(now))
	}
	text := fmt.Sprintf("the recording has no %s", m.Method)
	if slices.ContainsFunc(p.exchanges, func(e *exchange) bool { return e.method == m.Method }) {
		text += " with these params"
	}
	return jsonrpc.Failure(m.ID, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s; the client that was recorded "+
		"asked for: %s", text, strings.Join(p.methods(), ", "))).Bytes()
}

// toolsThen are the tools once all that is planned has been played.
func (p *Player) toolsThen() json.RawMessage {
	tools := p.tools
	for i := p.at; i < p.next(); i++ {
		switch l := p.lines[i]; {
		case l.Tools != nil:
			tools = l.Tools
		case l.Hub != nil && jsonrpc.Peek(l.Hub).Method == toolsChanged:
			tools = p.after(i)
		}
	}
	return tools
}

func (p *Player) methods() []string {
	all := map[string]bool{}
	for _, e := range p.exchanges {
		all[e.method] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// failed is the answer to a call that fails, as an agent reads it.
func failed(id json.RawMessage, text string) []byte {
	return jsonrpc.Result(id, jsonrpc.MustEncode(map[string]any{
		"content": []any{map[string]any{"type": "text", "text": text}}, "isError": true,
	})).Bytes()
}

func quoted(name string) string { return strconv.Quote(shorter(name, 80)) }

// nearest says which recorded call is most like one that was not recorded.
func (p *Player) nearest(now *asking) string {
	var calls []*exchange
	names := map[string]int{}
	number := map[*exchange]int{}
	for _, e := range p.exchanges {
		if e.method != callTool {
			continue
		}
		number[e] = len(number) + 1
		names[e.what.tool]++
		if e.what.tool == now.tool {
			calls = append(calls, e)
		}
	}
	switch {
	case len(names) == 0:
		return "The recording has no call at all."
	case len(calls) == 0:
		return fmt.Sprintf("The recording has no call of %s. The nearest of those that it has: %s.", quoted(now.tool),
			strings.Join(likely(now.tool, names), ", "))
	}
	n, _ := now.arguments()
	same := 0
	for _, e := range calls {
		if e.same(now) {
			same++
		}
	}
	if same > 0 {
		return fmt.Sprintf("The recording has this call of %s %s, and each was answered already. With --repeat the "+
			"last answer is given again.", quoted(now.tool), times(same))
	}
	best, least := calls[0], []string(nil)
	for i, e := range calls {
		r, _ := e.what.arguments()
		if d := differences("", r, n); i == 0 || len(d) < len(least) {
			best, least = e, d
		}
	}
	text := fmt.Sprintf("The recording has no call of %s with these arguments. ", quoted(now.tool))
	if best.what.hash != "" {
		return text + fmt.Sprintf("It has %s with other arguments, which were not recorded (--record-mask=all).",
			times(len(calls)))
	}
	return text + fmt.Sprintf("The nearest, call %d of the recording, has %s.", number[best],
		strings.Join(least[:min(5, len(least))], "; "))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// likely are up to three names, those first that share most with a name.
func likely(name string, among map[string]int) []string {
	all := slices.Sorted(maps.Keys(among))
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(shared(b, name), shared(a, name)) })
	for i, n := range all {
		all[i] = quoted(n)
	}
	return all[:min(3, len(all))]
}

// shared is how many pairs of letters two names have in common.
func shared(a, b string) (n int) {
	for i := range len(a) - 1 {
		if strings.Contains(b, a[i:i+2]) {
			n++
		}
	}
	return n
}

// differences says in words what is recorded where something else is asked now. What the
// recording leaves out differs from nothing.
func differences(where string, recorded, now any) []string {
	if recorded == Masked {
		return nil
	}
	at := cmp.Or(where, "the arguments")
	r, isObject := recorded.(map[string]any)
	n, both := now.(map[string]any)
	if isObject && both {
		return differentMembers(where, r, n)
	}
	rs, isList := recorded.([]any)
	ns, both := now.([]any)
	if isList && both && len(rs) == len(ns) {
		var all []string
		for i := range rs {
			all = append(all, differences(fmt.Sprintf("%s[%d]", where, i), rs[i], ns[i])...)
		}
		return all
	}
	if reflect.DeepEqual(recorded, now) || sameButMasked(recorded, now) {
		return nil
	}
	return []string{fmt.Sprintf("%s: %s instead of %s", at, asJSON(recorded), asJSON(now))}
}

// sameButMasked says whether two texts are the same but for what is left out of the recorded
// one. Of a text that is JSON that may be several ways of writing it.
func sameButMasked(recorded, now any) bool {
	r, ok := recorded.(string)
	n, both := now.(string)
	if !ok || !both || !strings.Contains(r, Masked) {
		return false
	}
	if r = strings.TrimSpace(r); strings.HasPrefix(r, "{") || strings.HasPrefix(r, "[") {
		var rs, ns any
		if json.Unmarshal([]byte(r), &rs) == nil && json.Unmarshal([]byte(n), &ns) == nil {
			return len(differences("", rs, ns)) == 0
		}
		r, _ = recorded.(string)
	}
	parts := strings.Split(r, Masked)
	rest, begins := strings.CutPrefix(n, parts[0])
	rest, ends := strings.CutSuffix(rest, parts[len(parts)-1])
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return begins && ends
}

func differentMembers(where string, recorded, now map[string]any) (all []string) {
	names := map[string]bool{}
	for name := range recorded {
		names[name] = true
	}
	for name := range now {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		at := strings.TrimPrefix(where+"."+name, ".")
		r, recorded := recorded[name]
		n, present := now[name]
		switch {
		case !present && r != Masked:
			all = append(all, fmt.Sprintf("%s: %s, which is missing now", at, asJSON(r)))
		case !present:
			all = append(all, at+", which is missing now")
		case !recorded:
			all = append(all, "no "+at)
		default:
			all = append(all, differences(at, r, n)...)
		}
	}
	return all
}

func asJSON(v any) string {
	raw, err := jsonrpc.Encode(v)
	if err != nil {
		return "?"
	}
	return shorter(string(raw), 120)
}

func shorter(s string, most int) string {
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

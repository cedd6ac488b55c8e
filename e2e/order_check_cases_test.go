package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// dialogue makes a transcript, a line a millisecond. A line of the client is
// "> method id", where more may follow: "touches NAME…", or params. A line of
// the hub is "< id", with the names of tools after "list", "< changed",
// "< progress token", or anything after "<<", as it is. "= NAME…" is the truth.
// "+5s" lets time pass.
func dialogue(script string) (lines []line) {
	at := time.Duration(0)
	for _, said := range strings.Split(strings.TrimSpace(script), "\n") {
		at += time.Millisecond
		word := strings.Fields(said)
		l := line{At: at, From: theHub}
		switch {
		case strings.HasPrefix(word[0], "+"):
			more, _ := time.ParseDuration(word[0][1:])
			at += more
			continue
		case word[0] == "=":
			l.From, l.Text = theTest, asLine(word[1:])
		case word[0] == "<<":
			l.Text = strings.ReplaceAll(strings.TrimSpace(strings.SplitN(said, "<<", 2)[1]), `\n`, "\n")
		case word[0] == ">":
			l = clientLine(at, word[1:])
		case word[1] == "changed":
			l.Text = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n"
		case word[1] == "progress":
			l.Text = fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%q,"progress":1}}`+"\n", word[2])
		default:
			l.Text = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", word[1], resultLine(word[2:]))
		}
		lines = append(lines, l)
	}
	return lines
}

func clientLine(at time.Duration, word []string) line {
	m := map[string]any{"jsonrpc": "2.0", "method": word[0]}
	l := line{At: at, From: theClient}
	switch {
	case word[0] == "notifications/cancelled":
		m["params"] = map[string]any{"requestId": number(word[1])}
	case len(word) > 1:
		m["id"] = number(word[1])
	}
	if len(word) > 3 && word[2] == "touches" {
		l.Touches = word[3:]
	}
	if len(word) > 3 && word[2] == "token" {
		m["params"] = map[string]any{"_meta": map[string]any{"progressToken": word[3]}}
	}
	l.Text = asLine(m) + "\n"
	return l
}

func number(s string) (n int) {
	_, _ = fmt.Sscan(s, &n)
	return n
}

func resultLine(word []string) string {
	if len(word) == 0 || word[0] != "list" {
		return "{}"
	}
	tools := []map[string]any{}
	for _, name := range word[1:] {
		tools = append(tools, map[string]any{"name": name})
	}
	return asLine(map[string]any{"tools": tools})
}

const hello = "> initialize 1\n< 1\n> notifications/initialized\n"

func TestCheckOrder(t *testing.T) {
	t.Parallel()
	const a, b, c = " webmcp_x_page0_a", " webmcp_x_page0_b", " webmcp_x_page1_c"
	for _, test := range []struct {
		name   string
		script string
		breaks string // "" if nothing is wrong
	}{
		{"a good session", hello + "> tools/list 2\n< 2 list" + a + "\n> tools/call 3 touches" + b + "\n> ping 4\n< 4\n< 3\n< changed\n> tools/list 5\n< 5 list" + a + b + "\n=" + a + b, ""},
		{"answers in any order", hello + "> ping 2\n> ping 3\n< 3\n< 2", ""},

		{"a notification before the answer to initialize", "> initialize 1\n< changed\n< 1\n> notifications/initialized", ruleGreeting},
		{"a log message before the answer to initialize", "> initialize 1\n" + `<< {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n` + "\n< 1", ruleGreeting},
		{"an answer before that to initialize", "> ping 2\n> initialize 1\n< 2\n< 1", ruleGreeting},
		{"list_changed before initialized", "> initialize 1\n< 1\n< changed\n> notifications/initialized", ruleGreeting},
		{"list_changed after a ping only", "> initialize 1\n< 1\n> ping 2\n< changed\n< 2", ruleGreeting},
		{"list_changed for a client that asks instead of saying initialized", "> initialize 1\n< 1\n> tools/list 2\n< changed\n< 2 list", ""},

		{"two messages in each other", hello + "> ping 2\n> ping 3\n" + `<< {"jsonrpc":"2.0","id":2,{"jsonrpc":"2.0","id":3,"result":{}}\n` + "\n" + `<< "result":{}}\n`, ruleWhole},
		{"two messages on a line", hello + "> ping 2\n> ping 3\n" + `<< {"jsonrpc":"2.0","id":2,"result":{}}{"jsonrpc":"2.0","id":3,"result":{}}\n`, ruleWhole},
		{"an empty line", hello + `<< \n`, ruleWhole},
		{"a line without its end", hello + "> ping 2\n" + `<< {"jsonrpc":"2.0","id":2,"result":{}}`, ruleWhole},
		{"something that isn't the protocol's", hello + `<< WARN: hello\n`, ruleWhole},
		{"an answer with a result and an error", hello + "> ping 2\n" + `<< {"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":"x"}}\n`, ruleWhole},
		{"a request of the hub", hello + `<< {"jsonrpc":"2.0","id":2,"method":"ping"}\n`, ruleWhole},

		{"no answer", hello + "> ping 2", ruleOneAnswer},
		{"two answers", hello + "> ping 2\n< 2\n< 2", ruleOneAnswer},
		{"an answer to nobody", hello + "< 7", ruleOneAnswer},
		{"a cancelled call needs none", hello + "> tools/call 2\n> notifications/cancelled 2", ""},
		{"but may have one", hello + "> tools/call 2\n> notifications/cancelled 2\n< 2", ""},
		{"and no more", hello + "> tools/call 2\n> notifications/cancelled 2\n< 2\n< 2", ruleOneAnswer},

		{"progress", hello + "> tools/call 2 token x\n< progress x\n< 2", ""},
		{"progress after the answer", hello + "> tools/call 2 token x\n< 2\n< progress x", ruleProgress},
		{"progress for nobody", hello + "> tools/call 2 token x\n< progress y\n< 2", ruleProgress},

		{"list_changed before the result that caused it", hello + "> tools/list 2\n< 2 list" + a + "\n> tools/call 3 touches" + b + "\n< changed\n> tools/list 4\n< 3\n< 4 list" + a + b, ruleResultFirst},
		{"the same for a tool that goes", hello + "> tools/list 2\n< 2 list" + a + b + "\n> tools/call 3 touches" + b + "\n< changed\n> tools/list 4\n< 4 list" + a + "\n< 3", ruleResultFirst},
		{"the same for a page that navigates", hello + "> tools/list 2\n< 2 list" + a + b + c + "\n> tools/call 3 touches webmcp_x_page0_*\n< changed\n> tools/list 4\n< 4 list" + c + "\n< 3", ruleResultFirst},
		{"another page's list_changed during the call", hello + "> tools/list 2\n< 2 list" + a + "\n> tools/call 3 touches" + b + "\n< changed\n> tools/list 4\n< 4 list" + a + b + c + "\n< 3", ""},
		{"a list that was asked for anyway", hello + "> tools/list 2\n< 2 list" + a + "\n> tools/call 3 touches" + b + "\n> tools/list 4\n< 4 list" + a + b + "\n< 3", ""},
		{"list_changed of a call that was answered while the next runs", hello + "> tools/list 2\n< 2 list" + a + "\n> tools/call 3 touches" + b + "\n< 3\n> tools/call 4 touches" + c + "\n< changed\n> tools/list 5\n< 5 list" + a + b + "\n< 4", ""},
		{"a call that takes too long", hello + "> tools/list 2\n< 2 list" + a + "\n> tools/call 3 touches" + b + "\n+5s\n< changed\n> tools/list 4\n< 4 list" + a + b + "\n< 3", ""},
		{"a call that takes almost too long", hello + "> tools/list 2\n< 2 list" + a + "\n> tools/call 3 touches" + b + "\n+4990ms\n< changed\n> tools/list 4\n< 4 list" + a + b + "\n< 3", ruleResultFirst},

		{"list_changed before the list is readable", hello + "> tools/list 2\n< 2 list" + a + "\n< changed\n> tools/list 3\n< 3 list" + a + "\n> tools/list 4\n< 4 list" + a + b, ruleNews},
		{"list_changed without a change", hello + "> tools/list 2\n< 2 list" + a + "\n< changed\n> tools/list 3\n< 3 list" + a, ruleNews},
		{"list_changed for a list that was read meanwhile", hello + "> tools/list 2\n< 2 list" + a + "\n> tools/list 3\n< 3 list" + a + b + "\n< changed\n> tools/list 4\n< 4 list" + a + b, ruleNews},
		{"of two lists asked for together, the second answered is the older", hello + "> tools/list 2\n> tools/list 3\n< 3 list" + a + b + "\n< 2 list" + a + "\n< changed\n> tools/list 4\n< 4 list" + a + b, ruleNews},
		{"a change of a tool that keeps its name", hello + "> tools/list 2\n" + `<< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"x","description":"old"}]}}\n` + "\n< changed\n> tools/list 3\n" + `<< {"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"x","description":"new"}]}}\n`, ""},
		{"back to a list that was read long ago", hello + "> tools/list 2\n< 2 list" + a + "\n> tools/list 3\n< 3 list" + b + "\n< changed\n> tools/list 4\n< 4 list" + a, ""},

		{"a change that nobody told", hello + "> tools/list 2\n< 2 list" + a + "\n=" + a + b, ruleTruth},
	} {
		t.Run(test.name, func(t *testing.T) {
			lines := dialogue(test.script)
			found := checkOrder(lines)
			if test.breaks == "" && len(found) > 0 || test.breaks != "" && !slices.ContainsFunc(found, func(v violation) bool { return v.rule == test.breaks }) {
				t.Errorf("found %+v, want %q in\n%s", found, test.breaks, asLines(lines))
			}
			for _, v := range found {
				if !strings.Contains(excerpt(lines, v.line), "\n>") && v.line > 0 {
					t.Errorf("the excerpt doesn't show line %d", v.line)
				}
			}
		})
	}
}

package journey

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"webmcphub/recording"
)

func session(t *testing.T, lines ...string) *recording.Session {
	t.Helper()
	text := `{"recording":1}` + "\n" + strings.Join(lines, "\n") + "\n"
	s, err := recording.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tab(number int, name, url string) string {
	return fmt.Sprintf(`{"name":%q,"inputSchema":{"properties":{"words":{}}},"_meta":{"webmcp-hub/provenance":{"tabId":%d,"frameUrl":%q}}}`, name, number, url)
}

func called(id int, tool, args, result string) string {
	return fmt.Sprintf(`{"ms":1,"client":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}}
{"ms":2,"hub":{"jsonrpc":"2.0","id":%d,%s}}`, id, tool, args, id, result)
}

func text(said string) string {
	return fmt.Sprintf(`"result":{"content":[{"type":"text","text":%q}]}`, said)
}

// A journey does what the agent did, in the pages' own words, and can be read again.
func TestFrom(t *testing.T) {
	const shop, bank = "http://localhost:3000/shop?q=1#top", "https://bank.example/pay"
	s, err := FromRecording(session(t,
		`{"ms":1,"tools":[{"name":"list_tabs"},`+tab(7, "webmcp_localhost_3000_page0_search", shop)+`,`+tab(8, "webmcp_bank_example_page1_pay", bank)+`,`+tab(7, "webmcp_localhost_3000_page0_unused", shop)+`]}`,
		called(1, "webmcp_localhost_3000_page0_search", `{"words":"tea","password":"[masked]","list":["[masked]"]}`, text(`{"found":["green tea"]}`)),
		called(2, "list_tabs", `{}`, text("none")),
		called(3, "call_webmcp_tool", `{"name":"webmcp_bank_example_page1_pay","arguments":{"amount":-1}}`, `"result":{"content":[],"isError":true}`),
		called(4, "webmcp_localhost_3000_page0_search", `{}`, text(strings.Repeat("long ", 200))),
		called(5, "webmcp_localhost_3000_page0_search", `{"refused":1}`, `"error":{"code":-32602,"message":"no"}`),
		`{"ms":3,"tools":[`+tab(7, "webmcp_localhost_3000_page0_search", "http://localhost:3000/")+`]}`,
		called(6, "webmcp_localhost_3000_page0_search", `{"words":"a call led here"}`, text("")),
		called(7, "open_tab", `{"url":"http://localhost:3000/cart"}`, text("")),
		`{"ms":3,"tools":[`+tab(7, "webmcp_localhost_3000_page0_search", "http://localhost:3000/cart")+`]}`,
		called(8, "call_webmcp_tools", `{"steps":[{"tool":"webmcp_localhost_3000_page0_search","arguments":{"words":"in steps"}}]}`, text("")),
	), "it")
	if err != nil {
		t.Fatal(err)
	}
	out, err := YAML([]Journey{s.Journey})
	if err != nil {
		t.Fatal(err)
	}
	const want = `- name: "it"
  steps:
    - {"open":"/shop?q=1#top","tab":"tab7"}
    - {"tab":"tab7","call":"search","arguments":{"list":[{"$type":"string"}],"password":{"$type":"string"},"words":"tea"},"result":{"found":["green tea"]}}
    - {"open":"https://bank.example/pay","tab":"tab8"}
    - {"tab":"tab8","call":"pay","arguments":{"amount":-1},"fails":true}
    - {"tab":"tab7","call":"search"}
    - {"tab":"tab7","call":"search","arguments":{"words":"a call led here"}}
    - {"open":"/cart","tab":"tab7"}
    - {"tab":"tab7","call":"search","arguments":{"words":"in steps"}}
`
	if string(out) != want {
		t.Errorf("got\n%s", out)
	}
	again, err := Read(out)
	if err != nil || len(again) != 1 || len(again[0].Steps) != len(s.Journey.Steps) {
		t.Errorf("it is read as %+v, %v", again, err)
	}
	if raw, _ := json.Marshal(s.Coverage); !strings.Contains(string(raw), `{"tool":"search","calls":5,"parameters":[{"name":"words","calls":3},`) || s.Coverage.Called() != 2 || len(s.Coverage.Tools) != 3 {
		t.Errorf("the coverage is %s", raw)
	}
}

func TestOfHashesNoJourneyIsMade(t *testing.T) {
	if _, err := FromRecording(&recording.Session{Header: recording.Header{Mask: recording.Everything}}, "it"); err == nil || !strings.Contains(err.Error(), "--record-mask=all") {
		t.Errorf("got %v", err)
	}
}

// What a step takes from another's result is no argument that a page could be given: the
// journey ends there and says so. What is masked in part is not expected either.
func TestWhereAJourneyEnds(t *testing.T) {
	const shop = "http://localhost:3000/"
	const search = "webmcp_localhost_3000_page0_search"
	s, err := FromRecording(session(t,
		`{"ms":1,"tools":[`+tab(7, search, shop)+`]}`,
		called(1, search, `{"words":"say [masked]"}`, text("you said [masked]")),
		called(2, "call_webmcp_tools", `{"steps":[{"tool":"`+search+`","arguments":{"words":"a"},"as":"a"},{"tool":"`+search+`","arguments":{"list":[{"words":{"$ref":"a.found[0]"}}]}}]}`, text("")),
		called(3, search, `{"words":"later"}`, text("")),
	), "it")
	if err != nil {
		t.Fatal(err)
	}
	steps, _ := json.Marshal(s.Journey.Steps)
	if want := `[{"open":"/","tab":"tab7"},{"tab":"tab7","call":"search","arguments":{"words":{"$type":"string"}}},{"tab":"tab7","call":"search","arguments":{"words":"a"}}]`; string(steps) != want {
		t.Errorf("got  %s\nwant %s", steps, want)
	}
	if !strings.Contains(s.Ends, "before the call of search") || !strings.Contains(s.Ends, "$ref") {
		t.Errorf("it says %q", s.Ends)
	}
}

// TestMaskedAddresses: a journey opens a page without the parameters whose values are masked, and ends where it isn't known
// which page to open.
func TestMaskedAddresses(t *testing.T) {
	const search = "webmcp_a_test_page0_search"
	for address, want := range map[string]string{
		"https://a.test/x?token=[masked]&q=tea#[masked]": `[{"open":"/x?q=tea","tab":"tab7"},{"tab":"tab7","call":"search"}]`,
		"https://a.test/?token=[masked]#top":             `[{"open":"/#top","tab":"tab7"},{"tab":"tab7","call":"search"}]`,
		"https://a.test/reset/[masked]":                  `null`,
		"[masked]":                                       `null`,
	} {
		s, err := FromRecording(session(t, `{"ms":1,"tools":[`+tab(7, search, address)+`]}`, called(1, search, `{}`, text(""))), "it")
		if err != nil {
			t.Fatal(err)
		}
		if steps, _ := json.Marshal(s.Journey.Steps); string(steps) != want || (want == "null") != strings.Contains(s.Ends, "is masked in the recording") {
			t.Errorf("%s: %s, ends %q", address, steps, s.Ends)
		}
	}
}

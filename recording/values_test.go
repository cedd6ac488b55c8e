package recording

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"webmcphub/internal/mask/masktest"
)

// TestSecretsByTheirValue: what isn't secret by its name, but by its value, isn't in the file, whoever says it.
func TestSecretsByTheirValue(t *testing.T) {
	b := record(t, func(o *Options) { o.Emails = true })
	b.lists(anything)
	b.calls(`{"card":"4111 1111 1111 1111","cc":4222222222222220,"code":"482913","twoFactorCode":"tw0f4ct0r","csrf":"cs4f","note":"my key is AKIAIOSFODNN7EXAMPLE","q":"tea","zip":"94103","to":"ann@mail.test"}`)
	b.returns(`"{\"iban\":\"AT611904300234573201\",\"paid\":\"with 4111111111111111\",\"code\":404}"`)
	text := b.lacks("4111", "422222", "482913", "tw0f4ct0r", "cs4f", "AKIA", "AT6119", "ann@")
	has(t, text, `"q":"tea"`, `"zip":"94103"`, `my key is [masked]`, `\"code\":404`)
}

// TestSecretsOfFields: what goes into a field is masked if the page says that the field takes secrets, or if nothing is
// known of it.
func TestSecretsOfFields(t *testing.T) {
	b := record(t)
	b.says(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"take_snapshot","arguments":{}}}`)
	b.answers(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"b1 textbox \"Name\" value=\"password\"\nb2 textbox \"Code\" one-time-code"}]}}`)
	for i, call := range []string{
		`"fill","arguments":{"uid":"b1","value":"kept 1"}`, `"fill","arguments":{"uid":"b2","value":"gone 1"}`,
		`"type_text","arguments":{"text":"gone 2"}`, `"press_key","arguments":{"key":"x"}`, `"press_key","arguments":{"key":"Enter"}`,
		`"fill_form","arguments":{"elements":[{"uid":"b2","value":"gone 3"},{"uid":"b1","value":"kept 2"},{"uid":"b9","value":"gone 4"}]}`,
		`"click","arguments":{"uid":"b1"}`, `"type_text","arguments":{"text":"kept 3"}`,
		`"call_webmcp_tools","arguments":{"steps":[{"tool":"fill","arguments":{"uid":"b2","value":"gone 5"}}]}`,
	} {
		id := strconv.Itoa(2 + i)
		b.says(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":` + call + `}}`)
		b.answers(`{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[]}}`)
	}
	has(t, b.lacks("gone", `"key":"x"`), "kept 1", "kept 2", "kept 3", `"key":"Enter"`)
}

// TestAddressesKeepWhereTheyLead: a secret in an address is masked, and the origin stays.
func TestAddressesKeepWhereTheyLead(t *testing.T) {
	var m masking
	m.hide(json.RawMessage(`"hunter22"`))
	m.hide(json.RawMessage(`"https://a.test/magic?link=1&x=2"`))
	for address, want := range map[string]string{
		"https://a.test/x?q=hunter22&b=1":              "https://a.test/x?q=[masked]&b=1",
		"https://a.test/reset/hunter22?q=1":            "https://a.test/reset/[masked]?q=1",
		"https://hunter22.test/":                       "https://hunter22.test/",
		"https://a.test/magic?link=1&x=2":              "https://a.test/magic?link=[masked]&x=[masked]",
		"https://me:hush@a.test/?token=abc#id_token=x": "https://me:[masked]@a.test/?token=[masked]#id_token=[masked]",
		"https://a.test/?q=tea#top":                    "https://a.test/?q=tea#top",
	} {
		if got := m.known.text(address, 0); got != want {
			t.Errorf("%s is %s, want %s", address, got, want)
		}
	}
}

// TestNoGeneratedSecretIsWritten: secrets of all known shapes, in arguments, results and lists of tools, never get into
// the file, which stays readable.
func TestNoGeneratedSecretIsWritten(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		secret := masktest.Secret(r)
		text := string(jsonOf(masktest.Around(r, secret)))
		m := newMasking(Options{Mask: Secrets})
		m.tools.define(json.RawMessage(`{"name":"login","inputSchema":{}}`))
		var all []string
		for _, message := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"q":` + text + `,"list":[` + text + `]}}}`,
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"call_webmcp_tool","arguments":{"name":"login","arguments":{"q":` + text + `}}}}`,
			`{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"p","arguments":{"q":` + text + `}}}`,
		} {
			masked, _ := m.client(json.RawMessage(message))
			all = append(all, string(masked))
		}
		nested := string(jsonOf(`{"a":[` + text + `]}`))
		for _, message := range []string{
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + text + `}],"structuredContent":{"a":{"b":[` + text + `]}}}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + nested + `}]}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":` + text + `}}`,
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":` + text + `}}`,
			`{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"message":` + text + `}}`,
		} {
			all = append(all, string(m.hub(json.RawMessage(message))))
		}
		plain := string(jsonOf(secret))
		for _, line := range all {
			if !json.Valid([]byte(line)) {
				r.Fatalf("it is no JSON: %s", line)
			}
			if strings.Contains(line, plain[1:len(plain)-1]) {
				r.Fatalf("%q is in %s", secret, line)
			}
		}
	})
}

func jsonOf(v any) []byte {
	raw, _ := json.Marshal(v)
	return raw
}

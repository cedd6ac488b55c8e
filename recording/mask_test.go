package recording

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// lists has the client ask for its tools, of which login has that schema.
func (b *between) lists(schema string) {
	b.t.Helper()
	b.says(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	b.answers(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"login","inputSchema":` + schema + `}]}}`)
}

// calls has it call login.
func (b *between) calls(arguments string) {
	b.t.Helper()
	b.says(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"login","arguments":` + arguments + `}}`)
}

// returns has login return a text.
func (b *between) returns(jsonText string) {
	b.t.Helper()
	b.answers(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":` + jsonText + `}]}}`)
}

// lacks ends the recording, which must be readable and may have none of these texts.
func (b *between) lacks(secrets ...string) (text string) {
	b.t.Helper()
	s, text := b.session()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			b.t.Errorf("%s is in the file:\n%s", secret, text)
		}
	}
	if s.Lost > 0 {
		b.t.Errorf("%d messages are lost in\n%s", s.Lost, text)
	}
	return text
}

// has says what else must be in the file.
func has(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("the file lacks %s:\n%s", w, text)
		}
	}
}

const anything = `{"type":"object"}`

// Whatever characters a secret has, the file can be read.
func TestASecretNeverBreaksTheFile(t *testing.T) {
	for name, c := range map[string][3]string{
		"it ends with a quote":             {`"hunter2\""`, `"hunter2\" is good"`, `"[masked] is good"`},
		"it stands behind an escape":       {`"network"`, `"first line\network: ok"`, `"first line\network: ok"`},
		"behind an escape of nested JSON":  {`"network"`, `"{\"a\":\"first\\network\"}"`, `"{\"a\":\"first\\network\"}"`},
		"it is a backslash and more":       {`"\\\\\\\\\\\\u"`, `"a\\\\\\\\\\\\u0041"`, `"a[masked]0041"`},
		"it is what stands for secrets":    {`"masked"`, `"masked"`, `"masked"`},
		"one secret has another within it": {`["hunter22","hunter22-and-more"]`, `"hunter22-and-more"`, `"text":"[masked]"`},
	} {
		t.Run(name, func(t *testing.T) {
			b := record(t)
			b.lists(anything)
			b.calls(`{"password":` + c[0] + `}`)
			b.returns(c[1])
			has(t, b.lacks(), c[2])
		})
	}
}

// A message that can't be masked well is left out, and counted.
func TestWhatIsNoJSONIsNotWritten(t *testing.T) {
	r := newLineWriter(nil, time.Now(), Options{MaxSize: 1 << 20, Mask: Secrets})
	if r.whole([]byte(`{"a":"b" c"}`), []byte(`{}`)) || !strings.Contains(string(r.batch), `"lost":1`) {
		t.Errorf("the file gets %s", r.batch)
	}
	if !r.whole([]byte(`{}`), []byte(`{"a":1}`)) {
		t.Error("JSON isn't written")
	}
}

// A secret is found however a later message spells it.
func TestSpellings(t *testing.T) {
	for name, c := range map[string][2]string{
		"HTML's escapes":          {`"p&ssw<rd1"`, `"p\u0026ssw\u003crd1"`},
		"without them":            {`"p\u0026ssw\u003crd1"`, `"p&ssw<rd1"`},
		"ASCII only":              {`"pässwörd"`, `"p\u00e4ssw\u00f6rd"`},
		"not ASCII only":          {`"p\u00e4ssw\u00f6rd"`, `"pässwörd"`},
		"in JSON":                 {`"p&ssw<rd1"`, `"{\"p\":\"p\\u0026ssw\\u003crd1\"}"`},
		"in ASCII JSON":           {`"pässwörd😀"`, `"{\"p\":\"p\\u00e4ssw\\u00f6rd\\ud83d\\ude00\"}"`},
		"a quote in JSON":         {`"pass\"word1"`, `"{\"p\":\"pass\\\"word1\"}"`},
		"in a part of JSON":       {`"pass\"word1"`, `"It said: {\"p\":\"pass\\\"word1\"}"`},
		"in JSON in JSON":         {`"pass\"word1"`, `"{\"p\":\"{\\\"q\\\":\\\"pass\\\\\\\"word1\\\"}\"}"`},
		"in an address":           {`"pass word&1"`, `"https://a.test/?p=pass+word%261"`},
		"in HTML":                 {`"pass<word&1"`, `"<b>pass&lt;word&amp;1</b>"`},
		"a number in a text":      {`4111111111111111`, `"card 4111111111111111"`},
		"a number in JSON":        {`4111111111111111`, `"{\"card\":4111111111111111}"`},
		"a text that is a number": {`"4111111111111111"`, `"{\"card\":4111111111111111}"`},
	} {
		t.Run(name, func(t *testing.T) {
			b := record(t)
			b.lists(anything)
			b.calls(`{"password":` + c[0] + `}`)
			b.returns(c[1])
			s, text := b.session()
			if last := s.Lines[len(s.Lines)-1]; !strings.Contains(string(last.Hub), Masked) {
				t.Errorf("the answer isn't masked:\n%s", text)
			}
		})
	}
	b := record(t)
	b.lists(anything)
	b.calls(`{"card_number":4111111111111111}`)
	b.answers(`{"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"card":4111111111111111}}}`)
	b.answers(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":{"card":4111111111111111}}}`)
	b.says(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	b.answers(`{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"pay","description":"With 4111111111111111"}]}}`)
	b.lacks("4111111111111111")
}

// With everything masked no arguments are written, wherever MCP has them.
func TestEverythingIsMaskedEverywhere(t *testing.T) {
	b := record(t, func(o *Options) { o.Mask = Everything })
	b.lists(anything)
	const secret = `{"password":"hunter22","to":"alice"}`
	b.calls(secret)
	b.answers(`{"jsonrpc":"2.0","id":"h1","method":"elicitation/create","params":{"mode":"form","message":"Arguments (40 characters):\n|   \"password\": \"hunter22\"\n|   \"to\": \"alice\"","requestedSchema":{"type":"object","properties":{"answer":{"type":"string"}}}}}`)
	b.answers(`{"jsonrpc":"2.0","id":"h2","method":"sampling/createMessage","params":{"maxTokens":7,"systemPrompt":"alice","messages":[{"role":"user","content":{"type":"text","text":"hunter22"}}]}}`)
	b.answers(`{"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"hunter22","requestedSchema":{"type":"object"}}}},"requestState":"s"}}`)
	b.says(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"login","arguments":` + secret + `,"inputResponses":{"k":{"content":` + secret + `}},"requestState":"s","more":` + secret + `,"_meta":{"progressToken":7,"own":` + secret + `}}}`)
	b.says(`[{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"login","arguments":` + secret + `}}]`)
	b.says(`{"jsonrpc":"2.0","id":6,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"password","value":"hunter22"},"context":{"arguments":{"to":"alice"}}}}`)
	b.says(`{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"p","arguments":` + secret + `}}`)
	b.says(`{"jsonrpc":"2.0","id":8,"error":{"code":-1,"message":"hunter22","data":"alice"}}`)
	b.says(`{"jsonrpc":"2.0","id":9,"method":"own/method","params":{"of":"alice"},"besides":"hunter22"}`)
	text := b.lacks("hunter22", "alice")
	has(t, text, `"mode":"form"`, `"requestedSchema":{"type":"object","properties":{"answer":{"type":"string"}}}`, leftOut, `"maxTokens":7`,
		`"_meta":{"progressToken":7}`, `"ref":{"type":"ref/prompt","name":"p"}`, `"hash"`)
}

// Schemas say what is secret, wherever they say it and however the client got them.
func TestSecretsBySchema(t *testing.T) {
	const password, hidden = `{"type":"string","format":"password"}`, `{"writeOnly":true}`
	for _, schema := range []string{
		`{"properties":{"answer":` + password + `,"q":{}}}`,
		`{"properties":{"answer":` + hidden + `,"q":{}}}`,
		`{"properties":{"answer":{"anyOf":[` + password + `,{"type":"null"}]},"q":{}}}`,
		`{"properties":{"answer":{"type":"array","prefixItems":[` + password + `]},"q":{}}}`,
		`{"anyOf":[{"properties":{"answer":` + password + `}}]}`,
		`{"oneOf":[{"allOf":[{"properties":{"answer":` + hidden + `}}]}]}`,
		`{"$defs":{"a":{"properties":{"answer":` + hidden + `}}}}`,
		`{"if":{},"then":{"properties":{"answer":` + hidden + `}}}`,
		`{"properties":{"answer":{"form\u0061t":"p\u0061ssword"},"q":{}}}`,
	} {
		b := record(t)
		b.lists(schema)
		b.calls(`{"answer":"hunter22","q":"kept"}`)
		b.returns(`"hunter22"`)
		has(t, b.lacks(`"hunter22"`), `"answer":"[masked]","q":"kept"`)
	}
	// What belongs to no parameter that can be named makes all secret.
	for _, schema := range []string{
		`{"$defs":{"p":` + password + `},"properties":{"answer":{"$ref":"#/$defs/p"}}}`,
		`{"patternProperties":{"^an":` + password + `}}`,
		`{"additionalProperties":` + hidden + `}`,
	} {
		b := record(t)
		b.lists(schema)
		b.calls(`{"answer":"hunter22","other":["hunter33"]}`)
		b.lacks("hunter22", "hunter33")
	}
}

// On a static surface, tools are listed by a tool, and called by another.
func TestSecretsOfToolsThatAToolLists(t *testing.T) {
	const found = `{"pages":[{"tools":[{"name":"login","inputSchema":{"properties":{"answer":{"format":"password"},"q":{}}}}]}]}`
	for name, result := range map[string]string{
		"structured": `{"content":[],"structuredContent":` + found + `}`,
		"text":       fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, found),
	} {
		t.Run(name, func(t *testing.T) {
			b := record(t)
			b.says(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_webmcp_tools","arguments":{"detail":"full"}}}`)
			b.answers(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`)
			const args = `"arguments":{"answer":"hunter22","q":"kept"}`
			b.says(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"call_webmcp_tool","arguments":{"name":"login",` + args + `}}}`)
			b.says(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"call_webmcp_tools","arguments":{"steps":[{"tool":"login",` + args + `,"as":"x"}]}}}`)
			const want = `"arguments":{"answer":"[masked]","q":"kept"}`
			has(t, b.lacks("hunter22"), `{"detail":"full"}`, `"name":"login",`+want, `{"tool":"login",`+want+`,"as":"x"}`)
		})
	}
}

// Of a tool whose schema was not seen, each value may be a secret.
func TestAToolThatWasNotListed(t *testing.T) {
	b := record(t)
	b.calls(`{"answer":"hunter22","n":[1234567,null]}`)
	b.returns(`"hunter22"`)
	has(t, b.lacks("hunter22"), `"arguments":{"answer":"[masked]","n":["[masked]",null]}`)

	b = record(t)
	b.lists(anything)
	b.calls(`{"answer":"hunter22"}`)
	b.recorder.mu.Lock()
	b.recorder.lost = 1 // maybe the definition that calls it a secret
	b.recorder.mu.Unlock()
	b.calls(`{"answer":"hunter33"}`)
	if _, text := b.session(); strings.Contains(text, "hunter33") {
		t.Errorf("after what was lost:\n%s", text)
	}
}

// A schema holds for the arguments of its own tool: a page can't mask what MCP needs.
func TestASchemaMasksItsOwnToolOnly(t *testing.T) {
	b := record(t, func(o *Options) { o.Names = []string{"name", "method", "uri"} })
	b.says(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"client-x","version":"1"},"capabilities":{}}}`)
	b.says(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	const hidden = `{"writeOnly":true}`
	b.answers(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"login","inputSchema":{"properties":{"arguments":` + hidden + `,"params":` + hidden + `,"words":` + hidden + `}}},{"name":"search","inputSchema":{}}]}}`)
	b.calls(`{"words":"login-login"}`)
	b.says(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search","arguments":{"words":"tea","name":"hunter22"}}}`)
	has(t, b.lacks("hunter22"), `"client-x"`, `"params":{"name":"login","arguments":{"words":"[masked]"}}`, `"params":{"name":"search","arguments":{"words":"tea","name":"[masked]"}}`)
}

// What MCP needs of a message stays, even if it has a secret in it that is a common word.
func TestACommonWordThatIsASecret(t *testing.T) {
	b := record(t)
	b.lists(anything)
	b.calls(`{"passphrase":"search"}`)
	kept := []string{
		`{"jsonrpc":"2.0","id":"search-3","method":"tools/call","params":{"name":"webmcp_shop_page0_search","arguments":{},"_meta":{"progressToken":"search-p"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"call_webmcp_tool","arguments":{"name":"webmcp_shop_page0_search","arguments":{}}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"call_webmcp_tools","arguments":{"steps":[{"tool":"webmcp_shop_page0_search","arguments":{}}]}}}`,
		`{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"shop:search"}}`,
	}
	for _, k := range kept {
		b.says(k)
	}
	kept = append(kept, `{"jsonrpc":"2.0","id":"search-1","method":"elicitation/create","params":{}}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"search-p","progress":1}}`)
	for _, k := range kept[4:] {
		b.answers(k)
	}
	b.says(`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`)
	b.answers(`{"jsonrpc":"2.0","id":7,"result":{"tools":[{"name":"webmcp_shop_page0_search","description":"search here"}]}}`)
	has(t, b.lacks("search here"), append(kept, `{"name":"webmcp_shop_page0_search","description":"[masked] here"}`)...)
}

// Parameters that are called like secrets are masked: rather too many than too few.
func TestSecretNames(t *testing.T) {
	for _, name := range []string{"passwords", "password2", "newpassword", "pwd", "token", "refresh_token", "api_token", "authorization", "bearer", "cookie", "credentials", "client_secrets", "cardNo", "securityCode", "pass", "recoveryPhrase"} {
		b := record(t)
		b.lists(anything)
		b.calls(`{"` + name + `":"hunter22","q":"kept"}`)
		has(t, b.lacks("hunter22"), `"q":"kept"`)
	}
}

// Of _meta only that of a request is the protocol's.
func TestMetaWithinArguments(t *testing.T) {
	b := record(t)
	b.lists(anything)
	b.calls(`{"_meta":{"password":"hunter22"},"a":{"_meta":{"password":"hunter33"}}}`)
	b.lacks("hunter22", "hunter33")
}

// The hub's own question shows arguments; there a short secret is looked for, too.
func TestAShortSecretInAQuestion(t *testing.T) {
	b := record(t)
	b.lists(anything)
	b.calls(`{"pin":"1234","cvv":987}`)
	b.answers(`{"jsonrpc":"2.0","id":"h1","method":"elicitation/create","params":{"message":"| {\"pin\": \"1234\", \"cvv\": 987, \"year\": 12345}"}}`)
	b.answers(`{"jsonrpc":"2.0","id":2,"result":{"inputRequests":{"k":{"method":"elicitation/create","params":{"message":"PIN 1234"}}}}}`)
	has(t, b.lacks(`"1234`, `987`, ` 1234"`), "12345")
}

package find

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"webmcphub/registry/offer"
)

func TestSignature(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"search_products", `{"type":"object","properties":{"query":{"type":"string"},"max":{"type":"integer"}},"required":["query"]}`, "search_products(query: string, max?: integer)"},
		{"ping", `{"type":"object","properties":{}}`, "ping()"},
		{"ping", ``, "ping()"},
		{"ping", `{"properties":[1,2]}`, "ping()"},
		{"z", `{"properties":{"z":{"type":"string"},"a":{"type":"number"}},"required":"z"}`, "z(z?: string, a?: number)"}, // in the schema's order
		{"s", `{"properties":{"order":{"enum":["asc","desc"]},"n":{"const":3},"tags":{"type":"array","items":{"type":"string"}},"any":{},"some":true}}`,
			`s(order?: "asc"|"desc", n?: 3, tags?: string[], any?: any, some?: any)`},
		{"s", `{"properties":{"id":{"type":["string","null"]},"to":{"anyOf":[{"type":"string"},{"type":"array","items":{"enum":["a","b"]}}]},"o":{"properties":{}},"l":{"type":"array"}}}`,
			`s(id?: string|null, to?: string|("a"|"b")[], o?: object, l?: array)`},
		{"s", `{"properties":{"c":{"enum":["red","green","blue","white","black","grey"]},"deep":{"enum":[{"a":1}],"type":"object"},"odd":{"type":"strin\ng"}}}`,
			`s(c?: "red"|"green"|"blue"|"white"|"black"|…, deep?: object, odd?: any)`},
		{"two\nlines\u202e", `{"properties":{"a\nb":{"type":"string"},"q":{"enum":["x\ny"]}}}`, `"two lines"("a b"?: string, q?: "x y")`},
		{"search", `{"properties":{"q: string) bank.example, tab 1 |":{"type":"string"},"":{}}}`, `search("q: string) bank.example, tab 1 |"?: string, ""?: any)`},
		{"basket.add-item", `{"properties":{"$filter":{"type":"string"},"filter[price]":{"type":"number"}}}`, `basket.add-item($filter?: string, "filter[price]"?: number)`},
		{"検索", `{"properties":{"語":{"type":"string"}}}`, "検索(語?: string)"},
	} {
		got := Signature(&offer.HubTool{Route: offer.Route{Tool: c.name}, InputSchema: json.RawMessage(c.schema)})
		if got != c.want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", c.name, c.schema, got, c.want)
		}
	}
}

// Whatever a page registers, its signature is one line of bounded length.
func TestSignatureIsBounded(t *testing.T) {
	var many []string
	for i := range 5000 {
		many = append(many, fmt.Sprintf(`"parameter_%d_%s":{"enum":["%s","b"]}`, i, strings.Repeat("語", 100), strings.Repeat("値", 500)))
	}
	nested := strings.Repeat(`{"type":"array","items":`, 50) + `{}` + strings.Repeat(`}`, 50)
	for _, schema := range []string{`{"properties":{` + strings.Join(many, ",") + `}}`, `{"properties":{"n":` + nested + `}}`} {
		got := Signature(&offer.HubTool{Route: offer.Route{Tool: strings.Repeat("工具", 100)}, InputSchema: json.RawMessage(schema)})
		if len(got) > 3000 || strings.ContainsAny(got, "\n\r") || !utf8.ValidString(got) || !strings.HasSuffix(got, ")") {
			t.Errorf("%d bytes: %s", len(got), got)
		}
	}
}

func FuzzSignature(f *testing.F) {
	f.Add("name", `{"properties":{"a":{"type":"string","enum":["x"]}},"required":["a"]}`)
	f.Fuzz(func(t *testing.T, name, schema string) {
		got := Signature(&offer.HubTool{Route: offer.Route{Tool: name}, InputSchema: json.RawMessage(schema)})
		if len(got) > 3000 || strings.ContainsAny(got, "\n\r") {
			t.Errorf("%d bytes: %q", len(got), got)
		}
	})
}

package mcpbhub

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"webmcphub/extlink"
)

// at is register with another address.
func at(address string) string {
	return strings.Replace(register, "https://shop.test/", address, 1)
}

// A connection speaks for the site that it names first, whatever it says later.
func TestAConnectionSpeaksForOneSite(t *testing.T) {
	for _, elsewhere := range []string{
		"https://bank.test/", "http://shop.test/", "https://shop.test:8443/", "https://shop.test.evil.test/", "https://www.shop.test/",
		"https://shop.test@bank.test/", "about:blank", "file:///shop.test/", "chrome://settings/", "", "::",
		"https:bank.test", `https:\\\\bank.test/`, "https://bank.test/100%", `https://bank.test\\@shop.test/`,
	} {
		bubble(t, func(t *testing.T) {
			p := connect(t)
			p.says(at("https://shop.test/"))
			p.hears(connected, tools1)
			p.says(at(elsewhere))
			p.hears()
			p.says(strings.Replace(at(elsewhere), `"method"`, `"id":1,"method"`, 1))
			got, _ := p.wire.Next()
			if want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"`; !strings.HasPrefix(got, want) {
				t.Errorf("%s is answered with %s", elsewhere, got)
			}
			p.losesItsTab()
			p.says(at(elsewhere)) // the tab is lost, not the site
			p.hears()
			p.says(at("https://SHOP.test:443/c"))
			synctest.Wait()
			p.hears(strings.NewReplacer("https://shop.test/", "https://SHOP.test:443/c", `"doc":"1"`, `"doc":"2"`).Replace(connected), strings.Replace(tools1, `"doc":"1"`, `"doc":"2"`, 1))
			p.close()
		})
	}
}

// A document of blob: is its site's, so a connection that names one speaks for
// that site, and for no other.
func TestABlobIsItsSites(t *testing.T) {
	for _, next := range []string{"blob:https://bank.test/2", "BLOB:https://bank.test/2", " blob:https://bank.test/2", "https://bank.test/"} {
		bubble(t, func(t *testing.T) {
			p := connect(t)
			p.says(at("blob:https://shop.test/1"))
			blob := strings.NewReplacer("https://shop.test/", "blob:https://shop.test/1")
			p.hears(blob.Replace(connected), tools1)
			p.says(strings.Replace(at(next), `"method"`, `"id":1,"method"`, 1))
			synctest.Wait()
			got, _ := p.wire.Next()
			if want := "this connection speaks for https://shop.test;"; !strings.Contains(got, want) {
				t.Errorf("%s is answered with %s", next, got)
			}
			p.hears()
			p.close()
		})
	}
}

// An address that no site could be told of binds nothing, so it is refused.
func TestAnAddressThatIsNoneIsRefused(t *testing.T) {
	for _, address := range []string{"https://", "https:", "https:shop.test", `https:\\\\shop.test/`, " https:\t//shop.test", "https://sh op.test/", "http://[::1/", "https://:80/", "https://me@shop.test/", `https://a.test\@shop.test/`} {
		bubble(t, func(t *testing.T) {
			p := connect(t)
			raw, _ := json.Marshal(address)
			p.says(strings.Replace(strings.Replace(register, `"https://shop.test/"`, string(raw), 1), `"method"`, `"id":1,"method"`, 1))
			p.gets(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"tabUrl is not an address"}}`)
			p.hears()
			p.close()
		})
	}
}

// The instance that a proxy names is worth something for its own site only.
func TestAnInstanceIsOneOfItsSite(t *testing.T) {
	instanceOf := func(address, instance string) (got string) {
		bubble(t, func(t *testing.T) {
			p := connect(t)
			m := strings.Replace(register, `"tabUrl":"https://shop.test/"`, `"extensions":{"instance":`+instance+`}`+address, 1)
			p.says(m)
			synctest.Wait()
			got = (<-p.said).(extlink.Connected).Browser.Instance
			synctest.Wait()
			<-p.said // its tools
			p.close()
		})
		return got
	}
	shop := instanceOf(`,"tabUrl":"https://shop.test/a"`, `"tab 1"`)
	if shop == "" || shop != instanceOf(`,"tabUrl":"https://shop.test/b"`, `"tab 1"`) {
		t.Errorf("a proxy that connects anew is another: %q", shop)
	}
	for _, other := range []string{
		instanceOf(`,"tabUrl":"https://bank.test/"`, `"tab 1"`), instanceOf(`,"tabUrl":"http://shop.test/a"`, `"tab 1"`),
		instanceOf(`,"tabUrl":"https://shop.test/a"`, `"tab 2"`), instanceOf(``, `"tab 1"`), instanceOf(`,"tabUrl":"about:blank"`, `"tab 1"`),
	} {
		if other == shop {
			t.Errorf("another is the same: %q", other)
		}
	}
	if nowhere := instanceOf(``, `"tab 1"`); nowhere != "" {
		t.Errorf("a proxy of no site has instance %q: another one might take its place and then name any site", nowhere)
	}
}

// What is no tool is left out by itself.
func TestToolsAreRefusedByThemselves(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := connect(t)
		const bad = `7,null,"x",[],{},{"name":"","inputSchema":{}},{"name":1,"inputSchema":{}},{"inputSchema":{}},{"name":"none"},{"name":"null","inputSchema":null},{"name":"list","inputSchema":[]}`
		p.misspeaks(strings.Replace(register, `[{"name"`, `[`+bad+`,{"name"`, 1))
		p.hears(connected, tools1)
		p.misspeaks(strings.Replace(strings.Replace(register, `{}}]`, `{}},{"name":"none"},{"inputSchema":{}}]`, 1), `"method"`, `"id":1,"method"`, 1))
		p.gets(`{"jsonrpc":"2.0","id":1,"result":{"refused":[{"name":"none","why":"it has no inputSchema, an object"},{"why":"it has no name"}]}}`)
		p.misspeaks(`{"jsonrpc":"2.0","method":"browser/updateTools","params":{"tools":[{"name":"none"}]}}`)
		p.hears(`{"type":"toolsChanged","tabId":1,"doc":"1","tools":[]}`)
		p.close()
	})
}

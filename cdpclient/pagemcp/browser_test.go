package pagemcp

import "testing"

// A page's server may declare MCP-B's capabilities where MCP-B has them, and
// where a library leaves room for them; nonsense among them costs only itself.
func TestBrowserCapabilities(t *testing.T) {
	for _, c := range []struct {
		name, capabilities string
		want               BrowserCapabilities
	}{
		{"none", `{"tools":{}}`, BrowserCapabilities{}},
		{"MCP-B's place", `{"tools":{},"browser":{"cacheSupported":true,"elicitation":false}}`, BrowserCapabilities{CacheSupported: true}},
		{"all", `{"browser":{"multiTabSupport":true,"cacheSupported":true,"elicitation":true}}`, BrowserCapabilities{true, true, true}},
		{"experimental", `{"experimental":{"browser":{"elicitation":true}}}`, BrowserCapabilities{Elicitation: true}},
		{"both places", `{"browser":{"cacheSupported":true},"experimental":{"browser":{"elicitation":true}}}`, BrowserCapabilities{CacheSupported: true, Elicitation: true}},
		{"nonsense", `{"browser":{"cacheSupported":"yes","elicitation":true,"more":[]},"experimental":{"browser":7}}`, BrowserCapabilities{Elicitation: true}},
		{"no object", `{"browser":true}`, BrowserCapabilities{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPage(t, Options{}, func(m message, raw string) []string {
				if m.Method == "initialize" {
					return []string{reply(m, `{"protocolVersion":"2025-11-25","capabilities":`+c.capabilities+`,"serverInfo":{"name":"s","version":"1"}}`)}
				}
				return mcpServer(nil)(m, raw)
			})
			if err := p.client.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := p.client.Offers().Browser; got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

package names

import (
	"regexp"
	"strings"
	"testing"
	"webmcphub/registry/sanitize"
)

func TestSanitize(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"getTodos", "getTodos"},                // nothing to do
		{"get-todos", "get_todos"},              // the dash goes too
		{"a.b/c d", "a_b_c_d"},                  // dots, slashes, spaces
		{"Ünïcode", "_n_code"},                  // a letter is a letter only in ASCII
		{"買う", "__"},                            // one underscore for each
		{"🛒", "__"},                             // two UTF-16 units in JavaScript
		{"", ""},                                // the caller refuses it
		{"\x00\n\xff", "___"},                   // controls, and a byte that is no rune
		{"\u0000\ufffd", "__"},                  // the replacement character as itself
		{"__proto__", "__proto__"},              // just a name
		{"A0z9_", "A0z9_"},                      // the edges of the ranges
		{"@[`{/:", "______"},                    // and their neighbours
		{"e\u0301", "e_"},                       // a combining accent by itself
		{"..\u202e..", "_____"},                 // a bidirectional control
		{strings.Repeat("é", 3), "___"},         // bytes don't count, runes do
		{"\U0010ffff\U00010000\uffff", "_____"}, // the edges of the planes
	} {
		if got := Sanitize(c.name); got != c.want {
			t.Errorf("Sanitize(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestExtractDomain(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"https://github.com/a/b", "github_com"},                        // the usual
		{"https://api.github.com", "api_github_com"},                    // subdomain, no path
		{"http://localhost:3000/", "localhost_3000"},                    // localhost keeps its port
		{"http://localhost/", "localhost_80"},                           // default port
		{"https://localhost/", "localhost_80"},                          // as the specification has it: 80 for no port
		{"https://localhost:443/", "localhost_80"},                      // a browser's URL drops the scheme's own port
		{"http://localhost:443/", "localhost_443"},                      // but not another's
		{"http://127.0.0.1:8080/x", "localhost_8080"},                   // the address
		{"http://[::1]:8080/x", "localhost_8080"},                       // in IPv6
		{"http://[2001:db8::1]/", "_2001_db8__1_"},                      // another IPv6 address
		{"http://192.168.0.1:81/", "192_168_0_1"},                       // other ports are left out
		{"https://user:pass@example.com/", "example_com"},               // credentials
		{"HTTPS://EXAMPLE.COM", "example_com"},                          // case
		{"https://my-site.example.", "my_site_example_"},                // dash and trailing dot
		{"https://my_page1_site.example", "my_page1_site_example"},      // an underscore of its own
		{"https://xn--r8jz45g.example/", "xn__r8jz45g_example"},         // how browsers write other scripts
		{"https://例え.example/", "___example"},                           // and if one didn't
		{"https://example.com/100%", "example_com"},                     // a path that Go's parser refuses
		{"https://example.com/%zz?%zz#%zz", "example_com"},              // all over
		{"https://example.com#50%", "example_com"},                      // fragment right after the host
		{"https://example.com?next=http://evil.example", "example_com"}, // a URL inside
		{"chrome-extension://abcdef/x.html", "abcdef"},                  // any scheme with a host
		{"about:blank", "unknown"},                                      // no host
		{"about:blank#http://evil.example", "unknown"},                  // none here either
		{"data:text/html,<a href='http://evil.example'>", "unknown"},    // nor here
		{"blob:https://example.com/123", "unknown"},                     // as JavaScript's hostname: empty
		{"file:///tmp/x.html", "unknown"},                               // a file
		{"//example.com/x", "unknown"},                                  // not a whole URL
		{"example.com", "unknown"},                                      // not a URL
		{"", "unknown"},                                                 // nothing
		{"http://[::1", "unknown"},                                      // broken
		{"http://exa mple/", "unknown"},                                 // broken
	} {
		if got := ExtractDomain(c.url); got != c.want {
			t.Errorf("ExtractDomain(%q) = %q, want %q", c.url, got, c.want)
		}
	}
}

func TestDisplayHost(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"http://localhost:3000/", "localhost:3000"},            // localhost first
		{"http://localhost/", "localhost:80"},                   // its default port too
		{"http://127.0.0.1:8080/", "localhost:8080"},            // as in names
		{"http://[::1]/", "localhost:80"},                       // likewise
		{"https://github.com/a", "github.com"},                  // the usual
		{"https://GitHub.com:8443/", "github.com"},              // other ports are left out
		{"https://my-site.example/", "my-site.example"},         // a dash is no dot
		{"https://my_site.example/", "my_site.example"},         // nor is an underscore
		{"https://accounts-google.com/", "accounts-google.com"}, // which is another site's
		{"https://localhost_3000/", "localhost_3000"},           // not localhost
		{"https://localhost.x/", "localhost.x"},                 // neither
		{"https://xn--r8jz45g.example/", "xn--r8jz45g.example"}, // as browsers write it
		{"http://[2001:db8::1]/", "[2001:db8::1]"},              // another IPv6 address
		{"https://a.example/100%", "a.example"},                 // a path that Go's parser refuses
		{"about:blank", "unknown"},                              // no host
		{"file:///x", "unknown"},                                // nor here
		{"", "unknown"},                                         // nothing
	} {
		if got := DisplayHost(c.url); got != c.want {
			t.Errorf("DisplayHost(%q) = %q, want %q", c.url, got, c.want)
		}
	}
}

func TestToolName(t *testing.T) {
	long := strings.Repeat("long_", 40)
	for _, c := range []struct {
		domain string
		index  int
		tool   string
		max    int
		want   string
	}{
		{"github_com", 1, "searchRepos", 51, "webmcp_github_com_page1_searchRepos"},                      // as it is
		{"a", 0, "b", 32, "webmcp_a_page0_b"},                                                            // the least
		{"a", 0, strings.Repeat("x", 36), 51, "webmcp_a_page0_" + strings.Repeat("x", 36)},               // just fits
		{"a", 0, strings.Repeat("x", 37), 51, "webmcp_a_page0_" + strings.Repeat("x", 29) + "_7217a2"},   // one too long
		{"docs_google_com", 12, long, 51, "webmcp_docs_google_page12_long_long_long_lon_48f074"},         // tool cut, domain down to two fifths
		{"a_very_long_domain_of_an_example_co_uk", 3, "get", 51, "webmcp_a_very_long__page3_get_5aa8bb"}, // domain cut as for any tool
		{"a_very_long_domain_of_an_example_co_uk", 3, long, 32, "webmcp_a_ve_page3_long_lo_158baa"},      // the smallest budget
		{"a", 1234567890, long, 32, "webmcp__page1234567890_lo_e994d8"},                                  // hardly any room
		{"a", 0, "b", 1, "webmcp_a_page0_b"},                                                             // no budget is smaller than MinMaxName
		{"a", 0, "a-b", 51, "webmcp_a_page0_a_b"},                                                        // sanitized
	} {
		got := ToolName(c.domain, c.index, c.tool, c.max)
		if got != c.want {
			t.Errorf("ToolName(%q, %d, %q, %d) = %q, want %q", c.domain, c.index, c.tool, c.max, got, c.want)
		}
		if limit := max(c.max, MinMaxName); len(got) > limit {
			t.Errorf("ToolName(%q, %d, %q, %d) has %d bytes", c.domain, c.index, c.tool, c.max, len(got))
		}
	}
	t.Run("names that differ beyond the cut stay different", func(t *testing.T) {
		if a, b := ToolName("a", 0, long+"1", 51), ToolName("a", 0, long+"2", 51); a == b {
			t.Errorf("both are %s", a)
		}
	})
	t.Run("a site's tools share what their names begin with", func(t *testing.T) {
		const domain = "googlechromelabs_github_io"
		for _, limit := range []int{MinMaxName, 40, DefaultMaxName, 64, 128} {
			prefixes := map[string]bool{}
			for _, tool := range []string{"a", "get_cars", "get_machine_specifications", "get_machine_specifications_of_all", long} {
				name := ToolName(domain, 1, tool, limit)
				prefix, _, _ := strings.Cut(name, "_page1_")
				if full := "webmcp_" + domain + "_page1_" + tool; len(full) <= limit {
					if name != full {
						t.Errorf("%d: %s fits, but is %s", limit, full, name)
					}
					continue
				}
				prefixes[prefix] = true
				if !strings.HasPrefix("webmcp_"+domain, prefix) {
					t.Errorf("%d: %s doesn't begin like those that fit", limit, name)
				}
			}
			if len(prefixes) > 1 {
				t.Errorf("%d: the names begin with %v", limit, prefixes)
			}
		}
		if got := ToolName(domain, 1, "get_machine_specifications", DefaultMaxName); got != "webmcp_googlechrome_page1_get_machine_specif_6adcd0" {
			t.Error(got)
		}
	})
	t.Run("no budget panics", func(t *testing.T) {
		for limit := range 80 {
			if got := ToolName("some_domain", 123456, long, limit); !regexp.MustCompile(`^webmcp_\w*_page123456_\w*$`).MatchString(got) {
				t.Errorf("budget %d: %q", limit, got)
			}
		}
	})
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct{ description, want string }{
		{"Finds things", "[WebMCP • github.com • Page 2] Finds things"},   // the usual
		{"", "[WebMCP • github.com • Page 2] No description"},             // none
		{" \n\t", "[WebMCP • github.com • Page 2] No description"},        // none to see
		{"\u200b\u202e", "[WebMCP • github.com • Page 2] No description"}, // none once clean
	} {
		if got := Describe("github.com", 2, c.description); got != c.want {
			t.Errorf("Describe(%q) = %q, want %q", c.description, got, c.want)
		}
	}
	if n := len(Describe("github.com", 2, strings.Repeat("x", 1<<20))); n > sanitize.MaxDescription+100 {
		t.Errorf("a description of %d bytes", n)
	}
}

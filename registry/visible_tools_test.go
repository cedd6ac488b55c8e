package registry

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// everybody is a client that is shown all tools.
var everybody = VisibleTools{Browser: true, Connect: true, ByName: true}

// Tools that not every client is shown are advised by visible_tools.go alone,
// which knows to whom: no other text that a client may get names them.
func TestOnlyAudienceAdvisesTools(t *testing.T) {
	text := regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"")
	named := regexp.MustCompile(`\b(dis)?connect_webmcp\b|\blist_webmcp_tools\b|\bcall_webmcp_tool\b|\bconnect_browser\b`)
	exempt := map[string]bool{
		"visible_tools.go": true, // the one that knows to whom
		"coretools.go":     true, // in focus: the tools' own names and descriptions
		"view.go":          true, // in focus: names that are kept for them
		"connect.go":       true, // in mcpserver: the tools' own names and descriptions
		"static.go":        true, // likewise
		"instructions.go":  true, // which say how all of a kind of server works
		// likewise, to clients that this server can't serve
		"http_sessionless.go": true,
		"tabs.go":             true, // connect_browser's own answers
	}
	for _, dir := range []string{".", "offer", "focus", "../mcpserver", "../mcpserver/calls", "../actors", "../extlink", "../extlink/mcpbhub", "../cdpclient"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no Go files (%v)", dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || exempt[filepath.Base(file)] {
				continue
			}
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for n, line := range strings.Split(string(source), "\n") {
				code, _, _ := strings.Cut(line, "// ")
				for _, s := range text.FindAllString(code, -1) {
					if found := named.FindString(s); found != "" {
						t.Errorf("%s:%d names %s, which not every client is shown", file, n+1, found)
					}
				}
			}
		}
	}
}

package release

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed plugin/skills/webmcp-hub/SKILL.md
var skill string

// command is how clients start the hub from npm.
func (n names) command(version string, flags ...string) map[string]any {
	pkg := n.NPM
	if version != "" {
		pkg += "@" + version
	}
	return map[string]any{"command": "npx", "args": append([]string{"-y", pkg}, flags...)}
}

// makeExtensions writes the Gemini CLI extension. Gemini CLI takes the file of a release whose name begins with its
// platform, so there is one for each, though all have the same content.
func (r release) makeExtensions() error {
	manifest := encode(map[string]any{
		"name":            "webmcp-hub",
		"version":         r.version,
		"description":     description,
		"contextFileName": "GEMINI.md",
		"mcpServers":      map[string]any{"webmcp": r.command(r.version)},
	})
	files := r.withLicense(
		file{name: "gemini-extension.json", content: manifest},
		file{name: "GEMINI.md", content: []byte(withoutFrontMatter(skill))},
	)
	for _, platform := range []string{"linux", "darwin", "win32"} {
		if err := r.tarball(platform+".webmcp-hub-gemini.tar.gz", "", files); err != nil {
			return err
		}
	}
	return nil
}

func withoutFrontMatter(text string) string {
	_, text, _ = strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
	return strings.TrimSpace(text) + "\n"
}

// writeFiles writes the files of the repository that follow from names.json: what Claude Code's plugin marketplace
// reads, and the install links in README.md.
func writeFiles(root string, n names) error {
	for name, content := range n.files() {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, name), content, 0o644); err != nil {
			return err
		}
	}
	readme := filepath.Join(root, "README.md")
	content, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	return os.WriteFile(readme, n.withLinks(content), 0o644)
}

// files are those of the repository that have nothing but what names.json decides. Claude Code takes a plugin's version
// from the commit, where plugin.json has none.
func (n names) files() map[string][]byte {
	return map[string][]byte{
		".claude-plugin/marketplace.json": encode(map[string]any{
			"name":     "webmcp-hub",
			"owner":    map[string]string{"name": n.Author},
			"metadata": map[string]string{"description": description},
			"plugins": []any{map[string]any{
				"name": "webmcp-hub", "source": "./release/plugin", "description": description,
			}},
		}),
		"release/plugin/.claude-plugin/plugin.json": encode(map[string]any{
			"name":        "webmcp-hub",
			"description": description,
			"author":      map[string]string{"name": n.Author},
			"homepage":    n.Homepage,
			"repository":  n.Homepage,
		}),
		"release/plugin/.mcp.json": encode(map[string]any{"mcpServers": map[string]any{"webmcp": n.command("")}}),
	}
}

// vscodeLink and cursorLink are links that install the hub in an editor. They are https, because GitHub removes links of
// the editors' own schemes from pages.
func (n names) vscodeLink() string {
	config, err := json.Marshal(n.command(""))
	if err != nil {
		panic(err) // strings only
	}
	return "https://vscode.dev/redirect/mcp/install?name=webmcp&config=" + url.QueryEscape(string(config))
}

func (n names) cursorLink() string {
	config, err := json.Marshal(n.command("", "--disable-webmcp-auto-register"))
	if err != nil {
		panic(err) // strings only
	}
	return "https://cursor.com/install-mcp?name=webmcp&config=" +
		url.QueryEscape(base64.StdEncoding.EncodeToString(config))
}

var (
	vscodeLinks = regexp.MustCompile(`https://vscode\.dev/redirect/mcp/install\?[^)\s]*`)
	cursorLinks = regexp.MustCompile(`https://cursor\.com/install-mcp\?[^)\s]*`)
)

// withLinks puts today's links in the place of those that a page has.
func (n names) withLinks(page []byte) []byte {
	page = vscodeLinks.ReplaceAllLiteral(page, []byte(n.vscodeLink()))
	return cursorLinks.ReplaceAllLiteral(page, []byte(n.cursorLink()))
}

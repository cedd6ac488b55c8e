package release

import (
	"crypto/sha256"
	"fmt"
	"os"
)

// A bundle is an .mcpb that has been made.
type bundle struct {
	name string
	sha  string // SHA-256 of its content, in hex
}

// makeBundles writes an .mcpb for each program: a bundle that Claude Desktop installs.
func (r release) makeBundles(built []program) (made []bundle, err error) {
	for _, p := range built {
		content, err := os.ReadFile(p.path)
		if err != nil {
			return nil, err
		}
		zip, err := r.zipped(r.withLicense(
			file{name: "manifest.json", content: encode(r.manifest(p))},
			file{name: "server/" + p.name(), content: content, program: true},
		))
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("webmcp-hub_%s_%s_%s.mcpb", r.version, p.goos, p.goarch)
		made = append(made, bundle{name, fmt.Sprintf("%x", sha256.Sum256(zip))})
		if err := r.write(name, zip); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// manifest is what an .mcpb says about itself. Claude Desktop doesn't follow list_changed, so the hub lists only its own
// tools there.
func (r release) manifest(p program) map[string]any {
	args := []string{"serve", "--disable-webmcp-auto-register", "--automation=${user_config.automation}"}
	config := map[string]any{
		"automation": map[string]any{
			"type": "boolean", "default": false, "title": "Operate any page",
			"description": "Also let Claude see, click and fill in pages that offer no tools.",
		},
		"flags": map[string]any{
			"type": "string", "multiple": true, "default": []string{}, "title": "Further flags",
			"description": "One flag each, for example --allow-origin=https://shop.example or --headless. " +
				"The hub's documentation lists them.",
		},
	}
	if p.goos == "windows" { // where the hub doesn't start Chrome
		args = append(args, "--browser-url=${user_config.browser_url}")
		config["browser_url"] = map[string]any{
			"type": "string", "required": true, "default": "http://127.0.0.1:9222", "title": "Chrome's debugging port",
			"description": "On Windows start Chrome yourself, with --remote-debugging-port=9222 and a --user-data-dir of its own.",
		}
	}
	manifest := map[string]any{
		"manifest_version": "0.3",
		"name":             "webmcp-hub",
		"display_name":     "WebMCP Hub",
		"version":          r.version,
		"description":      description,
		"author":           map[string]string{"name": r.Author},
		"repository":       map[string]string{"type": "git", "url": r.Homepage + ".git"},
		"homepage":         r.Homepage,
		"documentation":    r.Homepage + "/blob/main/docs/clients.md",
		"support":          r.Homepage + "/issues",
		"tools_generated":  true,
		"compatibility":    map[string]any{"platforms": []string{p.platform()}},
		"user_config":      config,
		"server": map[string]any{
			"type":        "binary",
			"entry_point": "server/" + p.name(),
			"mcp_config": map[string]any{
				"command": "${__dirname}/server/" + p.name(),
				"args":    append(args, "${user_config.flags}"),
				"env":     map[string]string{},
			},
		},
	}
	if r.License != "" {
		manifest["license"] = r.License
	}
	return manifest
}

package release

import (
	_ "embed"
	"fmt"
	"os"
	"strings"
)

//go:embed npm/webmcp-hub.js
var launcher []byte

//go:embed npm/README.md
var npmReadme string

// platformPackage is the npm package with the program for one platform.
func (n names) platformPackage(p program) string {
	return fmt.Sprintf("%s-%s-%s", n.NPM, p.platform(), p.cpu())
}

// makeNPM writes the npm packages to DIST/npm: the main one, whose optional dependencies are one package for each
// platform, and those that were built. npm installs only the one for its platform, and runs no script.
func (r release) makeNPM(built []program) error {
	optional := map[string]string{}
	for _, p := range platforms {
		optional[r.platformPackage(p)] = r.version
	}
	main := r.packageJSON(r.NPM, description)
	main["mcpName"] = r.Registry
	main["bin"] = map[string]string{"webmcp-hub": "webmcp-hub.js"}
	main["optionalDependencies"] = optional
	main["engines"] = map[string]string{"node": ">=18"}
	readme := strings.ReplaceAll(npmReadme, "HOMEPAGE", r.Homepage)
	if err := r.tarball(tarballName(r.NPM, r.version), "package/", r.withLicense(
		file{name: "package.json", content: encode(main)},
		file{name: "webmcp-hub.js", content: launcher, program: true},
		file{name: "README.md", content: []byte(readme)},
	)); err != nil {
		return err
	}
	for _, p := range built {
		content, err := os.ReadFile(p.path)
		if err != nil {
			return err
		}
		name := r.platformPackage(p)
		pkg := r.packageJSON(name, fmt.Sprintf("The program of %s for %s on %s.", r.NPM, p.platform(), p.cpu()))
		pkg["os"], pkg["cpu"], pkg["preferUnplugged"] = []string{p.platform()}, []string{p.cpu()}, true
		if err := r.tarball(tarballName(name, r.version), "package/", r.withLicense(
			file{name: "package.json", content: encode(pkg)},
			file{name: "bin/" + p.name(), content: content, program: true},
		)); err != nil {
			return err
		}
	}
	return nil
}

func (r release) packageJSON(name, description string) map[string]any {
	license := r.License
	if license == "" {
		license = "UNLICENSED"
	}
	return map[string]any{
		"name":        name,
		"version":     r.version,
		"description": description,
		"author":      r.Author,
		"license":     license,
		"homepage":    r.Homepage,
		"repository":  map[string]string{"type": "git", "url": "git+" + r.Homepage + ".git"},
	}
}

// tarballName is where npm pack would put a package.
func tarballName(name, version string) string {
	return "npm/" + strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-") + "-" + version + ".tgz"
}

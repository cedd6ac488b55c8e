package release

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed names.json
var namesFile []byte

// description is what stores and registries show. The MCP Registry allows 100 characters.
const description = "Gives your AI agent the tools of the web pages in your browser, by WebMCP."

// names are what the owner of a release decides.
type names struct {
	Owner    string `json:"owner"`    // the GitHub account or organisation
	Author   string `json:"author"`   // who is named as the author
	Email    string `json:"email"`    // where the maintainer of the deb and rpm can be reached
	License  string `json:"license"`  // the SPDX identifier of the file LICENSE
	Homepage string `json:"homepage"` // the repository's page
	NPM      string `json:"npm"`      // the npm package
	Registry string `json:"registry"` // the server's name in the MCP Registry
	Image    string `json:"image"`    // the container image
	Module   string `json:"module"`   // the Go module's path
}

func readNames(content []byte) (n names, err error) {
	decoder := json.NewDecoder(strings.NewReader(string(content)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&n); err != nil {
		return n, fmt.Errorf("release/names.json: %w", err)
	}
	return n, nil
}

// download is where a release's files are downloaded from.
func (n names) download(version, file string) string {
	return fmt.Sprintf("%s/releases/download/v%s/%s", n.Homepage, version, file)
}

// undecided returns what a person must still do before a release can be published.
func (n names) undecided(root, version string) error {
	var todo []error
	for _, field := range []struct{ name, value, placeholder string }{
		{"owner", n.Owner, "OWNER"}, {"author", n.Author, "AUTHOR"}, {"email", n.Email, "author@example.com"},
		{"license", n.License, ""}, {"homepage", n.Homepage, "OWNER"}, {"registry", n.Registry, "OWNER"},
		{"image", n.Image, "OWNER"},
	} {
		if field.value == "" || field.placeholder != "" && strings.Contains(field.value, field.placeholder) {
			todo = append(todo, fmt.Errorf("release/names.json: decide on %q (it is %q)", field.name, field.value))
		}
	}
	if strings.Contains(version, "-") {
		todo = append(todo, fmt.Errorf("tag the commit, as in \"git tag v1.0.0\": its version is %s", version))
	}
	return errors.Join(append(todo, licensed(root, false))...)
}

// licensed returns an error if there is no LICENSE, unless this is allowed.
func licensed(root string, allowed bool) error {
	if _, err := os.Stat(filepath.Join(root, "LICENSE")); err == nil || allowed {
		return nil
	}
	return errors.New("there is no LICENSE, so nobody may use or pass on what you release: choose a licence and add the " +
		"file. To make packages for yourself without one, set ALLOW_NO_LICENSE=1")
}

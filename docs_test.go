package webmcphub_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documents are what newcomers read, from the module's root.
func documents(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.md", "docs/*.md", "bench/*.md", "extension/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// TestDocumentLinks: what a document links to within the project is there,
// the heading included.
func TestDocumentLinks(t *testing.T) {
	links := 0
	for _, document := range documents(t) {
		for _, match := range link.FindAllStringSubmatch(read(t, document), -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, ":") {
				continue
			}
			links++
			file := document
			if target != "" {
				file = filepath.Join(filepath.Dir(document), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s, which isn't there", document, match[1])
				continue
			}
			if anchor != "" && !hasHeading(read(t, file), anchor) {
				t.Errorf("%s links to %s, where no heading is called so", document, match[1])
			}
		}
	}
	if links < 30 {
		t.Errorf("only %d links were found", links)
	}
}

func hasHeading(text, anchor string) bool {
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		slug := regexp.MustCompile(`[^\w -]`).ReplaceAllString(strings.ToLower(h[1]), "")
		if strings.ReplaceAll(slug, " ", "-") == anchor {
			return true
		}
	}
	return false
}

// TestReadmeIsShort: a person with three minutes reads it to the end.
func TestReadmeIsShort(t *testing.T) {
	if lines := strings.Count(read(t, "README.md"), "\n"); lines > 150 {
		t.Errorf("README.md has %d lines; what belongs to one task goes to a page in docs/", lines)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

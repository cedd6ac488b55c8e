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
	for _, pattern := range []string{"*.md", "docs/*.md", "bench/*.md", "deploy/*.md", "extension/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

var (
	link         = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading      = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInAnchors = regexp.MustCompile(`[^\w -]`)
)

// TestDocumentLinks: what a document links to within the project is there,
// the heading included.
func TestDocumentLinks(t *testing.T) {
	links, anchors := 0, map[string]map[string]bool{} // by file
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
			if anchor != "" && anchors[file] == nil {
				anchors[file] = anchorsOf(read(t, file))
			}
			if anchor != "" && !anchors[file][anchor] {
				t.Errorf("%s links to %s, where no heading is called so", document, match[1])
			}
		}
	}
	if links < 30 {
		t.Errorf("only %d links were found", links)
	}
}

// anchorsOf are what a page makes of a document's headings to link to.
func anchorsOf(text string) map[string]bool {
	anchors := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		anchors[strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
	}
	return anchors
}

// TestFolders checks the table of folders in docs/architecture.md: it has one row for each folder in arrows, and the row
// says what arrows says about imports.
func TestFolders(t *testing.T) {
	_, section, _ := strings.Cut(read(t, "docs/architecture.md"), "\n## Folders\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string]bool{}
	for _, line := range strings.Split(section, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !strings.HasPrefix(line, "| `") || len(cells) != 3 {
			continue
		}
		folder := strings.Trim(cells[0], "`")
		rows[folder] = true
		imports := strings.Join(arrows[folder], "`, `")
		switch {
		case folder == "cmd" && cells[2] == "every folder but `bench`":
		case imports == "" && cells[2] == "nothing", "`"+imports+"`" == cells[2]:
		default:
			t.Errorf("the row of %s says that it may import %s; arrows says %q", folder, cells[2], arrows[folder])
		}
	}
	for folder := range arrows {
		if !rows[folder] {
			t.Errorf("docs/architecture.md has no row for %s", folder)
		}
	}
	if len(rows) != len(arrows) {
		t.Errorf("docs/architecture.md has rows for %d folders, not %d", len(rows), len(arrows))
	}
}

// TestGlossary: docs/glossary.md has at most 60 entries, and the folders that it names are there.
func TestGlossary(t *testing.T) {
	entries := 0
	for _, line := range strings.Split(read(t, "docs/glossary.md"), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) != 3 || cells[0] == "word" {
			continue
		}
		entries++
		for _, folder := range strings.Split(cells[2], ", ") {
			if info, err := os.Stat(strings.Trim(folder, "`")); err != nil || !info.IsDir() {
				t.Errorf("%q is said to live in %s, which is no folder", cells[0], folder)
			}
		}
	}
	if entries < 40 || entries > 60 {
		t.Errorf("docs/glossary.md has %d entries", entries)
	}
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

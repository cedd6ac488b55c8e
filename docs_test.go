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

// TestRooms: the table of rooms in docs/architecture.md has one row for each
// package, with what lives there and what it imports, and no other rows.
func TestRooms(t *testing.T) {
	const document = "docs/architecture.md"
	_, section, _ := strings.Cut(read(t, document), "\n## Rooms\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string]int{}
	for _, line := range strings.Split(section, "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(line, " | ")
		room := strings.Trim(cells[0], "| `")
		if rows[room]++; rows[room] > 1 {
			t.Errorf("%s has %d rows for %s", document, rows[room], room)
		}
		if len(cells) != 3 {
			t.Errorf("%s: the row of %s has %d cells, not 3", document, room, len(cells))
		}
	}
	packages := map[string]bool{}
	_, all := sources(t)
	for _, s := range all {
		packages[s.dir] = true
	}
	for dir := range packages {
		if rows[dir] == 0 {
			t.Errorf("%s has no row for the package in %s", document, dir)
		}
	}
	for room := range rows {
		if !packages[room] {
			t.Errorf("%s has a row for %s, which is no package", document, room)
		}
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

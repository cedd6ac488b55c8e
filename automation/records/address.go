package records

import (
	"fmt"
	"strings"
)

// addresses shortens addresses: those of the document's own origin lose their origin.
type addresses struct {
	documents []Document
	origin    string
	announced int // the Seq of the document that was announced last
}

func newAddresses(documents []Document) *addresses {
	a := &addresses{documents: documents}
	if n := len(documents); n > 0 {
		a.origin, a.announced = Origin(documents[n-1].URL), documents[n-1].Seq
		if n > 1 {
			a.announced = 0
		}
	}
	return a
}

// announce writes a line when another document begins, if there are several documents.
func (a *addresses) announce(b *strings.Builder, document int) {
	if len(a.documents) < 2 || document == a.announced {
		return
	}
	a.announced = document
	for i, d := range a.documents {
		if d.Seq == document {
			a.origin = Origin(d.URL)
			now := ""
			if i == len(a.documents)-1 {
				now = " (current)"
			}
			fmt.Fprintf(b, "Document %s%s:\n", line(d.URL, lineURL), now)
		}
	}
}

// short returns an address in at most lineURL bytes.
func (a *addresses) short(address string) string {
	if a.origin != "" {
		if rest, ok := strings.CutPrefix(address, a.origin); ok && strings.HasPrefix(rest, "/") {
			address = rest
		}
	}
	return line(address, lineURL)
}

func (a *addresses) place(url string, row, column int) string {
	if url == "" {
		url = "(no address)"
	}
	s := a.short(url)
	if row > 0 {
		s += fmt.Sprintf(":%d", row)
		if column > 0 {
			s += fmt.Sprintf(":%d", column)
		}
	}
	return s
}

package listing

import (
	"fmt"
	"strings"

	"webmcphub/registry"
	"webmcphub/registry/find"
	"webmcphub/registry/sanitize"
)

// Detail says how much a list shows of each tool.
type Detail string

// The details, from the least on. Each shows in addition to the one before:
const (
	Names     Detail = "names"     // the name to call
	Signature Detail = "signature" // the parameters in one line, and what the tool does in another
	Full      Detail = "full"      // the description and the schema
)

// briefly is the maximum length in bytes of a description in one line.
const briefly = 120

// tool describes a tool.
func (d Detail) tool(t *registry.HubTool) Tool {
	switch d {
	case Names:
		return Tool{Name: t.Name}
	case Signature:
		is := Tool{Name: t.Name, Origin: t.FrameOrigin(), Signature: find.Signature(t)}
		if does := brief(t); does != "" {
			is.Description = &does
		}
		return is
	}
	return full(t)
}

// brief returns a tool's description in one short line, with the hub's marks.
func brief(t *registry.HubTool) string {
	text := t.Description
	if source := t.Source(); source != nil {
		text = source.Description
	}
	line := strings.Join(strings.Fields(sanitize.Text(firstSentence(text), briefly)), " ")
	return t.Mark() + line
}

// firstSentence returns the first sentence of a text, or its first line if the sentence is longer.
func firstSentence(text string) string {
	text = strings.TrimLeft(text[:min(len(text), 1024)], " \t\r\n")
	line, _, _ := strings.Cut(text[:min(len(text), 4*briefly)], "\n")
	if end := strings.Index(line, ". "); end > 0 {
		line = line[:end+1]
	}
	return line
}

// page describes a page without its tools.
func (d Detail) page(t *registry.Tab, r *Request) Page {
	p := head(t, r.To)
	p.Tools, p.Refused = []Tool{}, []Refusal{}
	if d != Full {
		p.URL, p.Title = t.Address.Shown(200), t.ShownTitle(80)
	}
	for i, refused := range t.Refused {
		if r.MaxTokens > 0 && i == maxRefused {
			p.Refused = append(p.Refused, Refusal{"…", fmt.Sprintf("%d more are refused", len(t.Refused)-i)})
			break
		}
		p.Refused = append(p.Refused, Refusal(refused))
	}
	return p
}

// maxRefused is how many of a page's refused tools an answer with a limit shows.
const maxRefused = 10

package find

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// A field is a part of the texts of a tool or its tab. As in BM25F, each of its words counts less the more words there
// are.
type field struct {
	weight  float32
	by      float32 // how much its length matters, from 0 to 1
	usual   float32 // how many words it usually has
	most    int     // how many of its words are read
	joining bool    // adjacent words also count as one, as in log_in
}

// These are the fields of a tool, and those of a tab.
var (
	nameField    = field{weight: 3.2, by: 0.3, usual: 3, most: 16, joining: true}
	titleField   = field{weight: 1, by: 0.4, usual: 3, most: 16}
	textField    = field{weight: 1.8, by: 0.6, usual: 12, most: 100}
	paramField   = field{weight: 1, by: 0.5, usual: 5, most: 48, joining: true}
	commentField = field{weight: 0.6, by: 0.4, usual: 20, most: 100}
	valueField   = field{weight: 0.6, by: 0.3, usual: 8, most: 48}

	hostField  = field{weight: 1.5, by: 0.3, usual: 2, most: 8, joining: true}
	labelField = field{weight: 1.5, by: 0.7, usual: 4, most: 24}
)

// maxTerms is how many terms of one tool are kept, and minTerms how many if its page has very many tools. termsOfPage
// is about how many terms are kept for all tools of a page together.
const (
	maxTerms    = 224
	minTerms    = 28
	termsOfPage = 500 * maxTerms
)

// termsEach returns how many terms are kept of each of a page's tools, so that no page costs more than some hundred
// tools. The number is halved until it fits, so that it changes seldom: each change means reading all tools again.
func termsEach(tools int) int {
	each := maxTerms
	for each > minTerms && each*tools > termsOfPage {
		each /= 2
	}
	return each
}

// content collects the terms of a tool, or of a tab, with their weights. It belongs to one goroutine, which reuses
// it.
type content struct {
	most   int
	weight map[string]float32
	order  []string
	words  []word // of the field that is being added
	named  []word // the words of the name
}

// maxNamed is how many words of a tool's name [Index.named] compares with a query.
const maxNamed = 8

// clear begins a new document with at most most terms.
func (c *content) clear(most int) {
	if c.weight == nil {
		c.weight = map[string]float32{}
	}
	clear(c.weight)
	c.order, c.named, c.most = c.order[:0], c.named[:0], most
}

// tool adds the terms of a tool, the most important first.
func (c *content) tool(t *offer.HubTool, most int) {
	c.clear(most)
	source := t.Source()
	c.add(nameField, sanitize.Text(t.Route.Tool, sanitize.MaxToolName))
	for _, w := range c.words {
		if !w.whole && len(c.named) < maxNamed {
			c.named = append(c.named, w)
		}
	}
	c.add(titleField, sanitize.Text(source.Title, 256))
	if strings.TrimSpace(source.Description) != "" {
		c.add(textField, sanitize.Text(beginningOf(source.Description, 2*sanitize.MaxDescription),
			sanitize.MaxDescription))
	}
	var schemaTexts texts
	schemaTexts.of(t.InputSchema, 0)
	c.add(paramField, schemaTexts.names...)
	c.add(commentField, schemaTexts.comments...)
	c.add(valueField, schemaTexts.values...)
}

// label adds the terms of a tab: its host, without the parts that all hosts have, and its title.
func (c *content) label(host, title string) {
	c.clear(maxTerms)
	host, _, _ = strings.Cut(host, ":")
	parts := strings.Split(strings.TrimPrefix(host, "www."), ".")
	if len(parts) > 1 {
		parts = parts[:len(parts)-1]
	}
	c.add(hostField, parts...)
	c.add(labelField, sanitize.Text(title, 256))
}

// texts are the texts in a schema.
type texts struct{ names, comments, values []string }

// maxSchemaTexts is how many texts of a schema are read, and maxSchemaLevels how many levels.
const (
	maxSchemaTexts  = 64
	maxSchemaLevels = 3
)

func (t *texts) of(raw json.RawMessage, level int) {
	s := readSchema(raw)
	if level > 0 {
		for _, member := range []json.RawMessage{s.Title, s.Description} {
			var text string
			if json.Unmarshal(member, &text) == nil && text != "" && len(t.comments) < maxSchemaTexts {
				t.comments = append(t.comments, text)
			}
		}
		var values []json.RawMessage
		_ = json.Unmarshal(s.Enum, &values)
		for _, v := range values {
			var text string
			if json.Unmarshal(v, &text) == nil && len(t.values) < maxSchemaTexts {
				t.values = append(t.values, text)
			}
		}
	}
	if level == maxSchemaLevels {
		return
	}
	if s.Items != nil {
		t.of(s.Items, level+1)
	}
	for name, raw := range members(s.Properties) {
		if len(t.names) >= maxSchemaTexts {
			return
		}
		t.names = append(t.names, name)
		t.of(raw, level+1)
	}
}

// add adds the terms of a field that has these texts.
func (c *content) add(f field, all ...string) {
	c.words = c.words[:0]
	for _, text := range all {
		before := len(c.words)
		wordsOf(text, func(w word) bool {
			c.words = append(c.words, w)
			return len(c.words) < f.most
		})
		if f.joining {
			c.join(c.words[before:])
		}
		if len(c.words) >= f.most {
			break
		}
	}
	length := float32(0)
	for _, w := range c.words {
		if !w.whole {
			length++
		}
	}
	each := f.weight / (1 - f.by + f.by*length/f.usual)
	for _, w := range c.words {
		if w.whole {
			c.term(w.text, each/2)
			continue
		}
		c.term(stem(w.text), each)
		for _, beginning := range beginnings(w.text) {
			c.term(beginning, each)
		}
	}
}

// join adds compounds of several words: each pair of adjacent words, and all words together.
func (c *content) join(words []word) {
	var parts []string
	for _, w := range words {
		if !w.whole && kindOf(firstRune(w.text)) == spaced {
			parts = append(parts, w.text)
		}
	}
	if len(parts) > 6 {
		return
	}
	for i := 1; i < len(parts); i++ {
		c.words = append(c.words, word{parts[i-1] + parts[i], 1, true})
	}
	if len(parts) > 2 {
		c.words = append(c.words, word{strings.Join(parts, ""), 1, true})
	}
}

func firstRune(text string) rune {
	for _, r := range text {
		return r
	}
	return 0
}

func (c *content) term(text string, weight float32) {
	if was, has := c.weight[text]; has {
		c.weight[text] = was + weight
		return
	}
	if len(c.order) < c.most {
		c.weight[text] = weight
		c.order = append(c.order, text)
	}
}

// beginningMark begins the term for words that begin alike. No word contains it.
const beginningMark = "~"

// beginnings returns terms that a word shares with other words that begin alike. Those are often forms of one word,
// in any language that changes the ends of words.
func beginnings(text string) (terms []string) {
	if !ascii(text) {
		text = stem(text)
	}
	n := utf8.RuneCountInString(text)
	if kindOf(firstRune(text)) != spaced || n < 4 {
		return nil
	}
	if ascii(text) {
		if n >= 5 {
			terms = append(terms, beginningMark+text[:5])
		}
		return terms
	}
	terms = append(terms, beginningMark+firstRunes(text, 4))
	if n >= 5 {
		terms = append(terms, beginningMark+firstRunes(text, 5))
	}
	return terms
}

func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// beginningOf returns a text's beginning, of at most max bytes.
func beginningOf(text string, max int) string {
	if len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max]
}

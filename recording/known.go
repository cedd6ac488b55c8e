package recording

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"webmcphub/internal/jsonrpc"
	"webmcphub/internal/mask"
)

// A secret that a later message repeats is masked there, too: the last maxSecrets of each kind, except those so short
// that they would be found by chance.
const (
	maxSecrets = 64
	minSecret  = 6
	// maxNested is how many levels of JSON within JSON strings are parsed.
	maxNested = 3
)

// known masks the secrets in messages: those that the masker finds, and the values of earlier ones.
type known struct {
	masker  mask.Masker
	sure    []secret
	guessed []secret // of parameters about which nothing is known
	short   []secret // searched for in questions only, as whole words

	// texts masks all but the short ones in a text, the longest first; nil if there are none.
	texts  *strings.Replacer
	tokens map[string]bool // the same values, for comparison with numbers
}

// secret is one value, with the spellings in which a text may contain it, the longest first.
type secret struct {
	text      string
	spellings []string
}

// learn remembers the texts and numbers of a value.
func (k *known) learn(v json.RawMessage, sure bool) {
	switch {
	case len(v) == 0:
	case v[0] == '{':
		for _, is := range jsonrpc.Members(v) {
			k.learn(is, sure)
		}
	case v[0] == '[':
		for is := range jsonrpc.Elements(v) {
			k.learn(is, sure)
		}
	case v[0] == '"':
		text, _ := jsonrpc.Text(v)
		k.add(text, sure)
	case v[0] == '-' || v[0] >= '0' && v[0] <= '9':
		k.add(string(v), sure)
	}
}

func (k *known) add(text string, sure bool) {
	to := &k.guessed
	switch {
	case strings.TrimSpace(text) == "" || strings.Contains(Masked, text):
		return
	case len(text) < minSecret && !sure:
		return
	case len(text) < minSecret:
		to = &k.short
	case sure:
		to = &k.sure
	}
	if slices.ContainsFunc(*to, func(s secret) bool { return s.text == text }) {
		return
	}
	all := append(*to, secret{strings.Clone(text), spellings(text)})
	*to = slices.Clone(all[max(0, len(all)-maxSecrets):])
	if to != &k.short {
		k.compile()
	}
}

func (k *known) compile() {
	var all []string
	k.tokens = map[string]bool{}
	for _, s := range slices.Concat(k.sure, k.guessed) {
		all = append(all, s.spellings...)
		k.tokens[s.text] = true
	}
	slices.SortFunc(all, longest)
	var pairs []string
	for _, is := range slices.Compact(all) {
		pairs = append(pairs, is, Masked)
	}
	k.texts = strings.NewReplacer(pairs...)
}

func longest(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }

// spellings returns the ways in which a text within a text may spell a value.
func spellings(text string) []string {
	inner := func(raw []byte) string { return string(raw[1 : len(raw)-1]) }
	marshaled, _ := json.Marshal(text)
	all := []string{text, inner(jsonrpc.MustEncode(text)), inner(marshaled), inner([]byte(strconv.QuoteToASCII(text))),
		ascii(text), url.QueryEscape(text), url.PathEscape(text), html.EscapeString(text)}
	slices.SortFunc(all, longest)
	return slices.Compact(all)
}

// ascii returns a text as JSON writes it in ASCII only.
func ascii(text string) string {
	var b strings.Builder
	raw := jsonrpc.MustEncode(text)
	for _, r := range string(raw[1 : len(raw)-1]) {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			b.WriteString(`\u` + strconv.FormatInt(0x10000+int64(unit), 16)[1:])
		}
	}
	return b.String()
}

// mask masks the secrets in the value of a member, except the names of members, which readers of results look up. A
// value without secrets keeps the same bytes.
func (k *known) mask(name string, v json.RawMessage, depth int) json.RawMessage {
	return k.value(name, v, depth, 0)
}

// value is mask for JSON within nested texts.
func (k *known) value(name string, v json.RawMessage, depth, nested int) json.RawMessage {
	switch {
	case len(v) == 0:
		return v
	case depth > deepest:
		return maskedJSON
	case v[0] == '{':
		return jsonrpc.Rewrite(v, func(name string, is json.RawMessage) json.RawMessage {
			return k.value(name, is, depth+1, nested)
		})
	case v[0] == '[':
		return jsonrpc.RewriteEach(v, func(is json.RawMessage) json.RawMessage { return k.value(name, is, depth+1, nested) })
	case v[0] == '"':
		text, _ := jsonrpc.Text(v)
		if k.masker.IsSecretMember(name, text) {
			return maskedJSON
		}
		if now := k.text(text, nested); now != text {
			return jsonrpc.MustEncode(now)
		}
		return v
	}
	if number := string(v); k.tokens[number] || k.masker.IsSecretMember(name, number) || k.masker.Text(number) != number {
		return maskedJSON
	}
	return v
}

// text masks the secrets in a text. A text that is JSON is parsed, so that it stays JSON.
func (k *known) text(text string, nested int) string {
	if begin := strings.TrimSpace(text); nested < maxNested && begin != "" && (begin[0] == '{' || begin[0] == '[') &&
		json.Valid([]byte(begin)) {
		is := json.RawMessage(begin)
		now := k.value("", is, 0, nested+1)
		if bytes.Equal(now, is) {
			return text
		}
		return string(now)
	}
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		return k.address(text)
	}
	if k.texts != nil {
		text = k.texts.Replace(text)
	}
	return k.masker.Text(text)
}

// address masks the secrets in an address. It keeps where the address leads, its origin, so that a replay and a journey
// can go there. If the address as a whole is a secret, the values of its query are masked.
func (k *known) address(text string) string {
	path, query, _ := strings.Cut(text, "?")
	path, _, _ = strings.Cut(path, "#")
	slashes := strings.Index(path, "//") + len("//")
	host := len(path)
	if n := strings.Index(path[slashes:], "/"); n >= 0 {
		host = slashes + n
	}
	if k.texts == nil {
		return k.masker.Address(text)
	}
	if !strings.HasPrefix(k.texts.Replace(text), path[:host]) {
		query, _, _ = strings.Cut(query, "#")
		if query != "" {
			query = "?" + mask.AllValues(query)
		}
		return k.masker.Text(path[:host] + k.texts.Replace(path[host:]) + query)
	}
	return k.masker.Address(path[:host] + k.texts.Replace(text[host:]))
}

// question masks the text of a question. It also masks secrets that are too short to search for elsewhere, where they
// are words of their own.
func (k *known) question(v json.RawMessage) json.RawMessage {
	switch {
	case len(v) == 0 || len(k.short) == 0:
		return v
	case v[0] == '{':
		return jsonrpc.Rewrite(v, func(_ string, is json.RawMessage) json.RawMessage { return k.question(is) })
	case v[0] == '[':
		return jsonrpc.RewriteEach(v, k.question)
	}
	text, ok := jsonrpc.Text(v)
	if !ok {
		return v
	}
	now := text
	for _, s := range k.short {
		for _, is := range s.spellings {
			now = replaceWord(now, is)
		}
	}
	if now == text {
		return v
	}
	return jsonrpc.MustEncode(now)
}

// replaceWord masks a text where no letter or digit is beside it.
func replaceWord(in, word string) string {
	var b strings.Builder
	for {
		i := strings.Index(in, word)
		if i < 0 {
			return b.String() + in
		}
		end := i + len(word)
		if i > 0 && wordly(in[i-1]) && wordly(word[0]) || end < len(in) && wordly(in[end]) &&
			wordly(word[len(word)-1]) {
			b.WriteString(in[:i+1])
			in = in[i+1:]
			continue
		}
		b.WriteString(in[:i] + Masked)
		in = in[end:]
	}
}

func wordly(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

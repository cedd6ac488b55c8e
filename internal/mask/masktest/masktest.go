// Package masktest makes secrets, for tests of code that must not write secrets.
package masktest

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"

	"pgregory.net/rapid"

	"webmcphub/internal/mask"
)

const (
	alnum = "[A-Za-z0-9]"
	word  = "[A-Za-z0-9_-]"
)

// Secret draws a secret of a shape that package mask knows, such as a card's number or a key of a service.
func Secret(t *rapid.T) string {
	switch rapid.SampledFrom([]string{"card", "jwt", "key", "key", "key", "pem", "random"}).Draw(t, "shape") {
	case "card":
		return card(t)
	case "jwt":
		part := func(least string) string { return "eyJ" + rapid.StringMatching(word+"{20,60}").Draw(t, least) }
		return part("header") + "." + part("claims") + "." + rapid.StringMatching(word+"{20,86}").Draw(t, "signature")
	case "pem":
		kind := rapid.SampledFrom([]string{"", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "}).Draw(t, "kind")
		body := base64.StdEncoding.EncodeToString(rapid.SliceOfN(rapid.Byte(), 60, 90).Draw(t, "body"))
		return "-----BEGIN " + kind + "PRIVATE KEY-----\n" + body + "\n-----END " + kind + "PRIVATE KEY-----"
	case "random":
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var key []byte
		for range 10 { // each block has an upper-case letter, a lower-case one and a digit, as most random texts do
			key = append(key, byte('A'+r.IntN(26)), byte('0'+r.IntN(10)), byte('a'+r.IntN(26)), byte('A'+r.IntN(26)))
		}
		return string(key)
	}
	rule := rapid.SampledFrom(mask.Rules()).Draw(t, "rule")
	of := map[string]string{"hex": "[0-9a-f]", "up": "[A-Z0-9]", "alnum": alnum, "word": word,
		"b64": "[A-Za-z0-9+/]", "dot": "[A-Za-z0-9_-]"}[rule.Characters]
	// One digit in front, because what has none is made of words.
	return rule.Prefix + "7" + rapid.StringMatching(fmt.Sprintf("%s{%d}", of, rule.Least-1)).Draw(t, "key")
}

// card draws a valid number of a payment card, written in one of the usual ways.
func card(t *rapid.T) string {
	network := rapid.SampledFrom([]struct {
		prefix string
		n      int
	}{{"4", 16}, {"51", 16}, {"2720", 16}, {"34", 15}, {"6011", 16}, {"3530", 16}, {"62", 16}, {"36", 14}}).Draw(t, "network")
	digits := network.prefix + rapid.StringMatching(fmt.Sprintf("[0-9]{%d}", network.n-1-len(network.prefix))).Draw(t, "digits")
	sum := 0
	for i := range len(digits) {
		v := int(digits[len(digits)-1-i] - '0')
		if i%2 == 0 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	digits += string(rune('0' + (10-sum%10)%10))
	apart := rapid.SampledFrom([]string{"", " ", "-"}).Draw(t, "between")
	sizes := map[int][]int{14: {4, 6, 4}, 15: {4, 6, 5}, 16: {4, 4, 4, 4}}[len(digits)]
	var groups []string
	for _, n := range sizes {
		groups = append(groups, digits[:n])
		digits = digits[n:]
	}
	return strings.Join(groups, apart)
}

// Around draws a text with a secret in it.
func Around(t *rapid.T, secret string) string {
	in := rapid.SampledFrom([]string{"%s", "it is %s, yes", "(%s)", "a=%s&b=1", "\"%s\"", "x\n%s\ny", "<b>%s</b>", "kept: %s"}).
		Draw(t, "around")
	return strings.ReplaceAll(in, "%s", secret)
}

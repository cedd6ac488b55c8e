// Package wording splits the names of tools and parameters into words, whatever joins them: userName, user_name and
// user-name are "user name". It also words what several commands say alike ([Count], [DidYouMean]).
package wording

import (
	"fmt"
	"regexp"
	"strings"
)

// Words returns the words of a name: "addToCart", "add_to-cart" and "add.to.cart" have the same.
func Words(name string) (all []string) {
	var b strings.Builder
	end := func() {
		if b.Len() > 0 {
			all = append(all, strings.ToLower(b.String()))
			b.Reset()
		}
	}
	letters := []rune(name)
	for i, r := range letters {
		switch {
		case r == '_' || r == '-' || r == '.' || r == ' ':
			end()
			continue
		case isUpper(r) && i > 0 && (!isUpper(letters[i-1]) || i+1 < len(letters) && isLower(letters[i+1])):
			end()
		}
		b.WriteRune(r)
	}
	end()
	return all
}

func isUpper(r rune) bool { return r >= 'A' && r <= 'Z' }
func isLower(r rune) bool { return r >= 'a' && r <= 'z' }

var secrets = regexp.MustCompile(`\b(password|passwd|passcode|passphrase|pin|cvv|cvc|ssn|secret|api key|apikey|private key|access token|auth token|card number|cardnumber|credit card|iban|otp)\b`)

// Count returns a number with a noun: "1 page", "2 pages".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Secret reports whether something of this name should be kept secret.
func Secret(name string) bool { return secrets.MatchString(strings.Join(Words(name), " ")) }

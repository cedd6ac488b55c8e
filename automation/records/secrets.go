package records

import (
	"fmt"
	"slices"
	"strings"
)

// hidden returns the replacement for a secret. It leaves a replacement as it is.
func hidden(secret string) string {
	if strings.HasPrefix(secret, "[hidden, ") && strings.HasSuffix(secret, " bytes]") {
		return secret
	}
	return fmt.Sprintf("[hidden, %d bytes]", len(secret))
}

// withoutSecrets returns the value of a header without what would let others act as the user. Cookies keep their
// names and attributes, and credentials keep their scheme. name is in lower case.
func withoutSecrets(name, value string) string {
	switch name {
	case "cookie":
		pairs := strings.Split(value, ";")
		for i, pair := range pairs {
			pairs[i] = cookie(pair)
		}
		return strings.Join(pairs, "; ")
	case "set-cookie":
		pair, attributes, more := strings.Cut(value, ";")
		if pair = cookie(pair); more {
			pair += ";" + attributes
		}
		return pair
	case "authorization", "proxy-authorization":
		scheme, secret, _ := strings.Cut(value, " ")
		if secret != "" && slices.Contains(schemes, strings.ToLower(scheme)) {
			return scheme + " " + hidden(secret)
		}
		return hidden(value)
	}
	return value
}

// schemes are the schemes of HTTP authentication that browsers and scripts use. Another first word may be part of the
// secret.
var schemes = []string{"basic", "bearer", "digest", "dpop", "negotiate", "ntlm", "token"}

// cookie returns a cookie's name, with the length of its value. A cookie without a name is all value.
func cookie(pair string) string {
	pair = strings.TrimSpace(pair)
	name, value, named := strings.Cut(pair, "=")
	if !named {
		return hidden(pair)
	}
	return name + "=" + hidden(value)
}

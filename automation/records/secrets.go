package records

import (
	"fmt"
	"slices"
	"strings"
)

// hidden stands for a secret; what stands for one already is left as it is.
func hidden(secret string) string {
	if strings.HasPrefix(secret, "[hidden, ") && strings.HasSuffix(secret, " bytes]") {
		return secret
	}
	return fmt.Sprintf("[hidden, %d bytes]", len(secret))
}

// withoutSecrets is the value of a header without what would let others act as the user:
// cookies keep their names and attributes, and what authorizes keeps its scheme. name is in
// lower case.
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

// schemes are those of HTTP authentication that browsers and scripts use. Another first word
// may be part of the secret.
var schemes = []string{"basic", "bearer", "digest", "dpop", "negotiate", "ntlm", "token"}

// cookie is a cookie's name with how long its value is. What has no name is all value.
func cookie(pair string) string {
	pair = strings.TrimSpace(pair)
	name, value, named := strings.Cut(pair, "=")
	if !named {
		return hidden(pair)
	}
	return name + "=" + hidden(value)
}

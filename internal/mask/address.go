package mask

import (
	"net/url"
	"strings"
)

// Address returns an address without a password, with secrets masked in the values of its query and its fragment. Where
// it leads, its origin and its path, stays, but for secrets in the path. A text that is no address with a host is
// masked as any text.
func (m *Masker) Address(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return m.Text(s)
	}
	head, fragment, hasFragment := strings.Cut(s, "#")
	head, query, hasQuery := strings.Cut(head, "?")
	out := m.Text(head)
	if hasQuery {
		out += "?" + m.Query(query, Masked)
	}
	if hasFragment {
		out += "#" + m.Query(fragment, Masked)
	}
	return out
}

// Query returns a query with the values of secret parameters replaced.
func (m *Masker) Query(query, by string) string {
	if query == "" {
		return query
	}
	var out strings.Builder
	for rest := query; rest != ""; {
		end := strings.IndexAny(rest, "&;")
		pair, separator := rest, ""
		if end >= 0 {
			pair, separator = rest[:end], rest[end:end+1]
		}
		rest = rest[len(pair)+len(separator):]
		out.WriteString(m.pair(pair, by))
		out.WriteString(separator)
	}
	return out.String()
}

// AllValues returns a query with all its values masked.
func AllValues(query string) string {
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		if name, _, is := strings.Cut(pair, "="); is {
			pairs[i] = name + "=" + Masked
		} else {
			pairs[i] = Masked
		}
	}
	return strings.Join(pairs, "&")
}

// pair masks one parameter of a query.
func (m *Masker) pair(pair, by string) string {
	name, value, is := strings.Cut(pair, "=")
	if !is {
		return m.Text(pair)
	}
	if value == "" {
		return pair
	}
	plainName, err := url.QueryUnescape(name)
	plain, bad := url.QueryUnescape(value)
	count := len(value) < 3 && span(value, digit) == len(value) // as in tokens=3
	if err != nil || (QueryName(plainName) || m.Name(plainName)) && !count {
		return name + "=" + by
	}
	if bad != nil {
		plain = value
	}
	if m.Text(value) != value || m.Text(plain) != plain || Likely(plainName, plain) {
		return name + "=" + by
	}
	return pair
}

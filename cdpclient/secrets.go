package cdpclient

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Errors may mention a browser's address and its server's answers. They are logged and shown to agents, and both may
// hold secrets: a token in the query, a password, a header.

// Place returns an address without its user and query: scheme, host, port and path. It may be called from any
// goroutine.
func Place(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "an address that can't be read"
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}

// unplaced returns an error without the address that package net/http adds.
func unplaced(err error) error {
	if with, ok := errors.AsType[*url.Error](err); ok {
		return with.Err
	}
	return err
}

const (
	// maxErrorText is the maximum length in bytes of a server's text in an error.
	maxErrorText = 300
	// minWord is how long a word of a secret must be, in bytes, to count as a secret itself.
	minWord = 4
)

// secrets are texts that no error may contain.
type secrets []string

// secretsOf returns the secrets in a request to a server.
func secretsOf(address string, header http.Header) (all secrets) {
	for _, values := range header {
		all.add(values...)
	}
	u, err := url.Parse(address)
	if err != nil {
		return all
	}
	if u.User != nil {
		password, _ := u.User.Password()
		all.add(u.User.Username(), password, u.User.String(),
			base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)))
	}
	all.add(strings.FieldsFunc(u.RawQuery, func(r rune) bool { return r == '&' || r == '=' })...)
	for _, values := range u.Query() {
		all.add(values...)
	}
	return all
}

// add adds texts, and their words: a server may repeat only the second word of "Bearer abc".
func (s *secrets) add(texts ...string) {
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			*s = append(*s, text)
		}
		for _, word := range strings.FieldsFunc(text,
			func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`=,;:"'`, r) }) {
			if len(word) >= minWord {
				*s = append(*s, word)
			}
		}
	}
}

// tell returns a server's text for an error, or "" if the text is long, not plain, or contains a secret.
func (s secrets) tell(text []byte) string {
	trimmed := strings.TrimSpace(string(text))
	plain := utf8.ValidString(trimmed) && !strings.ContainsFunc(trimmed, func(r rune) bool {
		return r == '<' || !unicode.IsPrint(r) && !unicode.IsSpace(r)
	})
	if len(text) > maxErrorText || !plain {
		return ""
	}
	lower := strings.ToLower(trimmed)
	for _, secret := range s {
		if strings.Contains(lower, strings.ToLower(secret)) {
			return ""
		}
	}
	return strings.Join(strings.Fields(trimmed), " ")
}

// ErrorText returns a server's text for an error, or "" if the text is long, not plain, or repeats a part of the
// address's user or query or of the header in the request. It may be called from any goroutine.
func ErrorText(text, address string, header http.Header) string {
	return secretsOf(address, header).tell([]byte(text))
}

package browsers

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/net/http/httpguts"

	"webmcphub/internal/private"
	"webmcphub/internal/settings"
)

// secret is a header whose value may be in a file or in an environment variable. The value is read each time that the
// header is sent, so a replaced value takes effect at once.
type secret struct {
	name  string
	value string // used if file and env are empty
	file  string // its whole content is the value, without the line end
	env   string // an environment variable; used if file is empty
}

// maxHeader is how long a header's value may be, in bytes.
const maxHeader = 16 << 10

// read returns the value. Its errors don't contain the value.
func (s secret) read() (value string, err error) {
	if s.file != "" {
		text, err := private.ReadTrusted(s.file, maxHeader)
		if err != nil {
			return "", fmt.Errorf("the header %s can't be read: %w", s.name, err)
		}
		value = strings.TrimRight(string(text), "\r\n")
	} else if s.env == "" {
		value = s.value
	} else if value = os.Getenv(s.env); value == "" {
		return "", fmt.Errorf("the header %s can't be read: the environment variable that its env names is not set", s.name) // env may be the value itself, by mistake
	}
	if !httpguts.ValidHeaderFieldValue(value) {
		return "", fmt.Errorf("the value of the header %s has characters that no header may have, such as a line's end",
			s.name)
	}
	return value, nil
}

// key returns a text that tells s from other secrets, without its value.
func (s secret) key() string { return s.name + "\x00" + s.file + "\x00" + s.env }

// headersIn reads a mapping from header names to the places of their values.
func headersIn(n *yaml.Node, folder string) (all []secret, err error) {
	const want = "headers have where their values are, such as \"Authorization: {file: /run/secrets/grid}\" or " +
		"\"Authorization: {env: GRID_TOKEN}\""
	if n.Kind != yaml.MappingNode {
		return nil, settings.ErrorAt(n, want)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, from := n.Content[i].Value, n.Content[i+1]
		if !httpguts.ValidHeaderFieldName(name) {
			return nil, settings.ErrorAt(n.Content[i], "%s is no name of a header", keyIn(n.Content[i]))
		}
		if from.Kind != yaml.MappingNode || len(from.Content) != 2 {
			return nil, settings.ErrorAt(from, want)
		}
		s := secret{name: name}
		where, err := scalar(from.Content[1])
		switch kind := from.Content[0].Value; {
		case err != nil:
			return nil, err
		case where == "":
			return nil, settings.ErrorAt(from, want)
		case kind == "file" && filepath.IsAbs(where):
			s.file = where
		case kind == "file":
			s.file = filepath.Join(folder, where)
		case kind == "env" && private.IsVariable(where): // anything else may be the value itself, which no error may repeat
			s.env = where
		default:
			return nil, settings.ErrorAt(from, want)
		}
		all = append(all, s)
	}
	return all, nil
}

// header returns the header of the websocket's handshake.
func (e Endpoint) header() (http.Header, error) {
	h, err := Headers(e.Header)
	if err != nil {
		return nil, err
	}
	return headerOf(h, e.secrets)
}

// headerOf adds secrets to h, which may be nil.
func headerOf(h http.Header, secrets []secret) (http.Header, error) {
	if h == nil && len(secrets) > 0 {
		h = http.Header{}
	}
	for _, s := range secrets {
		value, err := s.read()
		if err != nil {
			return nil, err
		}
		h.Add(s.name, value)
	}
	return h, nil
}

// Headers reads lines such as "Name: value".
func Headers(lines []string) (http.Header, error) {
	if lines == nil {
		return nil, nil
	}
	h := http.Header{}
	for _, l := range lines {
		name, value, ok := strings.Cut(l, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, errors.New("--ws-header must look like \"Name: value\"")
		}
		h.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return h, nil
}

// HeadersFrom reads the lines of a flag, such as "Name: value", "Name: {file: PATH}" or "Name: {env: NAME}". The
// returned function reads the files and the environment at each call; it may be called from any goroutine. No error
// contains a value.
func HeadersFrom(flag string, lines []string) (func() (http.Header, error), error) {
	var all []secret
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || !httpguts.ValidHeaderFieldName(name) {
			return nil, fmt.Errorf("%s must look like \"Name: value\" or \"Name: {file: PATH}\"", flag)
		}
		if !strings.HasPrefix(value, "{") {
			all = append(all, secret{name: name, value: value})
			continue
		}
		var doc yaml.Node
		if yaml.Unmarshal([]byte(name+": "+value), &doc) != nil || len(doc.Content) != 1 ||
			doc.Content[0].Kind != yaml.MappingNode {
			return nil, fmt.Errorf("%s: the value of %s can't be read; one that begins with { must look like {file: "+
				"PATH} or {env: NAME}", flag, name)
		}
		from, err := headersIn(doc.Content[0], ".")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		all = append(all, from...)
	}
	return func() (http.Header, error) { return headerOf(nil, all) }, nil
}

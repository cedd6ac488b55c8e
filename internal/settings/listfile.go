package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"webmcphub/registry/sanitize"
)

// ListItems returns the items of the list under key in a file's text, in order. The file must have nothing else; the
// list may be empty.
func ListItems(text []byte, key string) ([]*yaml.Node, error) {
	want := fmt.Sprintf(`there must be "%s:" and a list of %[1]s, which may be []`, key)
	var doc yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	switch err := decoder.Decode(&doc); {
	case err == io.EOF:
		return nil, errors.New("line 1: the file is empty; " + want)
	case err != nil:
		return nil, errors.New(sanitize.Text(strings.TrimPrefix(err.Error(), "yaml: "), 300))
	}
	if decoder.Decode(new(yaml.Node)) != io.EOF {
		return nil, errors.New("the file has more than one document (---), and only the first would count")
	}
	root := doc.Content[0]
	switch {
	case root.Kind != yaml.MappingNode || len(root.Content) != 2 || root.Content[0].Value != key:
		return nil, ErrorAt(root, "%s, and nothing else", want)
	case root.Content[1].Kind != yaml.SequenceNode:
		return nil, ErrorAt(root.Content[1], "%s must be a list", key)
	}
	return root.Content[1].Content, nil
}

// ErrorAt returns an error that begins with the node's line.
func ErrorAt(node *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", node.Line, fmt.Errorf(format, args...))
}

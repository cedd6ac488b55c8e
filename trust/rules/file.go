package rules

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"webmcphub/internal/private"
	"webmcphub/internal/settings"
)

// MaxFileSize is the maximum size of a file in bytes.
const MaxFileSize = 1 << 20

// ReadFile reads a file's rules, in order. The file must belong to the user or to the system, and nobody else may be
// allowed to write it.
func ReadFile(path string) ([]*Rule, error) {
	text, err := private.ReadTrusted(path, MaxFileSize)
	if err != nil {
		return nil, err
	}
	all, err := ParseFile(text, filepath.Base(path))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}

// ParseFile reads the text of a file; name is the file's name in the rules' Source. Errors begin with the line.
func ParseFile(text []byte, name string) ([]*Rule, error) {
	list, err := settings.ListItems(text, "rules")
	if err != nil {
		return nil, err
	}
	var all []*Rule
	for _, item := range list {
		r, err := rule(item, name)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	if len(all) > MaxRules {
		return nil, fmt.Errorf("%d rules are too many; there may be %d", len(all), MaxRules)
	}
	return all, nil
}

// rule reads one item.
func rule(item *yaml.Node, name string) (*Rule, error) {
	if item.Kind != yaml.MappingNode || len(item.Content) != 2 {
		at := item
		if item.Kind == yaml.MappingNode && len(item.Content) > 2 {
			at = item.Content[2] // the second key
		}
		return nil, settings.ErrorAt(at, "a rule is allow, ask or deny, a colon, and its conditions, such as \"- deny: "+
			"https://*.bank.example\"")
	}
	key, value := item.Content[0], item.Content[1]
	outcome, err := ParseOutcome(key.Value)
	if err != nil {
		return nil, settings.ErrorAt(key, "%w", err)
	}
	text := value.Value
	switch value.Kind {
	case yaml.ScalarNode:
	case yaml.MappingNode:
		if text, err = line(value); err != nil {
			return nil, err
		}
	default:
		return nil, settings.ErrorAt(value, "a rule's conditions are one line, or a mapping from %s to values", listed(""))
	}
	r, err := Parse(outcome, text, name+", line "+strconv.Itoa(key.Line))
	if err != nil {
		return nil, settings.ErrorAt(value, "%w", err)
	}
	r.Line = key.Line
	return r, nil
}

// line turns conditions that are written as a mapping into one line.
func line(conditions *yaml.Node) (string, error) {
	var words []string
	for i := 0; i+1 < len(conditions.Content); i += 2 {
		key, value := conditions.Content[i], conditions.Content[i+1]
		values := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			values = value.Content
		}
		if !slices.Contains(conditionNames, key.Value) {
			return "", settings.ErrorAt(key, "%w", errNoCondition(key.Value))
		}
		var all []string
		for _, v := range values {
			if v.Kind != yaml.ScalarNode || strings.ContainsAny(v.Value, "\"\n\r") {
				return "", settings.ErrorAt(v, "%s takes plain texts without quotes in them", key.Value)
			}
			all = append(all, `"`+v.Value+`"`)
		}
		words = append(words, key.Value+"="+strings.Join(all, ","))
	}
	return strings.Join(words, " "), nil
}

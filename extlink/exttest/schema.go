package exttest

import (
	"bytes"
	"embed"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed *.json
var files embed.FS

// Kind is who says something to whom: the name of a schema's file.
type Kind string

// The kinds of messages.
const (
	FromExtension Kind = "from-extension"
	ToExtension   Kind = "to-extension"
	FromMCPBProxy Kind = "from-mcpb-proxy"
	ToMCPBProxy   Kind = "to-mcpb-proxy"
)

// Check says what is wrong with one message, as JSON. Any goroutine may call it.
func CheckSchema(kind Kind, message []byte) error {
	all, err := compiled()
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(message))
	if err != nil {
		return err
	}
	if err := all[kind].Validate(value); err != nil {
		return fmt.Errorf("a message %s: %w: %.1000s", kind, err, message)
	}
	return nil
}

var compiled = sync.OnceValues(func() (map[Kind]*jsonschema.Schema, error) {
	all := map[Kind]*jsonschema.Schema{}
	for _, kind := range []Kind{FromExtension, ToExtension, FromMCPBProxy, ToMCPBProxy} {
		text, err := files.ReadFile(string(kind) + ".json")
		if err != nil {
			return nil, err
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(string(kind)+".json", value); err != nil {
			return nil, err
		}
		if all[kind], err = c.Compile(string(kind) + ".json"); err != nil {
			return nil, err
		}
	}
	return all, nil
})

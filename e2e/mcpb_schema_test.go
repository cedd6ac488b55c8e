package e2e

import (
	"bytes"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// proxySchema is what the protocol says of one direction: "from-mcpb-proxy" or
// "to-mcpb-proxy".
func proxySchema(direction string) func() (*jsonschema.Schema, error) {
	return sync.OnceValues(func() (*jsonschema.Schema, error) {
		return jsonschema.NewCompiler().Compile("../extlink/schema/" + direction + ".json")
	})
}

var fromProxy, toProxy = proxySchema("from-mcpb-proxy"), proxySchema("to-mcpb-proxy")

// holdTo holds a message to the protocol's schema.
func holdTo(t *testing.T, schema func() (*jsonschema.Schema, error), message []byte) {
	t.Helper()
	s, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(message))
	if err == nil {
		err = s.Validate(value)
	}
	if err != nil {
		t.Errorf("%s is not as the protocol has it: %v", message, err)
	}
}

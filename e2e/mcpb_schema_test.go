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
		return jsonschema.NewCompiler().Compile("../extlink/exttest/" + direction + ".json")
	})
}

var fromProxy, toProxy = proxySchema("from-mcpb-proxy"), proxySchema("to-mcpb-proxy")

// holdTo holds a message to the protocol's schema.
func holdTo(t *testing.T, schema func() (*jsonschema.Schema, error), message []byte) {
	t.Helper()
	if err := breach(t, schema, message); err != nil {
		t.Errorf("%s is not as the protocol has it: %v", message, err)
	}
}

// breach says what about a message is not as the schema has it, if anything is.
func breach(t *testing.T, schema func() (*jsonschema.Schema, error), message []byte) error {
	t.Helper()
	s, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(message))
	if err != nil {
		return err
	}
	return s.Validate(value)
}

// TestProxySchemasRefuse: what the scripted proxy is held to refuses what is wrong
// in one place only.
func TestProxySchemasRefuse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		schema       func() (*jsonschema.Schema, error)
		right, wrong string
	}{
		{fromProxy, `{"jsonrpc":"2.0","method":"browser/registerTools","params":{"tabUrl":"https://shop.test/","tools":[]}}`,
			`{"jsonrpc":"2.0","method":"browser/registerTools","params":{"tabUrl":7,"tools":[]}}`},
		{toProxy, `{"jsonrpc":"2.0","id":"1","method":"browser/executeTool","params":{"toolName":"search","args":{}}}`,
			`{"jsonrpc":"2.0","id":"1","method":"browser/executeTool","params":{"toolName":7,"args":{}}}`},
	} {
		if err := breach(t, c.schema, []byte(c.right)); err != nil {
			t.Errorf("%s is refused: %v", c.right, err)
		}
		if breach(t, c.schema, []byte(c.wrong)) == nil {
			t.Errorf("%s is taken", c.wrong)
		}
	}
}

package wire

import "encoding/json"

// The bodies and results of requests for browser tools.
type (
	// Automation is a call of a browser tool, for a client of the gateway.
	Automation struct {
		Tool string
		Args json.RawMessage
		// Client is the client, as no other of the gateway's is called; "" where no two calls can be told
		// to be one client's. Name is what other agents read.
		Client, Name string
		// Page is the client's current page; "" for none, or where that is another node's.
		Page string
		// Browsers are those of the node that the client sees: nothing else is there for it.
		Browsers []Sight
		// Numbers are those of pages that have another one at the gateway than follows from their ids.
		Numbers  map[string]int `json:",omitempty"`
		Progress bool           // is wanted: each is a string
	}
	// Sight is a browser that a client sees.
	Sight struct {
		Browser string
		// Labels are those by which the gateway's clients mean it.
		Labels []string `json:",omitempty"`
		// Life is the one in which the client may see it; "" is any.
		Life string `json:",omitempty"`
	}
	// Automated is what came of a call.
	Automated struct {
		Result  json.RawMessage // MCP's CallToolResult
		IsError bool            `json:",omitempty"`
		Ending  string          `json:",omitempty"` // as in [Called]
		Page    string          // the client's current page from now on; "" for none of the node's
		// Came and Gone are pages that have come and gone meanwhile in browsers that the client sees;
		// Came has the numbers by which the result names them.
		Came map[string]int `json:",omitempty"`
		Gone []string       `json:",omitempty"`
	}
	// Gone is a client that calls nothing any more.
	Gone struct{ Client string }
)

package tree

import (
	"encoding/json"
	"strconv"
)

// axNode is a node of Chrome's accessibility tree. Only what is shown is decoded. Its ids are valid within one
// answer's document.
type axNode struct {
	ID             string   `json:"nodeId"`
	Parent         string   `json:"parentId"`
	Children       []string `json:"childIds"`
	Ignored        bool     `json:"ignored"`
	IgnoredReasons []struct {
		Name string `json:"name"`
	} `json:"ignoredReasons"`
	Backend     int          `json:"backendDOMNodeId"`
	Role        axValue      `json:"role"`
	Name        axValue      `json:"name"`
	Value       axValue      `json:"value"`
	Description axValue      `json:"description"`
	Properties  []axProperty `json:"properties"`
}

// axValue is a value that may be a string, a number or a boolean.
type axValue struct {
	Value any `json:"value"`
}

type axProperty struct {
	Name  string  `json:"name"`
	Value axValue `json:"value"`
}

func (v axValue) String() string {
	switch x := v.Value.(type) {
	case string:
		return x
	case float64:
		return strconv.FormatFloat(x, 'g', max(6, len(strconv.FormatInt(int64(x), 10))), 64)
	case bool:
		return strconv.FormatBool(x)
	}
	return ""
}

func (n *axNode) property(name string) string {
	for _, p := range n.Properties {
		if p.Name == name {
			return p.Value.String()
		}
	}
	return ""
}

func (n *axNode) is(name string) bool { return n.property(name) == "true" }

// inert says why a node can't be used: it is behind a modal dialog, or the page has made it inert.
func (n *axNode) inert() (behind, inert bool) {
	for _, r := range n.IgnoredReasons {
		switch r.Name {
		case "inertElement", "inertSubtree":
			inert = true
		case "activeModalDialog":
			behind = true
		}
	}
	return behind, inert
}

// onlyKeptFromUse says whether a node is ignored because the page has made it inert or hides it from assistive
// technology, and not because it isn't shown.
func (n *axNode) onlyKeptFromUse() bool {
	for _, r := range n.IgnoredReasons {
		switch r.Name {
		case "inertElement", "inertSubtree", "ariaHiddenElement", "ariaHiddenSubtree":
		default:
			return false
		}
	}
	return len(n.IgnoredReasons) > 0
}

// AX is the accessibility tree of one document.
type AX struct {
	byID      map[string]*axNode
	byBackend map[int]*axNode
}

// DecodeAX decodes Chrome's answer about one document.
func DecodeAX(raw json.RawMessage) (*AX, error) {
	t := &AX{byID: map[string]*axNode{}, byBackend: map[int]*axNode{}}
	var answer struct {
		Nodes []*axNode `json:"nodes"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, err
	}
	for _, n := range answer.Nodes {
		if n == nil || t.byID[n.ID] != nil {
			continue
		}
		t.byID[n.ID] = n
		if n.Backend != 0 {
			t.byBackend[n.Backend] = n
		}
	}
	return t, nil
}

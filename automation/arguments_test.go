package automation

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/mcpserver/arguments"
)

// property is one argument of a tool, or a part of one.
type property struct {
	Type       any // a JSON type, or a list of them
	Properties map[string]property
	Items      *property
	Required   []string
	Minimum    *float64
}

func (p property) types() []string {
	switch is := p.Type.(type) {
	case string:
		return []string{is}
	case []any:
		var all []string
		for _, one := range is {
			all = append(all, one.(string))
		}
		return all
	}
	return nil
}

// valuesOf has a value of each JSON type.
var valuesOf = map[string]string{"string": `"x"`, "integer": `1`, "number": `1.5`, "boolean": `true`, "array": `[]`, "object": `{}`, "null": `null`}

// wrong are values that a property doesn't take, each with the JSON pointer that names what
// is wrong in it, below the property.
func (p property) wrong() map[string]string {
	values := map[string]string{}
	takes := p.types()
	for kind, value := range valuesOf {
		if !slices.Contains(takes, kind) && !(kind == "integer" && slices.Contains(takes, "number")) {
			values[value] = ""
		}
	}
	if p.Items != nil {
		for value, at := range p.Items.wrong() {
			values["["+value+"]"] = "/0" + at
		}
	}
	for name, member := range p.Properties {
		for value, at := range member.wrong() {
			values[`{"`+name+`":`+value+`}`] = "/" + name + at
		}
	}
	return values
}

// TestArgumentsOfWrongTypes: each property of each tool with a value of each wrong type, each
// tool without what it must have, and with what it doesn't know. What is wrong is named.
func TestArgumentsOfWrongTypes(t *testing.T) {
	check := arguments.New(slog.New(slog.DiscardHandler))
	earlier := []string{`wait_for {"text":"x"}`} // an earlier spelling
	tried := 0
	for _, tool := range Table(Categories(), false) {
		var all property
		if err := json.Unmarshal(tool.Input, &all); err != nil {
			t.Fatal(err)
		}
		try := func(args, names string) {
			tried++
			said := check.Check(tool.Input, tool.Arguments(json.RawMessage(args)))
			if !strings.Contains(said, " "+names+": ") && !slices.Contains(earlier, tool.Name+" "+args) {
				t.Errorf("%s with %s: it says %q, which doesn't name %s", tool.Name, args, said, names)
			}
		}
		for args, at := range (property{Type: "object", Properties: all.Properties}).wrong() {
			if strings.HasPrefix(args, "{") && at != "" {
				try(args, at)
			}
		}
		for _, name := range all.Required {
			try(`{}`, "/"+name)
		}
		try(`{"nonsense":1}`, "/nonsense")
	}
	if tried < 500 {
		t.Errorf("%d arguments were tried", tried)
	}
}

// TestNumbersOutOfRange: whole numbers that nothing can have are refused by the names of
// their arguments, or there is nothing of that number. Those that JSON writes in other ways
// are taken.
func TestNumbersOutOfRange(t *testing.T) {
	check := arguments.New(slog.New(slog.DiscardHandler))
	b := newFakeBrowser("https://a.example/")
	a := newAgent(t, newService(b), b, "1")
	const reached = "it has no debugging port" // the arguments were taken
	tried := 0
	for _, tool := range Table(Categories(), false) {
		var all property
		if err := json.Unmarshal(tool.Input, &all); err != nil {
			t.Fatal(err)
		}
		args := map[string]json.RawMessage{}
		for needed, value := range map[string]string{
			"action": `"accept"`, "elements": `[{"uid":"x","value":"y"}]`, "filePaths": `["/x"]`, "from_uid": `"x"`, "height": `9`, "insightName": `"x"`, "insightSetId": `"x"`,
			"key": `"x"`, "msgid": `1`, "pageId": `1`, "reqid": `1`, "to_uid": `"x"`, "uid": `"x"`, "url": `"https://a.example"`, "value": `"x"`, "width": `9`,
		} {
			if _, is := all.Properties[needed]; is {
				args[needed] = json.RawMessage(value)
			}
		}
		try := func(name, number string) string {
			tried++
			was := args[name]
			args[name] = json.RawMessage(number)
			given, err := json.Marshal(args)
			args[name] = was
			if was == nil {
				delete(args, name)
			}
			if err != nil {
				t.Fatal(err)
			}
			if said := check.Check(tool.Input, given); said != "" {
				return said
			}
			return a.call(tool.Name, string(given)).Text
		}
		if _, opens := all.Properties["background"]; opens {
			continue // it would
		}
		for name, is := range all.Properties {
			if !slices.Contains(is.types(), "integer") || tool.Name == "close_page" || tool.Name == "select_page" {
				continue
			}
			for number, says := range map[string]string{"1e30": " /" + name + ": ", "-1e30": " /" + name + ": ", "1.5": " /" + name + ": ", "1.0": reached, "10e-1": reached} {
				switch {
				case name == "timeout" && number == "1e30":
					says = reached // as long as there is time
				case tool.Name == "performance_stop_trace" && says == reached:
					says = "you are recording no trace"
				}
				if said := strings.ToLower(try(name, number)); !strings.Contains(said, strings.ToLower(says)) {
					t.Errorf("%s with %s %s: it says %q, not %q", tool.Name, name, number, said, says)
				}
			}
			if name == "timeout" {
				if said := try(name, "-1"); !strings.Contains(said, "/timeout: expected at least 0, got -1") {
					t.Errorf("%s with a timeout of -1: %s", tool.Name, said)
				}
			}
		}
	}
	if tried < 200 {
		t.Errorf("%d numbers were tried", tried)
	}
}

// TestArgumentsOfPeers takes what other versions of chrome-devtools-mcp take.
func TestArgumentsOfPeers(t *testing.T) {
	check := arguments.New(slog.New(slog.DiscardHandler))
	for _, c := range []struct{ tool, args, becomes string }{
		{"evaluate_script", `{"function":"() => 1","waitForStableDom":true,"args":[{"uid":"e1"}]}`, `{"args":["e1"],"function":"() => 1","waitForStableDom":true}`},
		{"evaluate_script", `{"function":"() => 1","serviceWorkerId":"sw-1"}`, `{"function":"() => 1","serviceWorkerId":"sw-1"}`},
		{"list_console_messages", `{"serviceWorkerId":"sw-1"}`, `{"serviceWorkerId":"sw-1"}`},
		{"emulate", `{"geolocation":{"latitude":1.5,"longitude":-2}}`, `{"geolocation":"1.5,-2"}`},
		{"emulate", `{"viewport":{"width":400,"height":300,"deviceScaleFactor":2,"isMobile":true,"hasTouch":true}}`, `{"viewport":"400x300x2,mobile,touch"}`},
		{"emulate", `{"viewport":{"width":400,"height":300}}`, `{"viewport":"400x300x0"}`},
	} {
		for _, has := range Table(Categories(), false) {
			if has.Name != c.tool {
				continue
			}
			is := has.Arguments([]byte(c.args))
			if wrong := check.Check(has.Input, is); wrong != "" || string(is) != c.becomes {
				t.Errorf("%s(%s) is called with %s %s", c.tool, c.args, is, wrong)
			}
		}
	}
}

// TestLastRequest: get_network_request tells of the newest request that the list shows, if it is given no reqid.
func TestLastRequest(t *testing.T) {
	r := openReal(t, automationtest.HTML("<p>"))
	r.visits("/one", "/two")
	r.says("get_network_request", `{}`, "of /two")
}

package cdptest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
)

func TestDecode(t *testing.T) {
	params := json.RawMessage(`{"source":"let a = '}'","worldName":"w"}`)
	if known(params) {
		t.Error("what nobody has decoded is known")
	}
	for range 2 { // anew, and remembered
		if p, err := Decode(params); err != nil || p.Source != "let a = '}'" || p.WorldName != "w" {
			t.Errorf("the script is %+v, %v", p, err)
		}
		if !known(params) {
			t.Error("the script is forgotten")
		}
	}
	if _, err := Decode(params[1:]); err == nil || known(params[1:]) {
		t.Errorf("what is no JSON was decoded: %v", err)
	}
	for i := range 2 * maxScripts {
		if _, err := Decode(json.RawMessage(fmt.Sprintf(`{"source":"%d"}`, i))); err != nil {
			t.Error(err)
		}
	}
	if n := len(*decoded.Load()); n > maxScripts {
		t.Errorf("%d scripts are remembered", n)
	}
}

// TestCommand: a command is read as encoding/json reads it, whether its script has been decoded before
// or not, and what isn't JSON is left to it.
func TestCommand(t *testing.T) {
	type command struct {
		ID     int
		Method string
		Params json.RawMessage
	}
	const params = `{"source":"let b = '}'"}`
	read := 0
	for range 2 { // before and after
		for _, msg := range []string{
			`{"id":1,"method":"m","params":` + params + `}`,
			`{"id":1,"params":` + params + `,"method":"m"}`,
			`{"id":1,"method":"m"}`,
			`{"id":1,"method":"m,\"params\":{}","params":` + params + `}`,
			`{"id":1,"method":"m","params":` + params,
			`{"id":1,"method":"m","params":` + params + `}}`,
			`{"id":1,"method":"m,"params":` + params + `}`,
			`{"id":one,"params":` + params + `}`,
			`"id":1,"params":` + params + `}`,
		} {
			var got, want command
			err := json.Unmarshal([]byte(msg), &want)
			var ok bool
			if got.Params, ok = ParseCommand([]byte(msg), &got); !ok {
				continue
			}
			if read++; err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s is read as %+v, want %+v, %v", msg, got, want, err)
			}
		}
		if _, err := Decode([]byte(params)); err != nil {
			t.Error(err)
		}
	}
	if read != 2 {
		t.Errorf("%d commands were read, not the two whose params stand last", read)
	}
}

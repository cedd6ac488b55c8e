package probe

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// A form that waits for a person is not sent where Chrome refuses the arguments of the call: what
// it would send is what was there before. It is sent when it is called rightly again.
func TestFormsWhoseArgumentsAreRefused(t *testing.T) {
	b := aBrowser(t)
	const counts = `window.times = 0; document.querySelector("form").onsubmit = (e) => {
		times++; e.preventDefault(); if (e.agentInvoked) e.respondWith(Promise.resolve("booked for " + e.target.guests.value));
	};`
	address := serve(t, map[string]string{"/": page(
		`<form toolname="book" tooldescription="Books a table."><input type="number" name="guests" value="2" max="9" toolparamdescription="How many."><input name="who" toolparamdescription="Who."><select name="at" toolparamdescription="When."><option>noon<option>night</select><button>Go</button></form>`,
		counts, `document.modelContext.registerTool({ name: "times", description: "How often the form was sent.", execute: () => "sent: " + times });`,
	)})
	tab, _, err := b.Open(t.Context(), address+"/")
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	call := func(tool, args, says string, fails bool) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		out, err := tab.Call(ctx, tool, 0, json.RawMessage(args))
		if err != nil || out.Ending != "" || out.IsError != fails || !strings.Contains(string(out.Result), says) {
			t.Errorf("%s(%s): got %+v (%v), result %s", tool, args, out, err, out.Result)
		}
	}
	for args, says := range map[string]string{
		`{"guests":{"a":1},"who":"Ann"}`:         "guests",
		`{"guests":"many","who":"Ann"}`:          "guests",
		`{"who":"Ann","at":["noon","night"]}`:    "at",
		`{"who":"Ann","at":"midnight"}`:          "at",
		`{"who":"Ann","no_such_parameter":true}`: "no_such_parameter",
	} {
		call("book", args, says, true)
		call("times", `{}`, "sent: 0", false)
	}
	call("book", `{"guests":3,"who":"Ann","at":"night"}`, "booked for 3", false)
	call("times", `{}`, "sent: 1", false)
}

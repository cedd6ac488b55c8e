package automation

import "encoding/json"

func inputTools() []Tool {
	return []Tool{
		{
			Name: "click", Title: "Click", Category: Input,
			Description: "Clicks an element, once it is visible, still, enabled and not covered.",
			Input: object(uid, yesno("dblClick", ""), oneOf("button", "", "left", "right", "middle"),
				field{name: "modifiers", schema: `{"type":"array","items":{"type":"string","enum":["Alt","Control","Meta","Shift"]}}`}, withSnapshot, timeout, pageID),
			Effect: Acts, OpenWorld: true,
			run: (*Request).click,
		},
		{
			Name: "hover", Title: "Hover", Category: Input,
			Description: "Moves the mouse over an element.",
			Input:       object(uid, withSnapshot, timeout, pageID),
			Effect:      Acts, OpenWorld: true,
			run: (*Request).hover,
		},
		{
			Name: "drag", Title: "Drag", Category: Input,
			Description: "Drags an element onto another one.",
			Input:       object(text("from_uid", "").must(), text("to_uid", "").must(), withSnapshot, timeout, pageID),
			Effect:      Acts, OpenWorld: true,
			run: (*Request).drag,
		},
		{
			Name: "fill", Title: "Fill a field", Category: Input,
			Description: `Sets what a field holds: text, a select's option or options (an array), "true" or "false" for a box, date, time, color, range. The answer says what it holds then.`,
			Input:       object(uid, value, withSnapshot, timeout, pageID),
			Effect:      Acts, Idempotent: true, OpenWorld: true,
			run: (*Request).fill,
		},
		{
			Name: "fill_form", Title: "Fill a form", Category: Input,
			Description: "Fills several fields; one that fails doesn't keep the others from being filled.",
			Input: object(field{name: "elements", required: true, schema: `{"type":"array","minItems":1,"items":{"type":"object","properties":{"uid":{"type":"string"},"` +
				value.name + `":` + value.schema + `},"required":["uid","value"],"additionalProperties":false}}`}, withSnapshot, timeout, pageID),
			Effect: Acts, Idempotent: true, OpenWorld: true,
			run: (*Request).fillForm,
		},
	}
}

// keyTools are those for the keyboard, files and dialogs.
func keyTools() []Tool {
	return []Tool{
		{
			Name: "press_key", Title: "Press a key", Category: Input,
			Description: "Presses a key or a combination, such as Enter, Control+A or Control++, where the focus is, or on the element that uid names.",
			Input:       object(text("key", "").must(), text("uid", ""), field{name: "repeat", schema: `{"type":"integer","minimum":1,"maximum":100}`}, withSnapshot, pageID),
			Effect:      Acts, OpenWorld: true,
			run: (*Request).pressKey,
		},
		{
			Name: "upload_file", Title: "Upload files", Category: Input,
			Description: "Gives files to a file field, or to the file dialog that a button opens.",
			Input:       object(uid, texts("filePaths", 1, "").must(), withSnapshot, timeout, pageID),
			Effect:      Acts, OpenWorld: true,
			earlier: func(args map[string]json.RawMessage) { oneAsList(args, "filePath", "filePaths") },
			run:     (*Request).uploadFile,
		},
		{
			Name: "handle_dialog", Title: "Answer a dialog", Category: Input,
			Description: "Answers the alert, confirm, prompt or beforeunload dialog that is open.",
			Input:       object(oneOf("action", "", "accept", "dismiss").must(), text("promptText", ""), pageID),
			Effect:      Acts, OpenWorld: true,
			run: (*Request).handleDialog,
		},
	}
}

var value = field{name: "value", schema: `{"type":["string","array"],"items":{"type":"string"}}`, required: true}

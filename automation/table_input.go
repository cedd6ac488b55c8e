package automation

import "webmcphub/automation/schema"

func inputTools() []Tool {
	return []Tool{
		{
			Name: "click", Title: "Click", Category: Input,
			Description: "Clicks an element, once it is visible, still, enabled and not covered. x, y: px from its top left.",
			Input: schema.Object(uid, x, y, schema.YesNo("dblClick", ""),
				schema.OneOf("button", "", "left", "right", "middle"),
				schema.Field{Name: "modifiers",
					Schema: `{"type":"array","items":{"type":"string","enum":["Alt","Control","Meta","Shift"]}}`},
				withSnapshot, timeout, pageID),
			Effect: Acts, OpenWorld: true,
			run: acting((*Request).click),
		},
		{
			Name: "hover", Title: "Hover", Category: Input,
			Description: "Moves the mouse over an element.",
			Input:       schema.Object(uid, x, y, withSnapshot, timeout, pageID),
			Effect:      Acts, OpenWorld: true,
			run: acting((*Request).hover),
		},
		{
			Name: "drag", Title: "Drag", Category: Input,
			Description: "Drags an element onto another, to x, y in it, or without to_uid by x, y px. With text, " +
				"selects that text in from_uid.",
			Input: schema.Object(schema.Text("from_uid", "").Must(), schema.Number("from_x"), schema.Number("from_y"),
				schema.Text("to_uid", ""), x, y,
				schema.Text("text", ""), withSnapshot, timeout, pageID),
			Effect: Acts, OpenWorld: true,
			run: acting((*Request).drag),
		},
		{
			Name: "fill", Title: "Fill a field", Category: Input,
			Description: `Sets what a field holds: text, a select's option or options (an array), "true" or "false" for a box, date, time, color, range.`,
			Input:       schema.Object(uid, value, withSnapshot, timeout, pageID),
			Effect:      Acts, Idempotent: true, OpenWorld: true,
			run: acting((*Request).fill),
		},
		{
			Name: "fill_form", Title: "Fill a form", Category: Input,
			Description: "Fills several fields, also if some of them fail.",
			Input: schema.Object(schema.Field{Name: "elements", Required: true,
				Schema: `{"type":"array","minItems":1,"items":{"type":"object","properties":{"uid":{"type":"string"},"` +
					value.Name + `":` + value.Schema + `},"required":["uid","value"],"additionalProperties":false}}`},
				withSnapshot, timeout, pageID),
			Effect: Acts, Idempotent: true, OpenWorld: true,
			run: acting((*Request).fillForm),
		},
	}
}

// keyTools are those for the keyboard, files and dialogs.
func keyTools() []Tool {
	return []Tool{
		{
			Name: "press_key", Title: "Press a key", Category: Input,
			Description: "Presses a key or combination, such as Enter, Control+A or Control++, where the focus is, " +
				"or on an element.",
			Input: schema.Object(schema.Text("key", "").Must(), schema.Text("uid", ""),
				schema.Field{Name: "repeat", Schema: `{"type":"integer","minimum":1,"maximum":100}`}, withSnapshot,
				pageID),
			Effect: Acts, OpenWorld: true,
			run: acting((*Request).pressKey),
		},
		{
			Name: "upload_file", Title: "Upload files", Category: Input,
			Description: "Gives files to a file field, or to the dialog that a button opens.",
			Input:       schema.Object(uid, schema.Texts("filePaths", 1, "").Must(), withSnapshot, timeout, pageID),
			Effect:      Acts, OpenWorld: true,
			earlier: schema.OneAsList("filePath", "filePaths"),
			run:     acting((*Request).uploadFile),
		},
		{
			Name: "handle_dialog", Title: "Answer a dialog", Category: Input,
			Description: "Answers the alert, confirm, prompt or beforeunload dialog that is open.",
			Input: schema.Object(schema.OneOf("action", "", "accept", "dismiss").Must(),
				schema.Text("promptText", ""), pageID),
			Effect: Acts, OpenWorld: true,
			run: with((*Request).handleDialog),
		},
	}
}

// x and y are a place in an element, in CSS pixels from its left and top.
var x, y = schema.Number("x"), schema.Number("y")

var value = schema.Field{Name: "value", Schema: `{"type":["string","array"],"items":{"type":"string"}}`, Required: true}

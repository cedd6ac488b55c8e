package e2e

import "testing"

// Chromium 156 announces tools without their schema if that has a character of
// U+0080 to U+00FF and none beyond, as German, French and Spanish ones have.
func TestSchemaThatChromeLosesIsRead(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := attachHub(t, c)
	p := c.open(t, pages.url("frames.html", "src=/plain.html"))
	has := func(tool, property string) {
		t.Helper()
		h.waitTools(tool+" with "+property, func(tools toolList) bool {
			found := find(tools, toolName("0", tool))
			return found != nil && found.InputSchema.Properties[property] != nil
		})
	}
	p.eval(`addTool({name: 'shoe', inputSchema: {type: 'object', properties: {size: {type: 'number', description: 'Schuhgröße'}}, required: ['size']}})`)
	has("shoe", "size")
	wantError(t, h.call(toolName("0", "shoe"), nil), "size")
	p.eval(`document.body.insertAdjacentHTML('beforeend', '<form toolname=hotel tooldescription=x><label>Hôtel <input name=where></label></form>')`)
	has("hotel", "where")
	p.eval(`document.querySelector('iframe').contentWindow.eval("document.modelContext.registerTool({name: 'within', description: 'x', inputSchema: {type: 'object', properties: {x: {title: 'é'}}}, execute() {}})")`)
	has("within", "x")

	// The title, which Chrome never announces, comes with the schema.
	p.eval(`document.modelContext.registerTool({name: 'titled', title: 'Größe', description: 'x', inputSchema: {type: 'object', properties: {x: {title: 'é'}}}, execute() {}})`)
	has("titled", "x")
	h.waitTools("a tool with its title", func(tools toolList) bool {
		found := find(tools, toolName("0", "titled"))
		return found != nil && (found.Title == "Größe" || found.Annotations.Title == "Größe")
	})
}

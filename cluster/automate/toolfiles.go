package automate

import (
	"webmcphub/automation"
	"webmcphub/internal/browsertool"
)

// fileArguments name files.
var fileArguments = []string{"filePath", "requestFilePath", "responseFilePath", "sourcePath"}

// instead is what to do without them, where that isn't plain.
var instead = map[string]string{
	"filePath":         ": the answer has what there is",
	"requestFilePath":  ": the answer has the body",
	"responseFilePath": ": the answer has the body, and offset leads on in a long one",
	"sourcePath":       ", and give the text as function",
}

// uploads is the tool that is nothing without files.
const uploads = "upload_file"

// toolsOf are the table's tools of these categories, without files, and as they are offered.
func toolsOf(on []automation.Category) (table []*automation.Tool, offered []browsertool.Tool) {
	for _, tool := range automation.Table(on, true) {
		if tool.Name == uploads {
			continue
		}
		shown := *tool
		shown.Args = tool.Args.Without(fileArguments...)
		table = append(table, tool)
		is := shown.Offered()
		is.Input = tool.Input // by which arguments are checked: what names a file is refused with the reason
		offered = append(offered, is)
	}
	return table, offered
}

package automate

import (
	"webmcphub/automation"
	"webmcphub/internal/browsertool"
)

// fileArguments are the tools' arguments that name files.
var fileArguments = []string{"filePath", "requestFilePath", "responseFilePath", "sourcePath"}

// instead says what to do without an argument that names a file.
var instead = map[string]string{
	"filePath":         ": the answer contains the result itself",
	"requestFilePath":  ": the answer contains the body",
	"responseFilePath": ": the answer contains the body; if the body is long, use offset to read on",
	"sourcePath":       ", and give the text as function",
}

// uploads is the name of the tool that is useless without files.
const uploads = "upload_file"

// toolsOf returns the tools of these categories, except uploads. Those in offered have no arguments that name files.
func toolsOf(on []automation.Category) (table []*automation.Tool, offered []browsertool.Tool) {
	for _, tool := range automation.Table(on, true) {
		if tool.Name == uploads {
			continue
		}
		shown := *tool
		shown.Args = tool.Args.Without(fileArguments...)
		table = append(table, tool)
		is := shown.Offered()
		is.Input = tool.Input // accepts arguments that name files, so that Call can say why it refuses them
		offered = append(offered, is)
	}
	return table, offered
}

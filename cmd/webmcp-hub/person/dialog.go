package person

import (
	"context"
	"encoding/base64"
	"errors"
	"os/exec"
	"runtime"
	"strings"

	"webmcphub/cmd/webmcp-hub/process"
)

// viewer is a program that shows a text on the desktop. It reads the text from its standard input, because other users
// can see a program's arguments.
type viewer struct {
	command []string
	input   func(text string) string
}

// viewers returns the programs that may be here.
func viewers() []viewer {
	plain := func(text string) string { return text }
	switch runtime.GOOS {
	case "darwin":
		return []viewer{{[]string{"osascript", "-"}, func(text string) string {
			escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
			return `display dialog "` + escaped + `" with title "WebMCP Hub" buttons {"Close"}`
		}}}
	case "windows":
		return []viewer{{[]string{"powershell", "-NoProfile", "-Command", "-"}, func(text string) string {
			// Base64, because PowerShell takes typographic quotes for quotes, too.
			return "Add-Type -AssemblyName PresentationFramework\n[System.Windows.MessageBox]::Show(" +
				"[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('" +
				base64.StdEncoding.EncodeToString([]byte(text)) + "')), 'WebMCP Hub')\n"
		}}}
	}
	if !process.HasDisplay() {
		return nil
	}
	return []viewer{
		{[]string{"zenity", "--text-info", "--title=WebMCP Hub", "--width=600", "--height=400"}, plain},
		{[]string{"kdialog", "--title", "WebMCP Hub", "--textbox", "/dev/stdin", "600", "400"}, plain},
		{[]string{"xmessage", "-file", "-"}, plain},
	}
}

// dialog shows a text on the desktop until closed is called.
func dialog(ctx context.Context, text string) (closed func(), err error) {
	for _, v := range viewers() {
		program, err := exec.LookPath(v.command[0])
		if err != nil {
			continue
		}
		ctx, cancel := context.WithCancel(ctx)
		c := exec.CommandContext(ctx, program, v.command[1:]...)
		c.Stdin = strings.NewReader(v.input(text))
		if err := c.Start(); err != nil {
			cancel()
			continue
		}
		return func() {
			cancel()
			_ = c.Wait()
		}, nil
	}
	return nil, errors.New("no dialog can be shown here (on Linux that takes zenity, kdialog or xmessage, and a display)")
}

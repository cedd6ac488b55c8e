package main

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"webmcphub/internal/cmdline"
	"webmcphub/internal/scripttest"
)

// TestFlagsDocument: docs/flags.md says what the parser knows.
func TestFlagsDocument(t *testing.T) {
	var c cli
	parser, err := newParser(&c)
	if err != nil {
		t.Fatal(err)
	}
	text := describeFlags(parser.Model)
	if _, unknown, is := strings.Cut(text, "${"); is {
		t.Errorf("a help text has a variable that nobody fills in: ${%.40s", unknown)
	}
	scripttest.Document(t, "../../docs/flags.md", []byte(text))
}

func describeFlags(app *kong.Application) string {
	var b strings.Builder
	b.WriteString(`# Flags, settings and environment variables

<!-- Made from the program's own flags by: go test ./cmd/webmcp-hub -run TestFlagsDocument -update -->

Everything here is said in one of four places. The first that says it counts:

1. the command line: ` + "`webmcp-hub --max-pages=20`" + `;
2. the environment: ` + "`WEBMCP_HUB_MAX_PAGES=20`" + `;
3. a file of settings, in YAML: a line ` + "`max-pages: 20`" + `. It is ` + "`config.yaml`" + ` in the folder ` + "`webmcp-hub`" + ` of your settings (Linux: ` + "`~/.config`" + `,
   macOS: ` + "`~/Library/Application Support`" + `, Windows: ` + "`%AppData%`" + `), or the file that ` + "`--config`" + ` names;
4. the default.

A switch ` + "`--[no-]share`" + ` is on as ` + "`--share`" + ` and off as ` + "`--no-share`" + ` or ` + "`--share=false`" + `; in the environment and in the file it is
` + "`WEBMCP_HUB_SHARE=false`" + ` and ` + "`share: false`" + `. Flags that can be repeated are lists in the file (` + "`allow-origin: [https://a.example, https://b.example]`" + `)
and take one value in the environment. Relative paths in the file begin at its folder.

A way to Chrome from a stronger place displaces those from weaker ones: with ` + "`--browser-url`" + ` on the command line, ` + "`headless`" + ` and
` + "`user-data-dir`" + ` in the file count for nothing. A setting that no command knows, and a value that a flag doesn't take, are errors, which name
the file and the line.

`)
	b.WriteString("## All commands\n\n")
	describeGroup(&b, "", app.Flags)
	for _, command := range app.Children {
		if command.Hidden {
			continue
		}
		for _, node := range cmdline.Leaves(command) {
			fmt.Fprintf(&b, "## webmcp-hub %s\n\n%s\n\n", cmdline.Path(node), node.Help)
			describeArguments(&b, node.Positional)
			flags, besides := cmdline.Own(app, node)
			if besides != nil {
				fmt.Fprintf(&b, "Besides these, all flags of `webmcp-hub %s`.\n\n", besides.Name)
			}
			for _, group := range cmdline.Grouped(flags) {
				describeGroup(&b, group.Title, group.Flags)
			}
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func describeArguments(b *strings.Builder, arguments []*kong.Positional) {
	if len(arguments) == 0 {
		return
	}
	b.WriteString("| argument | default | meaning |\n|---|---|---|\n")
	for _, a := range arguments {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", a.Summary(), code(a.Default), cell(a.Help))
	}
	b.WriteString("\n")
}

func describeGroup(b *strings.Builder, title string, flags []*kong.Flag) {
	if title != "" {
		fmt.Fprintf(b, "### %s\n\n", title)
	}
	b.WriteString("| flag | default | environment | meaning |\n|---|---|---|---|\n")
	for _, f := range flags {
		var variables []string
		for _, v := range f.Envs {
			variables = append(variables, code(v))
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", code(cmdline.FlagName(f)), defaultOf(f), strings.Join(variables, ", "), cell(f.Help))
	}
	b.WriteString("\n")
}

func defaultOf(f *kong.Flag) string {
	switch {
	case f.IsBool() && f.Target.Kind() != reflect.Pointer:
		if f.Default == "true" {
			return "on"
		}
		return "off"
	case f.Default == "":
		return ""
	}
	return code(f.Default)
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + cell(s) + "`"
}

func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

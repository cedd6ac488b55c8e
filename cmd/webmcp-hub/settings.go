package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// What the command line doesn't say the environment may, and what neither does
// a file of settings. Both know each flag by its name.

// envPrefix begins the variables of flags: --max-pages is WEBMCP_HUB_MAX_PAGES.
const envPrefix = "WEBMCP_HUB"

// defaultSettings is the file in the hub's own folder that is read if it's there.
const defaultSettings = "config.yaml"

// noSettings are flags that no file may set: they are about reading it, or
// about what this one run is for.
var noSettings = []string{"config", "help", "version"}

// displaces says which flags give way to one from a stronger source: with
// --browser-url on the command line, "headless: true" in the settings is
// about another Chrome, and not a contradiction.
var displaces = map[string][]string{
	"launch":       {"browser-url", "ws-endpoint", "auto-connect", "ws-header"},
	"browser-url":  {"launch", "ws-endpoint", "ws-header", "auto-connect", "executable-path", "isolated", "headless", "chrome-arg", "user-data-dir"},
	"ws-endpoint":  {"launch", "browser-url", "auto-connect", "executable-path", "isolated", "headless", "chrome-arg", "user-data-dir"},
	"auto-connect": {"launch", "browser-url", "ws-endpoint", "ws-header", "executable-path", "isolated", "headless", "chrome-arg"},

	"isolated":      {"user-data-dir", "browser-url", "ws-endpoint", "ws-header", "auto-connect"},
	"user-data-dir": {"isolated"},
	"token":         {"token-file"},
	"token-file":    {"token"},
}

// BeforeResolve is called by the parser when the command line and the
// environment are read, and adds the settings.
func (c *cli) BeforeResolve(ctx *kong.Context) error {
	given := map[string]bool{} // on the command line
	for _, step := range ctx.Path {
		if step.Flag != nil {
			given[step.Flag.Name] = true
		}
	}
	weaker := displaced(func(name string) bool { return given[name] })
	inEnv := map[string]bool{}
	for _, flag := range ctx.Flags() {
		switch {
		case given[flag.Name] || !envSet(flag):
		case weaker[flag.Name]:
			if err := unset(flag); err != nil {
				return err
			}
		default:
			inEnv[flag.Name] = true
		}
	}
	s, err := c.settings(ctx)
	if err != nil || s == nil {
		return err
	}
	s.hidden = displaced(func(name string) bool { return given[name] || inEnv[name] })
	for name := range inEnv {
		s.hidden[name] = true
	}
	ctx.AddResolver(s)
	return nil
}

func displaced(by func(flag string) bool) map[string]bool {
	all := map[string]bool{}
	for name, others := range displaces {
		if by(name) {
			for _, other := range others {
				all[other] = true
			}
		}
	}
	return all
}

func envSet(flag *kong.Flag) bool {
	return slices.ContainsFunc(flag.Envs, func(name string) bool { _, ok := os.LookupEnv(name); return ok })
}

// unset gives a flag its default, whatever the environment says.
func unset(flag *kong.Flag) error {
	flag.Target.SetZero()
	if flag.HasDefault {
		if err := parseInto(flag, flag.Default, flag.Target); err != nil {
			return err
		}
	}
	flag.Set = false
	return nil
}

func parseInto(flag *kong.Flag, value any, target reflect.Value) error {
	return flag.Parse(kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: value}), target)
}

// settings reads the file; nil if there is none.
func (c *cli) settings(ctx *kong.Context) (*settings, error) {
	file, named := c.configFile(ctx)
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !named:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("--config: there is no file %s", file)
	case err != nil:
		return nil, fmt.Errorf("the settings can't be read (%w); correct the file's rights, or name another one by --config", err)
	}
	s, err := readSettings(file, text, ctx.Model)
	if err != nil {
		return nil, fmt.Errorf("the settings in %s: %w", file, err)
	}
	return s, nil
}

// configFile is where the settings are, and whether the user says so.
func (c *cli) configFile(ctx *kong.Context) (path string, named bool) {
	for _, flag := range ctx.Model.Flags {
		if flag.Name == "config" {
			path, _ = ctx.FlagValue(flag).(string)
		}
	}
	if path != "" {
		return path, true
	}
	path, _ = ownPlace(defaultSettings) // "" where there is no home
	return path, false
}

// settings are the values in a file of settings, as the parser wants them.
type settings struct {
	values map[string]any // by the flag's name
	hidden map[string]bool
}

// readSettings reads YAML, of which JSON is a part: one mapping from flags to
// values. It refuses flags that no command has, and values that they don't take.
func readSettings(file string, text []byte, app *kong.Application) (*settings, error) {
	var doc yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&doc); err == io.EOF {
		return &settings{}, nil // nothing but comments
	} else if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	s := &settings{values: map[string]any{}}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: there must be one setting on each line, such as \"max-pages: 20\"", root.Line)
	}
	flags := flagsOf(app)
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		fail := func(err error) (*settings, error) { return nil, fmt.Errorf("line %d: %w", key.Line, err) }
		flag := flags[key.Value]
		if flag == nil {
			return fail(unknownSetting(key.Value, flags))
		}
		if _, twice := s.values[key.Value]; twice {
			return fail(fmt.Errorf("%q is set a second time", key.Value))
		}
		value, err := settingValue(node, flag)
		if err == nil {
			value = besideFile(file, flag, value)
			err = suits(flag, value)
		}
		if err != nil {
			return fail(fmt.Errorf("%s: %w", key.Value, err))
		}
		s.values[key.Value] = value
	}
	return s, nil
}

// flagsOf are all commands' flags that a file may set, by name.
func flagsOf(app *kong.Application) map[string]*kong.Flag {
	flags := map[string]*kong.Flag{}
	var visit func(*kong.Node)
	visit = func(n *kong.Node) {
		for _, f := range n.Flags {
			// serve comes first: its flags are the fullest.
			if flags[f.Name] == nil && !slices.Contains(noSettings, f.Name) {
				flags[f.Name] = f
			}
		}
		for _, child := range n.Children {
			visit(child)
		}
	}
	visit(app.Node)
	return flags
}

func unknownSetting(name string, flags map[string]*kong.Flag) error {
	plain := strings.TrimLeft(strings.ReplaceAll(name, "_", "-"), "-")
	if flags[plain] != nil {
		return fmt.Errorf("unknown setting %q; did you mean %q", name, plain)
	}
	if positive := strings.TrimPrefix(plain, "no-"); flags[positive] != nil {
		return fmt.Errorf("unknown setting %q; write \"%s: false\"", name, positive)
	}
	return fmt.Errorf("unknown setting %q; \"webmcp-hub serve --help\" lists the flags, each of which is a setting", name)
}

// settingValue is a value as the parser takes it.
func settingValue(node *yaml.Node, flag *kong.Flag) (any, error) {
	switch {
	case node.Kind == yaml.ScalarNode && node.Tag == "!!null":
		return nil, errors.New("has no value")
	case node.Kind == yaml.ScalarNode && flag.IsSlice():
		return []any{node.Value}, nil
	case node.Kind == yaml.ScalarNode:
		return node.Value, nil
	case node.Kind == yaml.SequenceNode && flag.IsSlice():
		list := []any{}
		for _, item := range node.Content {
			if item.Kind != yaml.ScalarNode {
				return nil, errors.New("takes a list of plain values")
			}
			list = append(list, item.Value)
		}
		return list, nil
	case node.Kind == yaml.SequenceNode:
		return nil, errors.New("takes one value, not a list")
	}
	return nil, errors.New("takes a plain value")
}

// besideFile makes a relative path one from the file's folder: MCP clients
// start the hub in folders that nobody thinks of.
func besideFile(file string, flag *kong.Flag, value any) any {
	path, ok := value.(string)
	if !ok || flag.Tag.Type != "path" || path == "" || filepath.IsAbs(path) || strings.HasPrefix(path, "~") {
		return value
	}
	return filepath.Join(filepath.Dir(file), path)
}

// suits tries a value.
func suits(flag *kong.Flag, value any) error {
	target := reflect.New(flag.Target.Type()).Elem()
	if target.Kind() == reflect.Pointer {
		target.Set(reflect.New(target.Type().Elem()))
	}
	set := flag.Set
	defer func() { flag.Set = set }()
	if err := parseInto(flag, value, target); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "--"+flag.Name+": "))
	}
	if text, ok := value.(string); ok && flag.Enum != "" && !slices.Contains(flag.EnumSlice(), text) {
		return fmt.Errorf("must be one of %s, not %q", strings.Join(slices.DeleteFunc(flag.EnumSlice(), func(s string) bool { return s == "" }), ", "), text)
	}
	return nil
}

// Validate is called by the parser; readSettings has done it.
func (s *settings) Validate(*kong.Application) error { return nil }

// Resolve gives the parser a flag's value.
func (s *settings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if s.hidden[flag.Name] {
		return nil, nil
	}
	return s.values[flag.Name], nil
}

package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"webmcphub/internal/wording"
)

// Rules tell what reading settings needs to know about the program.
type Rules struct {
	// Flag names the settings file. Default is the file if the flag isn't given; it may be missing, or "".
	Flag, Default string
	// Except are flags that no file may set.
	Except []string
	// Displaces says which flags give way to one from a stronger source.
	Displaces map[string][]string
}

// Resolve reads the settings and passes them to the parser for flags that neither the command line nor the
// environment sets. Call it from the parser's hook BeforeResolve. It returns the places of the values in effect.
func Resolve(ctx *kong.Context, r Rules) (Places, error) {
	given := map[string]bool{} // on the command line
	for _, step := range ctx.Path {
		if step.Flag != nil {
			given[step.Flag.Name] = true
		}
	}
	weaker := r.displaced(given)
	inEnv := map[string]bool{}
	for _, flag := range ctx.Flags() {
		switch {
		case given[flag.Name] || !envSet(flag):
		case weaker[flag.Name]:
			if err := unset(flag); err != nil {
				return nil, err
			}
		default:
			inEnv[flag.Name] = true
		}
	}
	values, places, err := r.read(ctx)
	if err != nil || values == nil {
		return nil, err
	}
	maps.Copy(given, inEnv)
	hidden := r.displaced(given)
	maps.Copy(hidden, inEnv)
	maps.DeleteFunc(places, func(name, _ string) bool { return given[name] || hidden[name] })
	ctx.AddResolver(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if hidden[flag.Name] {
			return nil, nil
		}
		return values[flag.Name], nil
	}))
	return places, nil
}

// Places maps a flag's name to the file and the line where the settings file sets it.
type Places map[string]string

var flagName = regexp.MustCompile(`--[a-z][a-z0-9-]*`)

// Explain adds to an error the places of the flags that it names.
func (p Places) Explain(err error) error {
	if err == nil {
		return nil
	}
	var set []string
	for _, flag := range flagName.FindAllString(err.Error(), -1) {
		name := strings.TrimPrefix(flag, "--")
		if place := p[name]; place != "" && !slices.Contains(set, name+" is set in "+place) {
			set = append(set, name+" is set in "+place)
		}
	}
	if set == nil {
		return err
	}
	return fmt.Errorf("%w (%s)", err, strings.Join(set, "; "))
}

// displaced returns the flags that give way to these.
func (r Rules) displaced(by map[string]bool) map[string]bool {
	all := map[string]bool{}
	for name := range by {
		for _, other := range r.Displaces[name] {
			all[other] = true
		}
	}
	return all
}

func envSet(flag *kong.Flag) bool {
	return slices.ContainsFunc(flag.Envs, func(name string) bool { _, ok := os.LookupEnv(name); return ok })
}

// unset resets a flag to its default, whatever the environment says.
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

// read returns the values in the file and their places by the flag's name; nil if there is no file.
func (r Rules) read(ctx *kong.Context) (map[string]any, Places, error) {
	file, named := r.Default, false
	for _, flag := range ctx.Model.Flags {
		if path, _ := ctx.FlagValue(flag).(string); flag.Name == r.Flag && path != "" {
			file, named = path, true
		}
	}
	text, err := os.ReadFile(file)
	switch {
	case file == "" || errors.Is(err, fs.ErrNotExist) && !named:
		return nil, nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, fmt.Errorf("--%s: there is no file %s", r.Flag, file)
	case err != nil:
		return nil, nil, fmt.Errorf("the settings can't be read (%w); correct the file's rights, or name another one by --%s", err, r.Flag)
	}
	values, places, err := r.parse(file, text, ctx.Model)
	if err != nil {
		return nil, nil, fmt.Errorf("the settings in %s: %w", file, err)
	}
	return values, places, nil
}

// parse parses YAML, which includes JSON: one mapping from flags to values. It refuses flags that no command has, and
// values that they don't accept.
func (r Rules) parse(file string, text []byte, app *kong.Application) (map[string]any, Places, error) {
	var doc yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&doc); err == io.EOF {
		return map[string]any{}, nil, nil // only comments
	} else if err != nil {
		if line := tabbed(text); line > 0 {
			return nil, nil, fmt.Errorf("line %d begins with a tab, which YAML doesn't allow; use spaces", line)
		}
		return nil, nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	values, places := map[string]any{}, Places{}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, nil, fmt.Errorf("line %d: there must be one setting on each line, such as \"max-pages: 20\"",
			root.Line)
	}
	flags := r.flagsOf(app)
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		fail := func(err error) (map[string]any, Places, error) {
			return nil, nil, fmt.Errorf("line %d: %w", key.Line, err)
		}
		flag := flags[key.Value]
		if flag == nil {
			return fail(unknownSetting(key.Value, flags))
		}
		if _, twice := values[key.Value]; twice {
			return fail(fmt.Errorf("%q is set a second time; remove one of the two lines", key.Value))
		}
		value, err := settingValue(node, flag)
		if err == nil {
			value = besideFile(file, flag, value)
			err = suits(flag, value)
		}
		if err != nil {
			return fail(fmt.Errorf("%s: %w", key.Value, err))
		}
		values[key.Value], places[key.Value] = value, fmt.Sprintf("%s, line %d", file, key.Line)
	}
	return values, places, nil
}

// tabbed returns the number of the first line that is indented with a tab, or 0.
func tabbed(text []byte) int {
	line := 0
	for part := range bytes.Lines(text) {
		line++
		if bytes.HasPrefix(bytes.TrimLeft(part, " "), []byte("\t")) {
			return line
		}
	}
	return 0
}

// flagsOf returns all commands' flags that a file may set, by name.
func (r Rules) flagsOf(app *kong.Application) map[string]*kong.Flag {
	flags := map[string]*kong.Flag{}
	var visit func(*kong.Node)
	visit = func(n *kong.Node) {
		for _, f := range n.Flags {
			// serve comes first because it has the most flags.
			if flags[f.Name] == nil && !slices.Contains(r.Except, f.Name) {
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
	if meant := wording.DidYouMean(plain, slices.Sorted(maps.Keys(flags))); meant != "" {
		return fmt.Errorf("unknown setting %q%s", name, meant)
	}
	return fmt.Errorf("unknown setting %q; \"webmcp-hub serve --help\" lists the flags, each of which is a setting",
		name)
}

// settingValue returns a value in the form that the parser accepts.
func settingValue(node *yaml.Node, flag *kong.Flag) (any, error) {
	switch {
	case node.Kind == yaml.ScalarNode && node.Tag == "!!null":
		return nil, errors.New("has no value; write one after the colon, or remove the line")
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
		return nil, errors.New("takes one value, not a list; keep one of them, without brackets or a dash")
	}
	return nil, errors.New("takes a plain value")
}

// besideFile resolves a relative path against the file's folder, because MCP clients start the hub in arbitrary
// folders.
func besideFile(file string, flag *kong.Flag, value any) any {
	path, ok := value.(string)
	if !ok || flag.Tag.Type != "path" || path == "" || filepath.IsAbs(path) || strings.HasPrefix(path, "~") {
		return value
	}
	return filepath.Join(filepath.Dir(file), path)
}

// suits checks whether a flag accepts a value.
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
		return fmt.Errorf("must be one of %s, not %q",
			strings.Join(slices.DeleteFunc(flag.EnumSlice(), func(s string) bool { return s == "" }), ", "), text)
	}
	return nil
}

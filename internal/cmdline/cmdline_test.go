package cmdline

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// sample is a command line with everything that the scripts know.
type sample struct {
	Config string `type:"path" placeholder:"FILE" help:"Read settings from this file."`

	Serve struct {
		Mode   string `enum:"all,focus" default:"all" help:"What it's about | all of it. Not in the scripts."`
		Share  bool   `default:"true" negatable:"" help:"Share."`
		Pages  int    `help:"How many …"`
		Secret bool   `hidden:"" help:"Nobody sees this."`
	} `cmd:"" default:"withargs" help:"Serve."`
	Pins struct {
		Accept struct {
			All bool `help:"All."`
		} `cmd:"" help:"Accept."`
		List struct{} `cmd:"" help:"List."`
	} `cmd:"" help:"Pins."`
	Commands `embed:""`
}

func model(t *testing.T) *kong.Application {
	t.Helper()
	k, err := kong.New(&sample{}, kong.Name("a-sample"), kong.Description("Is a sample."), kong.Vars{"version": "a-sample 1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	return k.Model
}

// typed are command lines, and what can stand in the place of the last word. A file is in the folder.
var typed = []struct {
	line string
	want []string
}{
	{"a-sample p", []string{"pins"}},
	{"a-sample pins ", []string{"accept", "list"}},
	{"a-sample pins accept --a", []string{"--all"}},
	{"a-sample --config x pins l", []string{"list"}},
	{"a-sample --s", []string{"--share"}},
	{"a-sample serve --no", []string{"--no-share"}},
	{"a-sample --mo", []string{"--mode="}},
	{"a-sample --mode ", []string{"all", "focus"}},
	{"a-sample serve --mode f", []string{"focus"}},
	{"a-sample --mode=f", []string{"--mode=focus"}},
	{"a-sample completion ", []string{"bash", "fish", "powershell", "zsh"}},
	{"a-sample --config a-f", []string{"a-file"}},
	{"a-sample --config=a-f", []string{"--config=a-file"}},
	{"a-sample --sec", nil}, // hidden
}

// complete asks a shell, by a script that gets the completion script and a command line.
func complete(t *testing.T, shell string, script string) {
	if _, err := exec.LookPath(shell); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{"script": Script(shell, model(t)), "asking": script, "a-file": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range typed {
		asking := exec.Command(shell, "asking", c.line)
		asking.Dir = dir
		out, err := asking.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.line, err, out)
		}
		var got []string
		for line := range strings.Lines(string(out)) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			got = append(got, word)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q is completed to %q, want %q", c.line, got, c.want)
		}
	}
}

// TestBash calls the function that the script gives to complete, with the words as bash splits them, and falls back to
// files as bash does then.
func TestBash(t *testing.T) {
	complete(t, "bash", `
source ./script
registered=$(complete -p a-sample)
[[ $registered == *"-o default"* ]] || exit 1
function=${registered##*-F } function=${function%% *}
line=$1 head=
[[ $line == *" --"*=* ]] && head=${line##* } head=${head%%=*}=
read -ra COMP_WORDS <<<"${line//=/ = }"
[[ $line == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
$function
((${#COMPREPLY[@]})) || { COMPREPLY=("${COMP_WORDS[COMP_CWORD]}"*); [[ -e ${COMPREPLY[0]} ]] || COMPREPLY=(); }
for reply in "${COMPREPLY[@]}"; do echo "$head$reply"; done
`)
}

// TestFish asks fish itself.
func TestFish(t *testing.T) {
	complete(t, "fish", `
source ./script
complete -C $argv[1]
`)
}

// TestZsh calls the function that the script gives to compdef. Only zsh's line editor has the functions that show what was
// found, so simple ones stand for them.
func TestZsh(t *testing.T) {
	complete(t, "zsh", `
compdef() { [[ $2 == a-sample ]] && function=$1 }
compset() { head=${PREFIX%%=*}= PREFIX=${PREFIX#*=} }
show() { if [[ $1 == $PREFIX* ]]; then print -r -- $head$1; fi }
_files() { for word in *; do show $word; done }
_describe() {
  if [[ $1 != -o ]]; then
    for word in "${(@P)2}"; do show "${word%%:*}"; done
    return
  fi
  for word in "${(@P)3}"; do show "${word%%:*}"; done
  for word in "${(@P)5}"; do show "${word%%:*}$7"; done
}
source ./script
line=$1
words=(${=line}) head=
[[ $line == *" " ]] && words+=("")
CURRENT=$#words PREFIX=$words[-1]
$function
true
`)
}

// TestTable: hidden flags are left out, and help can't end the table or a field of it.
func TestTable(t *testing.T) {
	got := table(model(t))
	if want := "serve|--mode=|What it’s about / all of it\n"; !strings.Contains(got, want) || strings.Contains(got, "secret") {
		t.Errorf("got\n%s\nwant it to have %s", got, want)
	}
}

// TestManPage: the page has all flags and commands but hidden ones, and man's formatters warn of nothing.
func TestManPage(t *testing.T) {
	page := ManPage(model(t), "a-sample 1.2.3")
	for _, want := range []string{
		`.TH A-SAMPLE 1 "" "a\-sample 1.2.3"`, `a\-sample \- Is a sample`, `\fBpins accept\fR`, `\fB\-\-[no\-]share\fR`,
		`\fB\-\-mode=all|focus\fR`, `\fB\-\-config=FILE\fR`, `\fI<shell>\fR`, `How many \[u2026]`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "secret") || t.Failed() {
		t.Errorf("the page is\n%s", page)
	}
	for _, formatter := range [][]string{{"groff", "-man", "-ww", "-z"}, {"mandoc", "-T", "lint", "-W", "warning"}} {
		if _, err := exec.LookPath(formatter[0]); err != nil {
			continue
		}
		c := exec.Command(formatter[0], formatter[1:]...)
		c.Stdin = strings.NewReader(page)
		if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", formatter[0], err, out)
		}
	}
}

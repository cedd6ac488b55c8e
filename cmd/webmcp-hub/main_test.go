package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// TestMain runs the tests, or this program itself for the scripts among them.
func TestMain(m *testing.M) {
	testscript.Main(leakless{m}, map[string]func(){"webmcp-hub": main})
}

// leakless fails when tests leave goroutines behind.
type leakless struct{ *testing.M }

func (m leakless) Run() int {
	_ = os.Setenv("WEBMCP_HUB_CONFIG", os.DevNull) // whatever settings the user has
	code := m.M.Run()
	if code != 0 {
		return code
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// TestScripts runs the command lines in testdata/script, as a user would type them.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Cmds:               map[string]func(*testscript.TestScript, bool, []string){"exec-2": refused},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir+"/home")
			env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/config")
			hub, err := exec.LookPath("webmcp-hub") // for scripts that change PATH
			env.Setenv("HUB", hub)
			return errors.Join(err, os.MkdirAll(env.WorkDir+"/home", 0o700))
		},
	})
}

// refused is exec-2 in scripts: webmcp-hub, with these arguments, ends with 2
// and says on stderr alone what matches the pattern.
func refused(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: exec-2 pattern [argument...]")
	}
	var exit *exec.ExitError
	if err := ts.Exec("webmcp-hub", args[1:]...); !errors.As(err, &exit) || exit.ExitCode() != 2 {
		ts.Fatalf("webmcp-hub %s: %v, want exit status 2", strings.Join(args[1:], " "), err)
	}
	said := ts.ReadFile("stderr")
	if !regexp.MustCompile("(?m)" + args[0]).MatchString(said) {
		ts.Fatalf("stderr has no match of %q:\n%s", args[0], said)
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("stdout is %q", out)
	}
}

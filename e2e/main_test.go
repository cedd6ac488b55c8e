package e2e

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is how long a test waits for something that should come at once. It's
// generous because it only costs time when a test fails.
const patience = time.Minute

// hubBinary is the program under test, built once for all the tests.
var hubBinary string

// builds is the folder of what was built.
var builds string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	flag.Parse()
	if testing.Short() {
		fmt.Fprintln(os.Stderr, "e2e: left out with -short: nearly every test here needs a browser")
		return 0
	}
	dir, err := os.MkdirTemp("", "webmcp-e2e-")
	if err != nil {
		return complain(err)
	}
	defer os.RemoveAll(dir)
	builds = dir
	if hubBinary, err = build("webmcp-hub"); err != nil {
		return complain(err)
	}
	// Whatever settings the user has are none of the tests'.
	if err := os.Setenv("WEBMCP_HUB_CONFIG", os.DevNull); err != nil {
		return complain(err)
	}
	// A hub with the race detector would rest for a second before it ends.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE")); err != nil {
		return complain(err)
	}
	limitLanes()
	pages = servePages()
	code := m.Run()
	closePools()
	pages.close()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			return complain(err)
		}
	}
	return code
}

// maxLanes is how many tests run at a time where -parallel doesn't say, at most. One test more than there are
// processors keeps them busy even while a test waits for a time limit. Further ones would only make pages so slow
// that the hub's own limits pass. Each test may have two Chromiums, so memory sets the limit.
const maxLanes = 6

func limitLanes() {
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		_ = flag.Set("test.parallel", strconv.Itoa(min(goruntime.GOMAXPROCS(0)+1, maxLanes)))
	}
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, "e2e:", err)
	return 1
}

// build builds one of the programs, and gives its path. Without what only debuggers need, linking takes half as long.
func build(name string) (string, error) {
	bin := filepath.Join(builds, name)
	args := []string{"build", "-ldflags", "-w -X main.version=v0.0.0-e2e", "-o", bin}
	if raceFlag {
		args = append(args, "-race")
	}
	if out, err := exec.Command("go", append(args, "../cmd/"+name)...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", name, err, out)
	}
	return bin, nil
}

// hubUnderTest is the program's path. Tests that run it depend on its sources.
func hubUnderTest(t testing.TB) string {
	t.Helper()
	if err := sourcesNoted(); err != nil {
		t.Fatal(err)
	}
	return hubBinary
}

var sourcesNoted = sync.OnceValue(func() error { return noteSources("..") })

// noteSources looks at every source file of the hub. This package doesn't import
// the hub, so go test would otherwise serve a cached result after a change to it:
// the cache compares the files that a test looked at, once tests have begun.
func noteSources(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch d.Name() {
			case ".git", "node_modules", "bin":
				return filepath.SkipDir
			}
			return nil
		}
		switch filepath.Ext(path) {
		case ".go", ".js", ".json", ".html", ".css", ".mod", ".sum":
			_, err = os.Stat(path)
		}
		return err
	})
}

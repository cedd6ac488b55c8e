package release

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

const usage = `Usage: go run ./cmd/release COMMAND, in the repository's folder

  version        print the version of this commit, from git
  env            print what .goreleaser.yaml needs in its environment, for a shell
  license        fail if there is no LICENSE, unless ALLOW_NO_LICENSE=1
  ready          say what must still be done before a release can be published
  files          write the files of this repository that names.json decides on
  rename CHANGE… change names.json, such as owner=NAME or npm=@NAME/webmcp-hub, and with it the files of this repository
  packages DIST  make packages of the programs that goreleaser has built in DIST`

// Run carries out one command of cmd/release in the current folder, which must be the repository's. What the command
// prints goes to out.
func Run(args []string, out io.Writer) error {
	n, err := readNames(namesFile)
	if err != nil {
		return err
	}
	if len(args) > 1 && args[0] == "rename" { // needs no commit
		changed, err := n.renamed(args[1:])
		if err != nil {
			return err
		}
		return rename(".", n, changed)
	}
	if len(args) == 2 && args[0] == "packages" { // of the version that was built, whatever has been committed since
		return makePackages(".", args[1], n)
	}
	version, err := describe(".")
	if err != nil {
		return err
	}
	switch {
	case len(args) == 1 && args[0] == "version":
		_, err = fmt.Fprintln(out, version)
		return err
	case len(args) == 1 && args[0] == "env":
		for _, v := range [][2]string{{"VERSION", version}, {"OWNER", n.Owner}, {"HOMEPAGE", n.Homepage},
			{"REGISTRY", n.Registry}, {"IMAGE", n.Image},
			{"LICENSE_ID", n.License}, {"MAINTAINER", n.Author + " <" + n.Email + ">"}} {
			if _, err := fmt.Fprintf(out, "%s='%s'\n", v[0], strings.ReplaceAll(v[1], "'", `'\''`)); err != nil {
				return err
			}
		}
		return nil
	case len(args) == 1 && args[0] == "license":
		return licensed(".", os.Getenv("ALLOW_NO_LICENSE") == "1")
	case len(args) == 1 && args[0] == "ready":
		return n.undecided(".", version)
	case len(args) == 1 && args[0] == "files":
		return writeFiles(".", n)
	}
	return errors.New("what shall be done?\n" + usage)
}

package release

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// describe asks git for the version of the working tree in root.
func describe(root string) (version string, err error) {
	out, err := git(root, "describe", "--tags", "--match", "v[0-9]*", "--long", "--abbrev=8", "--always", "--dirty")
	if err != nil {
		return "", err
	}
	count, err := git(root, "rev-list", "--count", "HEAD")
	if err != nil {
		return "", err
	}
	return versionOf(out, count)
}

var described = regexp.MustCompile(`^(?:v(\d+)\.(\d+)\.(\d+)-(\d+)-g)?([0-9a-f]+)(-dirty)?$`)

// versionOf makes a semantic version of what git describe --long says. A commit with a tag has the tag's version. A later
// one precedes the next patch release; without any tag the version precedes 0.0.1.
func versionOf(describe, commits string) (string, error) {
	match := described.FindStringSubmatch(describe)
	if match == nil {
		return "", fmt.Errorf("no version can be made of the tag in %q: tags are like v1.2.3", describe)
	}
	major, minor, patch, since, commit, dirty := match[1], match[2], match[3], match[4], match[5], match[6]
	switch {
	case major == "":
		major, minor, patch, since = "0", "0", "0", commits
	case since == "0" && dirty == "":
		return major + "." + minor + "." + patch, nil
	}
	n, err := strconv.Atoi(patch)
	if err != nil {
		return "", err
	}
	version := fmt.Sprintf("%s.%s.%d-dev.%s.g%s", major, minor, n+1, since, commit)
	return version + strings.Replace(dirty, "-", ".", 1), nil
}

// committed returns when a commit of the repository in root was made.
func committed(root, commit string) (time.Time, error) {
	out, err := git(root, "log", "-1", "--format=%ct", commit)
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(out, 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

func git(root string, args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w (a release is made in a git repository)", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

package process

import (
	"runtime/debug"
	"strings"
)

// Version returns the program's version: the one that the build has set or, as "go install" sets none, the module's.
func Version(set string) string {
	if info, ok := debug.ReadBuildInfo(); ok && set == "dev" {
		return moduleVersion(info)
	}
	return set
}

func moduleVersion(info *debug.BuildInfo) string {
	if version, ok := strings.CutPrefix(info.Main.Version, "v"); ok {
		return version
	}
	return "dev" // built from a folder
}

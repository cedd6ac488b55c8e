// Command release makes the packages of a release; see package release. Its output is for shells and people: it speaks no
// protocol.
package main

import (
	"fmt"
	"os"

	"webmcphub/release"
)

func main() {
	if err := release.Run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

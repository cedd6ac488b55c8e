// Package settings reads a program's settings from a file, for flags that the
// command line and the environment leave open: YAML (or JSON, which is a part of
// it) with one line for each flag, such as "max-pages: 20". [Resolve] hands them to
// the parser of the command line.
//
// A flag of a stronger source may displace others: with --browser-url on the
// command line, "headless: true" in the file is about another Chrome, and not a
// contradiction. What no command knows, and a value that its flag doesn't take, are
// errors that name the line. The package knows the parser and none of the flags.
package settings

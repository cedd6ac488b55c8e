// Package settings reads the program's settings files.
//
//   - [Resolve] hands the settings of config.yaml to the parser of the command line, for flags that the command line
//     and the environment leave open. The file is YAML (or JSON, which is a part of it) with one line for each flag,
//     such as "max-pages: 20". A flag of the command line or the environment can make a setting of the file
//     ineffective ([Rules].Displaces): with --browser-url on the command line, "headless: true" in the file is about
//     another Chrome, and is ignored instead of refused as a contradiction. A key that no command knows, and a value
//     that its flag doesn't take, are errors that name the line.
//   - [ListItems] reads files that hold one list under one key ("browsers:", "tenants:"). Errors begin with the
//     line, and repeat nothing that may be secret.
//   - [WatchFile] says when a file has changed. It looks once a second, so that it works on every file system, and
//     waits until a file that is being written has been left alone.
package settings

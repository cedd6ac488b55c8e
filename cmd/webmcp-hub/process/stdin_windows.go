package process

import "os"

// Stdin returns os.Stdin: Windows has no such mode for pipes.
func Stdin() *os.File { return os.Stdin }

package process

import "os"

// Stdin is stdin as it is: Windows has no such mode for pipes.
func Stdin() *os.File { return os.Stdin }

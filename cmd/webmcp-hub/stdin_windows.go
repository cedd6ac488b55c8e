package main

import "os"

// pollableStdin is stdin as it is: Windows has no such mode for pipes.
func pollableStdin() *os.File { return os.Stdin }

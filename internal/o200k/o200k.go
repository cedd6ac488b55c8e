// Package o200k counts tokens as o200k_base really does, with its whole vocabulary, for
// tests of what the hub estimates and promises. The hub's binary doesn't have it.
package o200k

import (
	"sync"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

// encoding reads the vocabulary, which takes about half a second, once.
var encoding = sync.OnceValue(func() *tiktoken.Tiktoken {
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	e, err := tiktoken.GetEncoding(tiktoken.MODEL_O200K_BASE)
	if err != nil { // the vocabulary is part of the module
		panic(err)
	}
	return e
})

// Count is how many tokens a text has. Any goroutine may call it.
func Count(text string) int { return len(encoding().EncodeOrdinary(text)) }

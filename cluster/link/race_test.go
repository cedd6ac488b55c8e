//go:build race

package link

// largest is the size of the largest message that tests send: the race detector takes half a
// minute for the largest that may be.
const largest = 4 << 20

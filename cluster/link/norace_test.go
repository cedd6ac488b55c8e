//go:build !race

package link

// largest is the size of the largest message that tests send.
const largest = MaxMessage

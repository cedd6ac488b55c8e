// Package images scales the images of tool results down to what model APIs
// take ([Fit]), in bounded memory: an image that would take too much of it is
// replaced by a text that says so.
package images

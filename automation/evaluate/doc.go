// Package evaluate runs scripts of agents in the pages' own world and makes JSON of what
// they return: of cycles, DOM nodes and numbers without JSON too, in bounded size.
package evaluate

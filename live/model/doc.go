// Package model knows what the hub's live page shows: tabs and their tools, calls, and what
// happened in each tab, in bounded memory.
//
//   - [State] is told what happens ([State.Step]) and gives what is to be shown of it
//     ([State.View]) by a [Filter];
//   - [Masked] hides secrets in the arguments and results of calls;
//   - [Fields] are those of a form that a tool's schema makes.
//
// The package is pure: times are told to it. A State belongs to whoever guards it.
package model

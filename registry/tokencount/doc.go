// Package tokencount estimates how many tokens a text costs in a model's context, without the megabytes of a tokenizer's
// vocabulary.
//
// It counts as o200k_base would. That tokenizer first splits a text into words, numbers, signs and blanks, by fixed
// rules that are simple enough to follow here. Then it splits each piece by its vocabulary; this package estimates
// the number of tokens of a piece by its length and script. Other tokenizers give other numbers, but they agree on
// which of two texts costs more.
package tokencount

// Package tokens estimates how many tokens a text costs in a model's context, without a
// tokenizer's vocabulary of megabytes.
//
// It counts as o200k_base would: that tokenizer first splits a text into words, numbers,
// signs and blanks by fixed rules, which are simple enough to follow here, and then cuts
// each of these pieces by its vocabulary. How many tokens a piece becomes is estimated by
// its length and script. Other tokenizers give other numbers, but which of two texts costs
// more they say alike.
package tokens

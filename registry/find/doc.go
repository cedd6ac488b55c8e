// Package find finds tools by words. It has an index of what catalogs publish, and writes in one line how a tool is
// called.
//
// # What lives here
//
//   - [Index]: the words of all tools, of their parameters, and of the tabs that have them. [Index.Update] builds it
//     of a catalog, with the texts that it has read before (index.go), and [Index.Search] finds tools (search.go,
//     choose.go);
//   - how texts of any script are split into words (fold.go, stem.go), and which texts a tool has (content.go);
//   - what a query's words may also mean (query.go): other forms, misspelled words (vocabulary.go), and synonyms
//     (synonyms.txt);
//   - [Signature]: a tool's name and parameters in one line.
//
// # How it ranks
//
// By BM25F: a word counts more the fewer tools have it, and more in a name than in a description. Words of a tab's
// host and title count for all of its tools. Words of the tab's other tools count a little, too, because not every
// tool of a site names the site's subject. A tool with more of the query's words comes before one that has a single
// word often. A tool whose name consists of words of the query comes before one whose name has other words.
//
// # Promises
//
//   - After an Update that returns true, an Index finds what a new Index of that catalog would find, and finds each
//     tool by its name.
//   - Pages are untrusted: memory and time are limited whatever they register, and a signature is always one line.
//
// An [Index] belongs to one goroutine. The package imports only the standard library, registry and the packages below
// it. It has no goroutine, clock or logger.
package find

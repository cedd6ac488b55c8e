// Package find finds tools by words: it has an index of what catalogs publish, and says in
// one line how a tool is called.
//
// # What lives here
//
//   - [Index]: the words of all tools, of their parameters, and of the tabs that have them.
//     [Index.Update] brings it from one catalog to a later one by what differs (index.go),
//     and [Index.Search] finds tools (search.go, choose.go);
//   - what a text's words are, whatever its script (fold.go, stem.go), and what a tool's
//     texts are (content.go);
//   - what a query's words may mean besides what they say (query.go): other forms,
//     misspelled ones (vocabulary.go), and synonyms (synonyms.txt);
//   - [Signature]: a tool's name and parameters in one line.
//
// # How it ranks
//
// By BM25F: a word tells the more the fewer tools have it, and more in a name than in a
// description. Words of a tab's host and title count for all of its tools, and so, a little,
// do those of its other tools: the subject of a site need not be named by each of them. What
// has more of the query's words comes before what has one of them often, and a name that the
// query has all words of before one that has others.
//
// # Promises
//
//   - After an Update that says so, an Index finds what a new one of that catalog would, and
//     each of its tools by the tool's name.
//   - What pages say is untrusted: everything is bounded, in memory and in time, whatever
//     they register, and a signature is always one line.
//
// An [Index] belongs to one goroutine. The package imports the standard library, registry
// and its leaves only. It has no goroutine, clock or logger.
package find

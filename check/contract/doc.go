// Package contract compares the definitions of a page's tools with those of a lock file. It says what each difference
// means for agents that know the old definition: the difference breaks them ([Breaking]), lets them do more
// ([Widening]), or only reads differently ([Text]).
//
// The lock file ([Lock]) holds the definitions themselves, so that a reviewer sees what changed. Everything here is
// pure.
package contract

// Package allottest holds every [allot.Store] to the same tests.
package allottest

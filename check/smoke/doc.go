// Package smoke makes inputs for a tool from its schema ([Inputs]): ordinary values, values at the limits, and values
// that the schema rejects. It also judges the outcomes of calls with these inputs ([Judge]). Everything here is pure:
// the same schema gives the same inputs.
package smoke

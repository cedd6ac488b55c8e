// Package smoke makes inputs for a tool from its schema ([Inputs]): ordinary ones, values
// at the limits, and ones that the schema refuses; and it judges what came of calling the
// tool with them ([Judge]). Everything here is pure: the same schema gives the same inputs.
package smoke

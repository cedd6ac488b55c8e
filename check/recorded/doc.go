// Package recorded makes of a recorded session what a check needs: a journey that does the
// same, and which of the tools were called. It is pure.
//
// A recording has tools by the names that the hub gave them; a journey and coverage have
// those that the page gave them, as far as the hub's names tell.
package recorded

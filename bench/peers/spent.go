package main

import "webmcphub/bench/peers/server"

// Figures of the processor time of clicks in so many tabs at once.
func serversShare(tabs int) figure { return clicksOf(tabs) + ", server's CPU" }
func chromesShare(tabs int) figure { return clicksOf(tabs) + ", Chrome's CPU" }
func busyIn(tabs int) figure       { return clicksOf(tabs) + ", busy" }

// spent stores what clicks have taken between two readings.
func spent(v values, tabs, clicks int, before, after server.Meter) {
	v[chromesShare(tabs)] = ms(after.Chrome-before.Chrome) / float64(clicks)
	if after.Server > 0 {
		v[serversShare(tabs)] = ms(after.Server-before.Server) / float64(clicks)
	}
	v[busyIn(tabs)] = after.Busy(before)
}

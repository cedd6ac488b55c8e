package automation

func emulationTools() []Tool {
	return []Tool{
		{
			Name: "emulate", Title: "Emulate a device", Category: Emulation,
			Description: `Has a page see other conditions, until changed again. What is left out is reset, but for extraHttpHeaders.`,
			Input: object(
				oneOf("networkConditions", "", "Offline", "Slow 3G", "Fast 3G", "Slow 4G", "Fast 4G"),
				field{name: "cpuThrottlingRate", schema: `{"type":"number","minimum":1,"maximum":20}`},
				text("geolocation", "latitude,longitude"), text("userAgent", ""),
				oneOf("colorScheme", "", "dark", "light", "auto"), oneOf("forcedColors", "", "active", "none", "auto"),
				oneOf("prefersContrast", "", "more", "less", "custom", "no-preference", "auto"),
				oneOf("prefersReducedMotion", "", "reduce", "no-preference", "auto"),
				text("viewport", "WIDTHxHEIGHTxRATIO[,mobile][,touch][,landscape]"), text("extraHttpHeaders", `JSON object; "" clears`), pageID),
			Effect: Chooses, Idempotent: true,
			run: (*Request).emulate,
		},
		{
			Name: "resize_page", Title: "Resize a page", Category: Emulation,
			Description: "Gives a page's content this size in CSS pixels, without changing the window of its tab.",
			Input:       object(count("width", 1, "").must(), count("height", 1, "").must(), pageID),
			Effect:      Chooses, Idempotent: true,
			run: (*Request).resizePage,
		},
	}
}

// The page's end of the bare way: echoes, or has the page's tool echo.
chrome.runtime.sendMessage("wake", () => {
  const port = chrome.runtime.connect();
  port.onMessage.addListener(async (m) => {
    if (!m.startsWith("tool")) return port.postMessage(m);
    const tool = { name: "echo", description: "", title: "", window, origin: self.origin };
    const text = await document.modelContext.executeTool(tool, { text: m });
    port.postMessage(JSON.parse(text).content[0].text);
  });
});

// The socket's end of the bare way: what comes is sent back, or handed on to the page and back.
const socket = new WebSocket(`ws://127.0.0.1:${PORT}/`); // PORT is config.js's, which the benchmark writes
let frame;
socket.onmessage = ({ data }) => (data.startsWith("socket") ? socket.send(data) : frame.postMessage(data));
chrome.runtime.onConnect.addListener((port) => {
  frame = port;
  port.onMessage.addListener((m) => socket.send(m));
  if (socket.readyState === WebSocket.OPEN) socket.send("ready");
  else socket.onopen = () => socket.send("ready");
});

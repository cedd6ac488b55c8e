onmessage = (m) => m.source.postMessage("here");

// Posts each id back after ms. See lib/clock.js.
onmessage = ({ data: { id, ms } }) => setTimeout(() => postMessage(id), ms);

// Says each id back after its time. See lib/clock.js.
onmessage = ({ data: { id, ms } }) => setTimeout(() => postMessage(id), ms);

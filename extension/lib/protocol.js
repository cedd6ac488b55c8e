// The words of the WebSocket protocol: limits, and the shape of what the hub may ask. Pure.

export const PROTOCOL = "webmcp-hub.v2";
export const DEFAULT_PORT = 8765;
export const PING_MS = 20_000;
/** A connection on which nothing came for so long is taken for dead. */
export const SILENCE_MS = 60_000;
/** Of one message, in bytes of UTF-8. */
export const MAX_MESSAGE = 16 << 20;

/** Close codes of the hub's. */
export const WRONG_TOKEN = 4401;
export const REPLACED = 4409;
export const OUTDATED = 4426;

const isString = (v) => typeof v === "string";
const isTab = (v) => Number.isSafeInteger(v) && v > 0;
const isObject = (v) => typeof v === "object" && v !== null && !Array.isArray(v);
const isStrings = (v) => Array.isArray(v) && v.every(isString);
const MAX_PATTERNS = 1000, MAX_TEXT = 300; // of each list of rules, and of each text in one
const isShort = (v) => isString(v) && v.length <= MAX_TEXT;
const isPattern = (v) => isObject(v) && optional((any) => typeof any === "boolean")(v.any) && [v.scheme, v.host, v.port].every(optional(isShort));
const isPatterns = (v) => Array.isArray(v) && v.length <= MAX_PATTERNS && v.every(isPattern);
const optional = (check) => (v) => v === undefined || v === null || check(v);

const shapes = {
  pong: {},
  connect: { launch: optional((v) => typeof v === "boolean"), introspect: optional((v) => typeof v === "boolean"),
    legacyModelContext: optional((v) => isObject(v) && isStrings(v.matches) && optional(isStrings)(v.excludeMatches)),
    origins: optional((v) => isObject(v) && isPatterns(v.allow) && isPatterns(v.deny)) },
  openTab: { url: isString, focus: (v) => typeof v === "boolean", requestId: optional(isString) },
  focusTab: { tabId: isTab, requestId: optional(isString) },
  closeTab: { tabId: isTab, requestId: optional(isString) },
  callTool: {
    callId: isString, tabId: isTab, toolName: isString, args: optional(isObject),
    frameId: optional((v) => Number.isSafeInteger(v) && v >= 0), doc: optional(isString), timeoutMs: optional((v) => typeof v === "number"),
  },
  cancelTool: { callId: isString },
  debuggerAttach: { tabId: isTab },
  debuggerCommand: { tabId: isTab, id: (v) => Number.isSafeInteger(v) && v > 0, sessionId: optional(isString), method: isString, params: optional(isObject) },
  debuggerDetach: { tabId: isTab },
  agentStatus: { paused: (v) => typeof v === "boolean", pausedOrigins: isStrings, pausedTabs: (v) => Array.isArray(v) && v.every(isTab), permissions: (v) => isObject(v) && Object.values(v).every(isString) },
};

/** Reads the hub's answer to hello, {nonce, proof}; undefined where it is none. */
export function parseChallenge(text) {
  try {
    const { type, nonce, proof } = JSON.parse(text);
    return type === "challenge" && isString(nonce) && isString(proof) ? { nonce, proof } : undefined;
  } catch {
    return undefined;
  }
}

/** Reads one message of the hub's; undefined where it is none that this protocol knows, which the caller ignores. */
export function parse(text) {
  let m;
  try {
    m = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(m) || !isString(m.type) || !Object.hasOwn(shapes, m.type)) return undefined;
  return Object.entries(shapes[m.type]).every(([field, check]) => check(m[field])) ? m : undefined;
}

/** Whether a message of ours is one that the hub would take. */
export function fits(text) {
  return text.length * 3 <= MAX_MESSAGE || new TextEncoder().encode(text).length <= MAX_MESSAGE;
}

// The WebSocket protocol: its limits, and the shapes of the hub's messages. Pure.

export const PROTOCOL = "webmcp-hub.v2";
export const DEFAULT_PORT = 8765;
export const PING_MS = 20_000;
/** Link treats a connection as dead after this long without a message. */
export const SILENCE_MS = 60_000;
/** The largest message that the hub takes, in bytes of UTF-8. */
export const MAX_MESSAGE = 16 << 20;

/** The hub's close codes. */
export const WRONG_TOKEN = 4401;
export const REPLACED = 4409;
export const OUTDATED = 4426;

const isString = (v) => typeof v === "string";
const isTab = (v) => Number.isSafeInteger(v) && v > 0;
const isObject = (v) => typeof v === "object" && v !== null && !Array.isArray(v);
const isStrings = (v) => Array.isArray(v) && v.every(isString);
const MAX_PATTERNS = 1000, MAX_TEXT = 300; // patterns in a list, characters in a text
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

/** Returns {nonce, proof} from the hub's answer to hello, or undefined if text is no such answer. */
export function parseChallenge(text) {
  try {
    const { type, nonce, proof } = JSON.parse(text);
    return type === "challenge" && isString(nonce) && isString(proof) ? { nonce, proof } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the hub's message, parsed, or undefined if this protocol doesn't know it; the caller then ignores it. */
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

/** Returns whether the hub would take a message of this size. */
export function fits(text) {
  return text.length * 3 <= MAX_MESSAGE || new TextEncoder().encode(text).length <= MAX_MESSAGE;
}

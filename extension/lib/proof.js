// How both ends prove that they know the pairing token without sending it: first the hub, then the extension, each with an HMAC
// over the protocol's name, its own role, the port and both random numbers. Needs only WebCrypto.
import { PROTOCOL } from "./protocol.js";

const BYTES = 32;
const text = (s) => new TextEncoder().encode(s);

const base64url = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const fromBase64url = (s) => Uint8Array.from(atob(s.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

/** Returns a random number to use once, as text. */
export const newNonce = () => base64url(crypto.getRandomValues(new Uint8Array(BYTES)));

/** Returns whether v can be the other end's nonce: 32 bytes in base64url. */
export const isNonce = (v) => typeof v === "string" && /^[A-Za-z0-9_-]{43}$/.test(v);

const key = (token) => crypto.subtle.importKey("raw", text(token), { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
const said = (role, { port, mine, theirs }) => text([PROTOCOL, role, port, mine, theirs].join("\n"));

/** Resolves with the extension's proof. exchange: {token, port, mine, theirs}; mine is the extension's nonce. */
export async function prove(exchange) {
  return base64url(new Uint8Array(await crypto.subtle.sign("HMAC", await key(exchange.token), said("extension", exchange))));
}

/** Resolves with whether proof is the hub's: only an end that knows the token can make it. */
export async function proves(proof, exchange) {
  let bytes;
  try {
    bytes = fromBase64url(proof);
  } catch {
    return false;
  }
  return crypto.subtle.verify("HMAC", await key(exchange.token), bytes, said("hub", exchange));
}

// How both ends prove that they know the pairing token, without either saying it: the hub, then the extension, each by an HMAC
// over two random numbers, its own role and the port. Needs only WebCrypto.
import { PROTOCOL } from "./protocol.js";

const BYTES = 32;
const text = (s) => new TextEncoder().encode(s);

const base64url = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const fromBase64url = (s) => Uint8Array.from(atob(s.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

/** A random number that is used once, as text. */
export const newNonce = () => base64url(crypto.getRandomValues(new Uint8Array(BYTES)));

/** Whether something can be the other end's nonce: 32 bytes in base64url. */
export const isNonce = (v) => typeof v === "string" && /^[A-Za-z0-9_-]{43}$/.test(v);

const key = (token) => crypto.subtle.importKey("raw", text(token), { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
const said = (role, { port, mine, theirs }) => text([PROTOCOL, role, port, mine, theirs].join("\n"));

/** What the extension proves itself with. exchange: {token, port, mine, theirs}, mine being the extension's nonce. */
export async function prove(exchange) {
  return base64url(new Uint8Array(await crypto.subtle.sign("HMAC", await key(exchange.token), said("extension", exchange))));
}

/** Whether proof is one of the hub's, which only who knows the token can make. */
export async function proves(proof, exchange) {
  let bytes;
  try {
    bytes = fromBase64url(proof);
  } catch {
    return false;
  }
  return crypto.subtle.verify("HMAC", await key(exchange.token), bytes, said("hub", exchange));
}

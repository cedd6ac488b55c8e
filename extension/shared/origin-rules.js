// Decides which origins may have tools under the hub's rules (--allow-origin, --deny-origin), as the hub itself does.

/**
 * Returns whether rules let documents of an origin have tools. Rules are lists of {any} or {scheme, host, port}. A missing
 * scheme, host or port matches all; a host that begins with "." matches all hosts below it; the port "default" is the scheme's.
 * @param {{allow?: object[], deny?: object[]}} rules
 * @param {string} origin as browsers write it; "null" means none
 * @returns {boolean}
 */
webmcpHub.originPermitted = ({ allow, deny }, origin) => {
  const PORTS = { "http:": "80", "https:": "443", "ws:": "80", "wss:": "443" };
  const parse = (text) => {
    try {
      const { protocol, hostname, port } = new URL(text);
      return hostname ? { scheme: protocol.slice(0, -1), host: hostname.replace(/\.$/, ""), port: port || PORTS[protocol] || "", usual: !port } : undefined;
    } catch {
      return undefined;
    }
  };
  // An IPv6 address can be written in more than one way.
  const canonical = (host) => (host.includes(":") ? parse(`ws://[${host}]`)?.host ?? host : host);
  const at = parse(origin);
  const matches = ({ any, scheme, host = "", port }) => {
    if (any) return true;
    if (!at || (scheme && scheme !== at.scheme)) return false;
    if (port === "default" ? !at.usual : port && port !== at.port) return false;
    return host.startsWith(".") ? at.host.endsWith(host) : !host || canonical(host) === at.host;
  };
  if ((deny ?? []).some(matches)) return false;
  return !allow?.length || allow.some(matches);
};

/**
 * Returns whether the hub's scripts may work in this document: the rules must permit its own origin and its page's. A sandbox
 * removes the origin, but rules that deny the address still hold. A frame without an address of its own may be from any site.
 * @param {{allow?: object[], deny?: object[]}} rules
 * @returns {boolean}
 */
webmcpHub.documentPermitted = (rules) => {
  const page = [...location.ancestorOrigins].at(-1);
  if (![self.origin, page ?? self.origin].every((origin) => webmcpHub.originPermitted(rules, origin))) return false;
  if (self.origin !== "null") return true;
  if (location.hostname) return webmcpHub.originPermitted({ deny: rules.deny }, location.origin);
  return page === undefined || !rules.deny?.length || Boolean(rules.allow?.some(({ any }) => any));
};

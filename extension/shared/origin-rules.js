// Which origins the hub's rules (--allow-origin, --deny-origin) let have tools, as the hub itself judges them.

/**
 * Whether rules let documents of an origin have tools. Rules are lists of {any} or {scheme, host, port}: without a scheme, host
 * or port it is any, a host that begins with "." is all below it, and the port "default" is the scheme's.
 * @param {{allow?: object[], deny?: object[]}} rules
 * @param {string} origin as browsers write it; "null" is none
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
  // An IPv6 address has more than one way to be written.
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
 * Whether the hub's scripts may be at work in this document: those of its own origin, and of its page's. A sandbox takes the origin
 * away, but not what denies the address; without an address of its own a frame's document may be anybody's.
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

// The browser's name and version, as the browser reports them.

/** Resolves with {name, version}, from navigator.userAgentData: those of the brand that isn't a made-up one. */
export async function browserName({ userAgentData, userAgent }) {
  const list = (await userAgentData?.getHighEntropyValues(["fullVersionList"]).catch(() => undefined))?.fullVersionList ?? [];
  const real = list.filter(({ brand }) => !/not.?a.?brand/i.test(brand.replace(/[^A-Za-z]/g, "")));
  const best = real.find(({ brand }) => brand !== "Chromium") ?? real[0];
  if (best) return { name: best.brand, version: best.version };
  return { name: "Chrome", version: /Chrome\/([\d.]+)/.exec(userAgent ?? "")?.[1] ?? "" };
}

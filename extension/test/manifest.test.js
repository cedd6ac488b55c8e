import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

const root = new URL("..", import.meta.url);
const read = (name) => readFileSync(new URL(name, root), "utf8");
const manifest = JSON.parse(read("manifest.json"));
const scripts = ["", "lib/", "content/", "shared/"].flatMap((dir) => readdirSync(new URL(dir || ".", root)).filter((f) => f.endsWith(".js")).map((f) => dir + f));

test("the key makes the id that the hub allows and the README names", () => {
  const hash = createHash("sha256").update(Buffer.from(manifest.key, "base64")).digest("hex").slice(0, 32);
  const id = [...hash].map((c) => String.fromCharCode("a".charCodeAt(0) + parseInt(c, 16))).join("");
  assert.equal(id, "hcgmadpoiniangaogdpbdfdboofoifng");
  assert.ok(read("README.md").includes(id));
});

test("every permission is explained", () => {
  for (const permission of [...manifest.permissions, ...manifest.host_permissions]) {
    assert.ok(read("README.md").includes(`| \`${permission}\``), permission);
  }
});

test("every file that the manifest and the scripts name is there, and every content script is named", () => {
  const named = [manifest.background.service_worker, manifest.action.default_popup, ...manifest.content_scripts.flatMap(({ js }) => js)];
  for (const file of [...named, "offscreen.html", "clock-worker.js"]) assert.ok(read(file));
  for (const [size, file] of Object.entries({ ...manifest.icons, ...manifest.action.default_icon })) {
    const png = readFileSync(new URL(file, root));
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [Number(size), Number(size)], file);
  }
  for (const file of scripts.filter((f) => /^(content|shared)\//.test(f))) assert.ok(named.includes(file) || ["lib/legacy.js", "lib/inject.js"].some((by) => read(by).includes(`${file}"`)), file);
  for (const file of scripts) {
    for (const [, from] of read(file).matchAll(/from "(\.[^"]+)"/g)) assert.ok(read(new URL(from, new URL(file, root)).href), `${file} imports ${from}`);
  }
});

test("no remote code, and no page's words as markup", () => {
  for (const file of [...scripts, "popup.html", "offscreen.html"]) {
    assert.doesNotMatch(read(file), /\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write|importScripts|https?:\/\//, file);
  }
  assert.match(manifest.content_security_policy.extension_pages, /default-src 'none'; script-src 'self';/);
  assert.equal(manifest.web_accessible_resources, undefined);
  assert.equal(manifest.externally_connectable, undefined);
});

test("the versions agree", () => {
  assert.ok(read("content/mcp-client.js").includes(`version: "${manifest.version}"`));
});

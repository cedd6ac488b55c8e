import assert from "node:assert/strict";
import test from "node:test";
import { Model } from "../lib/model.js";
import { tabTruth } from "../lib/tab-truth.js";
import { settle } from "./fakes.js";

const tab = (id, doc = "d1") => ({ id, title: "", url: "https://a.example/", doc, active: false, windowId: 1 });

/** answers holds what was asked; the test answers when it likes. */
function truth() {
  const answers = [];
  const ask = () => new Promise((resolve) => answers.push(resolve));
  let arrived = 0;
  const model = new Model({ emit() {} });
  const all = tabTruth({ model, arrivals: () => arrived, describe: ask, describeAll: ask });
  return { model, ...all, answers, arrive: () => arrived++, ids: () => model.tabs().map(({ id }) => id) };
}

test("a tab that was asked for alone meanwhile is asked for again", async () => {
  const t = truth();
  t.model.tabIs(tab(1));
  t.refreshAll();
  await settle();
  t.refresh(1);
  await settle();
  t.answers[1](tab(1, "d2"));
  await settle();
  t.answers[0]([tab(1, "d1")]); // the older answer
  await settle();
  assert.equal(t.model.tab(1).doc, "d2");
  t.answers[2](tab(1, "d3"));
  await settle();
  assert.equal(t.model.tab(1).doc, "d3");
});

test("a tab that is gone while all are asked for doesn't come back", async () => {
  const t = truth();
  const done = t.refreshAll();
  await settle();
  t.gone(2);
  t.answers[0]([tab(1), tab(2)]);
  await settle();
  t.answers[1]([tab(1)]);
  await done;
  assert.deepEqual(t.ids(), [1]);
});

test("a tab that is gone while it is asked for doesn't come back", async () => {
  const t = truth();
  const done = t.refresh(2);
  await settle();
  t.gone(2);
  t.answers[0](tab(2));
  await settle();
  t.answers[1](undefined);
  assert.equal(await done, undefined);
  assert.deepEqual(t.ids(), []);
});

test("an answer that a newer document has overtaken is asked for again", async () => {
  const t = truth();
  const one = t.refresh(1);
  const all = t.refreshAll();
  await settle();
  t.model.tabIs(tab(1, "d2"));
  t.arrive();
  t.answers[0](tab(1));
  t.answers[1]([tab(1)]);
  await settle();
  assert.equal(t.model.tab(1).doc, "d2");
  for (const answer of t.answers.slice(2)) answer(tab(1, "d2"));
  await Promise.all([one, all]);
  assert.equal(t.model.tab(1).doc, "d2");
});

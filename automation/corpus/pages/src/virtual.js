import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";

const list = document.getElementById("list"), log = document.getElementById("log");
const inner = list.appendChild(document.createElement("div"));
inner.style.position = "relative";
function draw(v) {
  inner.style.height = v.getTotalSize() + "px";
  inner.innerHTML = v.getVirtualItems().map((i) => `<div class="item" style="transform:translateY(${i.start}px)"><span>Customer ${i.index + 1}</span><small>since ${1950 + i.index % 70}</small><button data-i="${i.index + 1}">Edit</button></div>`).join("");
}
const v = new Virtualizer({ count: 10000, getScrollElement: () => list, estimateSize: () => 36, overscan: 3, scrollToFn: elementScroll, observeElementRect, observeElementOffset, onChange: draw });
v._didMount();
v._willUpdate();
draw(v);
list.addEventListener("click", (e) => { if (e.target.dataset.i) log.textContent = "Editing " + e.target.dataset.i; });

// A feed that grows when the user scrolls to its end.
const feed = document.getElementById("feed");
const more = (from) => feed.insertAdjacentHTML("beforeend", Array.from({ length: 10 }, (_, i) => `<article><h3>Post ${from + i}</h3><p>Text of post ${from + i}.</p></article>`).join(""));
more(1);
feed.addEventListener("scroll", () => { if (feed.scrollTop + feed.clientHeight > feed.scrollHeight - 20 && feed.children.length < 40) more(feed.children.length + 1); });

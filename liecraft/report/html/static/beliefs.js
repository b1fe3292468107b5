"use strict";
// Beliefs over time: for each seat suspected, a strip a believer, a cell each time it was asked.
LieCraft.beliefs = (() => {
  const { el } = LieCraft;
  const HOT = [213, 94, 0];

  function cell(probability, when) {
    const share = Math.min(1, Math.max(0, probability));
    const made = el("td", { title: `${when}: ${(100 * share).toFixed(0)}%` }, (100 * share).toFixed(0));
    const [r, g, b] = HOT.map((channel) => Math.round(255 + (channel - 255) * share));
    made.style.backgroundColor = `rgb(${r}, ${g}, ${b})`;
    if (share > 0.65) made.style.color = "#fff";
    return made;
  }

  /**
   * Draw all that was stated so far.
   * asked: [{observer, when, beliefs: [[seat, probability]]}], in order, of those whom the viewer may see.
   * label: a seat's name for the viewer.
   */
  function draw(box, asked, label) {
    const strips = new Map();
    for (const { observer, when, beliefs } of asked) {
      for (const [target, probability] of beliefs) {
        if (target === observer) continue;
        if (!strips.has(target)) strips.set(target, new Map());
        const rows = strips.get(target);
        if (!rows.has(observer)) rows.set(observer, []);
        rows.get(observer).push(cell(probability, when));
      }
    }
    const tables = [...strips.entries()]
      .sort(([a], [b]) => a - b)
      .map(([target, rows]) => {
        const lines = [...rows.entries()]
          .sort(([a], [b]) => a - b)
          .map(([observer, cells]) => el("tr", {}, el("th", { scope: "row" }, label(observer)), ...cells));
        const title = el("p", {}, `that ${label(target, true)} deceives, in %`);
        return el("div.strip", {}, title, el("table", {}, ...lines));
      });
    box.replaceChildren(...tables);
  }

  return draw;
})();

"use strict";
// Shared by the pages. Data files are scripts that call LieCraft.games and LieCraft.replay.
// Words of agents enter the page as text nodes only.
window.LieCraft = (() => {
  const store = { index: null, replays: new Map() };

  /** Make an element: `el("a.number", {href: "x"}, "text", child)`; strings become text nodes. */
  function el(name, attributes, ...children) {
    const [tag, ...classes] = name.split(".");
    const made = document.createElement(tag);
    if (classes.length) made.className = classes.join(" ");
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === true) made.setAttribute(key, "");
      else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
    }
    for (const child of children) {
      if (child !== null && child !== undefined) made.append(child);
    }
    return made;
  }

  const query = new URLSearchParams(window.location.search);

  function replayLink(run, game) {
    return "replay.html?" + new URLSearchParams({ run, game });
  }

  /** Keep the address in step with the page, where the browser allows that for files. */
  function setAddress(address) {
    try {
      window.history.replaceState(null, "", address);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  }

  return {
    store,
    el,
    query,
    replayLink,
    setAddress,
    games(index) { store.index = index; },
    replay(key, data) { store.replays.set(key, data); },
  };
})();

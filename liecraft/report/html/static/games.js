"use strict";
// The list of games. A game's row, as data/games.js holds it (numbers stand for names, -1 for none):
//   g name, t status, w winner, y reason, m moves, e events, f shard of its replay
//   s seats: [entrant, role, side, won, lies, bluffs, mistakes, truths, opinions, default moves, model calls]
//   k failure: [seat, kind] or null
//   v decisions: [voter, target or -1, 1 hit / 0 miss / -1 abstained]
//   d decisions after a lie: [liar, listener, 1 if it went wrong]
//   c claims made: [round, side, class];  b beliefs stated: [observer, tenth]
(() => {
  const { el, query, store, replayLink, setAddress } = LieCraft;
  const ROW = 34;
  const names = store.index.names;
  const place = (name) => names.indexOf(name);
  const byId = (id) => document.getElementById(id);
  const DECEIVERS = place("deceivers");
  const CLAIMS = { lie: 4, bluff: 5, mistake: 6, true: 7, opinion: 8 };

  const all = [];
  store.index.games.forEach((games, run) => games.forEach((row) => all.push({ run, ...row })));
  const lies = (row) => row.s.reduce((sum, seat) => sum + seat[4], 0);

  // --- what an address or a control can ask for ---------------------------------------------------------

  const SEAT = ["entrant", "role", "side", "won", "claim", "claimed", "defaulted", "called"];
  const wanted = Object.fromEntries(query);

  /** One seat must meet all that is asked of a seat. */
  function seatFits(seat) {
    return (
      (wanted.entrant === undefined || names[seat[0]] === wanted.entrant) &&
      (wanted.role === undefined || names[seat[1]] === wanted.role) &&
      (wanted.side === undefined || names[seat[2]] === wanted.side) &&
      (wanted.won === undefined || seat[3] === Number(wanted.won)) &&
      (wanted.claim === undefined || wanted.by !== undefined || seat[CLAIMS[wanted.claim]] > 0) &&
      (wanted.claimed === undefined || seat[4] + seat[5] + seat[6] + seat[7] > 0) &&
      (wanted.defaulted === undefined || seat[9] > 0) &&
      (wanted.called === undefined || seat[10] > 0)
    );
  }

  /** Whom a ballot or choice names, in the words of the vote-flow plot. */
  function choiceOf(row, [, target, hit]) {
    if (hit === -1) return "abstained";
    if (target === -1) return hit ? "right" : "wrong";
    return row.s[target][2] === DECEIVERS ? "deceiver" : "truthful";
  }

  function voteFits(row, vote) {
    const [voter, target] = vote;
    return (
      row.s[voter][2] === place("truthful") &&
      (wanted.voter === undefined || names[row.s[voter][0]] === wanted.voter) &&
      (wanted.target === undefined || (target === -1 ? "" : names[row.s[target][0]]) === wanted.target) &&
      (wanted.choice === undefined || choiceOf(row, vote) === wanted.choice)
    );
  }

  function misledFits(row, [liar, listener, fell]) {
    return (
      (wanted.liar === undefined || names[row.s[liar][0]] === wanted.liar) &&
      (wanted.misled === undefined || names[row.s[listener][0]] === wanted.misled) &&
      (wanted.fell === undefined || fell === Number(wanted.fell))
    );
  }

  function claimFits([round, side, kind]) {
    return (
      names[side] === wanted.by &&
      (wanted.round === undefined || round === Number(wanted.round)) &&
      (wanted.claim === undefined || names[kind] === wanted.claim)
    );
  }

  function beliefFits(row, [observer, tenth]) {
    return (
      names[row.s[observer][0]] === wanted.believer && (wanted.bin === undefined || tenth === Number(wanted.bin))
    );
  }

  function failureFits(row) {
    if (!row.k) return false;
    const who = row.k[0] === -1 ? "" : names[row.s[row.k[0]][0]];
    return (
      (wanted.failed === undefined || who === wanted.failed) &&
      (wanted.kind === undefined || names[row.k[1]] === wanted.kind)
    );
  }

  const asked = (...keys) => keys.some((key) => wanted[key] !== undefined);

  function textFits(row, text) {
    return row.g.includes(text) || row.s.some((seat) => names[seat[0]].toLowerCase().includes(text));
  }

  function fits(row) {
    return (
      (wanted.run === undefined || row.run === Number(wanted.run)) &&
      (wanted.winner === undefined || (names[row.w] || "nobody") === wanted.winner) &&
      (wanted.status === undefined || row.t === wanted.status) &&
      (wanted.reason === undefined || names[row.y] === wanted.reason) &&
      (!wanted.q || textFits(row, wanted.q.trim().toLowerCase())) &&
      (!asked(...SEAT) || row.s.some(seatFits)) &&
      (!asked("voter", "target", "choice") || row.v.some((vote) => voteFits(row, vote))) &&
      (!asked("liar", "misled", "fell") || row.d.some((entry) => misledFits(row, entry))) &&
      (!asked("by") || row.c.some(claimFits)) &&
      (!asked("believer") || row.b.some((belief) => beliefFits(row, belief))) &&
      (!asked("failed", "kind") || failureFits(row))
    );
  }

  // --- controls -----------------------------------------------------------------------------------------

  const CONTROLS = ["q", "run", "entrant", "role", "winner", "reason"];
  const TOLD = {
    side: (v) => `its side: ${v}`,
    won: (v) => (v === "1" ? "it won" : "it lost"),
    claim: (v) => (v === "lie" ? "it lied" : `it made a claim of class ${v}`),
    claimed: () => "it made claims that are true or false",
    defaulted: () => "a default move was played for it",
    called: () => "it called a model",
    status: (v) => `status: ${v}`,
    voter: (v) => `${v} voted, being truthful`,
    target: (v) => (v ? `the vote went to ${v}` : "the vote named no seat"),
    choice: (v) => `the vote went to: ${v}`,
    liar: (v) => `${v} lied`,
    misled: (v) => `${v} decided after hearing it`,
    fell: (v) => (v === "1" ? "and decided wrongly" : "and decided rightly"),
    by: (v) => `claim by a seat of the side ${v}`,
    round: (v) => `in round ${v}`,
    believer: (v) => `${v} stated beliefs`,
    bin: (v) => `of ${10 * v} to ${10 * v + 10}%`,
    failed: (v) => `failed at ${v || "the game itself"}`,
    kind: (v) => `why: ${v}`,
  };

  function fill(id, values, text = (value) => value) {
    const select = byId(id);
    const any = el("option", { value: "" }, "any");
    select.replaceChildren(any, ...values.map((value) => el("option", { value }, text(value))));
    if (wanted[id] !== undefined && !values.includes(wanted[id])) {
      select.append(el("option", { value: wanted[id] }, wanted[id]));
    }
    select.value = wanted[id] === undefined ? "" : wanted[id];
  }

  function distinct(pick) {
    const found = new Set();
    for (const row of all) for (const value of pick(row)) if (value !== undefined) found.add(value);
    return [...found].sort();
  }

  function setUp() {
    const runs = store.index.runs.map((run) => run.name);
    fill("run", Object.keys(runs), (number) => runs[number]);
    byId("run-label").hidden = runs.length < 2;
    fill("entrant", distinct((row) => row.s.map((seat) => names[seat[0]])));
    fill("role", distinct((row) => row.s.map((seat) => names[seat[1]])));
    fill("winner", distinct((row) => [names[row.w] || "nobody"]));
    fill("reason", distinct((row) => [names[row.y]]));
    byId("q").value = wanted.q || "";
    for (const id of CONTROLS) {
      byId(id).addEventListener("input", () => {
        if (byId(id).value === "") delete wanted[id];
        else wanted[id] = byId(id).value;
        refresh();
      });
    }
    byId("filters").addEventListener("submit", (event) => event.preventDefault());
  }

  function chips() {
    const box = byId("chips");
    box.replaceChildren();
    for (const key of Object.keys(wanted)) {
      if (!TOLD[key]) continue;
      const drop = el("button", { type: "button", "aria-label": "Drop this condition" }, "×");
      drop.addEventListener("click", () => {
        delete wanted[key];
        refresh();
      });
      box.append(el("span.chip", {}, TOLD[key](wanted[key]), " ", drop));
    }
  }

  // --- the list: only the rows in sight are in the page ---------------------------------------------------

  const many = store.index.runs.length > 1;
  const COLUMNS = [
    ["game", (row) => row.g, (row) => el("a", { href: replayLink(row.run, row.g) }, row.g)],
    ...(many ? [["run", (row) => row.run, (row) => store.index.runs[row.run].name]] : []),
    ["won by", (row) => names[row.w] || "", (row) => el(`span.side.${names[row.w] || "none"}`, {}, outcome(row))],
    ["ended", (row) => names[row.y] || row.t, (row) => names[row.y] || row.t],
    ["deceivers", (row) => sitting(row, true), (row) => sitting(row, true)],
    ["others", (row) => sitting(row, false), (row) => sitting(row, false)],
    ["lies", lies, (row) => String(lies(row)), "number"],
    ["moves", (row) => row.m, (row) => String(row.m), "number"],
    ["events", (row) => row.e, (row) => String(row.e), "number"],
  ];
  let shown = [];
  let order = { column: null, down: false };

  function outcome(row) {
    if (row.t === "failed") return "failed";
    const winner = names[row.w];
    return winner === undefined || winner === "none" ? "nobody" : winner;
  }

  function sitting(row, deceivers) {
    const seats = row.s.filter((seat) => (seat[2] === DECEIVERS) === deceivers);
    return seats.map((seat) => names[seat[0]]).join(", ") || "–";
  }

  function head() {
    const cells = COLUMNS.map((column) => {
      const [title, , , kind] = column;
      const mark = order.column === column ? (order.down ? " ▾" : " ▴") : "";
      const button = el("button", { type: "button" }, title + mark);
      button.addEventListener("click", () => {
        order = { column, down: order.column === column ? !order.down : kind === "number" };
        refresh();
      });
      return el(kind ? `span.${kind}` : "span", { role: "columnheader" }, button);
    });
    byId("head").replaceChildren(...cells);
  }

  function line(row, number) {
    const cells = COLUMNS.map(([, , make, kind]) => {
      const content = make(row);
      const title = typeof content === "string" ? content : null;
      return el(kind ? `span.${kind}` : "span", { role: "cell", title }, content);
    });
    const made = el("div.line", { role: "row" }, ...cells);
    made.style.top = `${number * ROW}px`;
    return made;
  }

  function draw() {
    const view = byId("view");
    const from = Math.max(0, Math.floor(view.scrollTop / ROW) - 10);
    const to = Math.min(shown.length, Math.ceil((view.scrollTop + view.clientHeight) / ROW) + 10);
    const lines = [];
    for (let i = from; i < to; i += 1) lines.push(line(shown[i], i));
    byId("tall").replaceChildren(...lines);
  }

  function refresh() {
    shown = all.filter(fits);
    if (order.column) {
      const key = order.column[1];
      const sign = order.down ? -1 : 1;
      shown.sort((a, b) => (key(a) < key(b) ? -sign : key(a) > key(b) ? sign : 0));
    }
    byId("count").textContent = `${shown.length.toLocaleString("en")} of ${all.length.toLocaleString("en")} games`;
    byId("tall").style.height = `${shown.length * ROW}px`;
    byId("view").scrollTop = 0;
    chips();
    head();
    draw();
    const address = new URLSearchParams(wanted).toString();
    setAddress(`games.html${address ? `?${address}` : ""}`);
  }

  document.body.classList.toggle("many", many);
  byId("view").addEventListener("scroll", () => window.requestAnimationFrame(draw));
  window.addEventListener("resize", draw);
  setUp();
  refresh();
})();

"use strict";
// One game, step by step, through the eyes of god or of a seat.
// What a seat did not see is never put into the page while that seat is looked through: not hidden, not there.
// A replay, as data/replay-N.js holds it (seats are numbers, -1 the engine):
//   events: k kind, a actor, l line, w who saw it ([] the engine alone; left out: everyone), q claims,
//           c their [class, support, truth], p [phase, round], dead, end, b beliefs, x data of a line not rendered
//   moves:  i events before it, s seat, m move or null, probe if a belief was asked for, how, thought, calls ...
(() => {
  const { el, query, store, replayLink, setAddress } = LieCraft;
  const byId = (id) => document.getElementById(id);
  const GOD = -1;
  const state = { game: null, eyes: GOD, items: [], at: 0, selected: 0, timer: null };

  // --- what these eyes may see ----------------------------------------------------------------------------

  const seesEvent = (event) => state.eyes === GOD || event.w === undefined || event.w.includes(state.eyes);
  const ownOrGod = (seat) => state.eyes === GOD || state.eyes === seat;
  const seatName = (seat) => (seat < 0 ? "the engine" : state.game.seats[seat]);

  /** Steps: an event with the decision behind it, or a decision whose event these eyes do not see. */
  function makeItems() {
    const { events, moves } = state.game;
    const items = [];
    const asked = new Map(); // questions for beliefs, by seat, until the event that holds the answer
    let m = 0;
    for (let e = 0; e <= events.length; e += 1) {
      const event = events[e];
      if (event === undefined || event.k !== "probe") {
        for (const move of asked.values()) items.push({ e: e - 1, event: null, move });
        asked.clear();
      }
      const seen = event !== undefined && seesEvent(event);
      let behind = null;
      for (; m < moves.length && moves[m].i <= e; m += 1) {
        const move = moves[m];
        if (move.probe && state.eyes === GOD) asked.set(move.s, move);
        if (move.probe || !ownOrGod(move.s)) continue;
        if (seen && event.a === move.s && move.m !== null && behind === null) behind = move;
        else items.push({ e: e - 1, event: null, move });
      }
      if (!seen) continue;
      if (event.k === "probe" && asked.has(event.a)) {
        behind = asked.get(event.a);
        asked.delete(event.a);
      }
      if (event.l || state.eyes === GOD || behind) items.push({ e, event, move: behind });
    }
    for (const move of asked.values()) items.push({ e: events.length - 1, event: null, move });
    return items;
  }

  /** What is known at a step: phase, deaths, the end, lies told (god's eyes), beliefs stated. */
  function known() {
    const { events } = state.game;
    const item = state.items[state.at - 1];
    const until = state.at === state.items.length ? events.length - 1 : item ? item.e : -1;
    const found = { phase: "", round: null, dead: new Set(), ended: false, lies: new Map(), asked: [] };
    for (let e = 0; e <= until; e += 1) {
      const event = events[e];
      if (event.b && ownOrGod(event.a)) {
        found.asked.push({ observer: event.a, when: found.round === null ? "" : `round ${found.round}`, beliefs: event.b });
      }
      if (!seesEvent(event)) continue;
      if (event.p) [found.phase, found.round] = event.p;
      if (event.dead) event.dead.forEach((seat) => found.dead.add(seat));
      if (event.end) found.ended = true;
      if (state.eyes === GOD && event.k === "verdicts") {
        const lies = event.c.filter(([kind]) => kind === "lie").length;
        found.lies.set(event.a, (found.lies.get(event.a) || 0) + lies);
      }
    }
    return found;
  }

  // --- the log --------------------------------------------------------------------------------------------

  function audienceMark(event) {
    if (state.eyes !== GOD || event.w === undefined) return null;
    if (event.w.length === 0) return el("span.heard.engine", { title: "seen by nobody at the table" }, "engine");
    const few = event.w.length <= 3;
    const all = event.w.map(seatName).join(", ");
    return el("span.heard", { title: `seen by ${all} only` }, few ? all : `${event.w.length} seats`);
  }

  function classMarks(event) {
    if (state.eyes !== GOD || !event.c || event.k === "verdicts") return [];
    const counts = new Map();
    for (const [kind] of event.c) counts.set(kind, (counts.get(kind) || 0) + 1);
    return [...counts].map(([kind, n]) => el(`span.mark.${kind}`, {}, n > 1 ? `${kind} ×${n}` : kind));
  }

  function text(item) {
    if (item.event) return item.event.l || `${item.event.k} ${JSON.stringify(item.event.x)}`;
    const who = item.move.s === state.eyes ? "you" : seatName(item.move.s);
    if (item.move.probe) return `${who}: no belief came`;
    return item.move.m === null ? `${who}: no decision came` : `${who} → ${item.move.m}`;
  }

  function row(item, number) {
    const event = item.event;
    const classes = [event ? event.k : "decision"];
    if (event && !event.l) classes.push("bare");
    if (event && event.w && event.w.length === 0) classes.push("hidden-from-all");
    else if (event && event.w) classes.push("private");
    const marks = event ? classMarks(event) : [];
    if (marks.some((mark) => mark.classList.contains("lie"))) classes.push("has-lie");
    const how = item.move && item.move.m !== null && item.move.how !== "scripted" ? el("span.how", {}, item.move.how) : null;
    return el(
      `li.${classes.join(".")}`, { "data-step": number },
      el("span.number", {}, String(number + 1)),
      el("span.words", {}, event ? audienceMark(event) : null, text(item), ...marks, how),
    );
  }

  /** Bring the log to `state.at` steps: rows are added or taken away, never kept out of sight. */
  function fillLog(rebuild) {
    const log = byId("log");
    if (rebuild) log.replaceChildren();
    while (log.childElementCount > state.at) log.lastElementChild.remove();
    const more = document.createDocumentFragment();
    for (let i = log.childElementCount; i < state.at; i += 1) more.append(row(state.items[i], i));
    log.append(more);
  }

  // --- beside it ------------------------------------------------------------------------------------------

  function seatTable(now) {
    const { seats, entrants, roles, sides } = state.game;
    const god = state.eyes === GOD;
    const titles = ["seat", ...(god ? ["entrant"] : []), "role", ...(god ? ["lies"] : []), ""];
    const head = el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title)));
    const lines = seats.map((seat, i) => {
      const told = god || i === state.eyes || now.ended;
      const cells = [
        el("th", { scope: "row" }, i === state.eyes ? `${seat} (you)` : seat),
        ...(god ? [el("td", {}, entrants[i])] : []),
        el("td", {}, told && roles[i] ? el(`span.side.${sides[i]}`, {}, roles[i]) : "?"),
        ...(god ? [el("td.number", {}, String(now.lies.get(i) || 0))] : []),
        el("td", {}, now.dead.has(i) ? "out" : ""),
      ];
      return el(now.dead.has(i) ? "tr.out" : "tr", {}, ...cells);
    });
    byId("table").replaceChildren(el("thead", {}, head), el("tbody", {}, ...lines));
  }

  function beliefs(now) {
    byId("belief-box").hidden = now.asked.length === 0;
    LieCraft.beliefs(byId("beliefs"), now.asked, (seat, suspected) => {
      const role = suspected && state.eyes === GOD && state.game.roles[seat];
      return role ? `${seatName(seat)} (${role})` : seatName(seat);
    });
  }

  const fact = (name, value) => (value === null || value === undefined || value === "" ? [] : [el("dt", {}, name), el("dd", {}, String(value))]);

  function eventFacts(item) {
    const event = item.event;
    if (!event) return [];
    const heard = event.w === undefined ? "everyone" : event.w.length ? event.w.map(seatName).join(", ") : "nobody at the table";
    return [
      ...fact("event", event.k),
      ...fact("by", seatName(event.a)),
      ...(state.eyes === GOD ? [...fact("seen by", heard), ...fact("place in the ledger", item.e)] : []),
    ];
  }

  function claimTable(event) {
    if (state.eyes !== GOD || !event || !event.q || !event.c) return null;
    const lines = event.q.map((claim, i) => {
      const [kind, support, truth] = event.c[i] || ["opinion", "none", null];
      const true_ = truth === null ? "–" : truth ? "true" : "false";
      return el("tr", {}, el("td", {}, claim), el("td", {}, el(`span.mark.${kind}`, {}, kind)), el("td", {}, support), el("td", {}, true_));
    });
    const titles = ["claim", "class", "the speaker's view", "in truth"];
    const head = el("tr", {}, ...titles.map((title) => el("th", { scope: "col" }, title)));
    return el("table.claims", {}, el("thead", {}, head), el("tbody", {}, ...lines));
  }

  /** The whole prompt of a call: what it shares with the seat's previous one, then what is new. */
  function wholePrompt(wanted) {
    const own = state.game.moves.filter((move) => move.s === wanted.seat);
    const calls = own.flatMap((move) => move.calls).sort((a, b) => a.n - b.n);
    let messages = [];
    for (const call of calls) {
      messages = [...messages.slice(0, call.kept), ...call.messages];
      if (call === wanted.call) break;
    }
    return messages;
  }

  const message = ({ role, content }) => el("div.message", {}, el("b", {}, role), el("pre", {}, content));

  function callBox(call, seat) {
    const tokens = (n) => (n === null ? "unknown" : n);
    const whole = el("details", {}, el("summary", {}, "the whole prompt"));
    whole.addEventListener("toggle", () => {
      if (whole.open && whole.childElementCount === 1) whole.append(...wholePrompt({ seat, call }).map(message));
    });
    const reply = call.error ? el("pre.fault", {}, call.error) : el("pre.reply", {}, call.text || "(empty)");
    return el(
      "div.call", {},
      el("h3", {}, "Prompt", el("small", {}, call.kept ? ` new since the last one, after ${call.kept} messages` : "")),
      ...call.messages.map(message),
      call.kept ? whole : null,
      el("h3", {}, "Reply"),
      reply,
      el("dl", {},
        ...fact("model", call.model), ...fact("finish reason", call.finish_reason), ...fact("refusal", call.refusal),
        ...fact("tokens", `${tokens(call.usage.prompt)} + ${tokens(call.usage.completion)}`),
        ...fact("attempts", call.attempts), ...fact("seconds", call.seconds)),
    );
  }

  function decision(move) {
    if (!move) return [];
    const calls = move.calls.map((call) => callBox(call, move.s));
    if (move.probe) return [el("h3", {}, "The question behind it, asked aside"), ...calls];
    if (move.m === null) return [el("h3", {}, `${seatName(move.s)} was asked, and the game stopped`), ...calls];
    return [
      el("h3", {}, "The decision behind it"),
      el("dl", {},
        ...fact("move", move.m), ...fact("of", `${move.legal} legal moves`), ...fact("how", move.how),
        ...fact("phase", `${move.p}, round ${move.r}`), ...fact("thought", move.thought)),
      ...calls,
    ];
  }

  function detail() {
    const item = state.items[state.selected];
    for (const marked of byId("log").querySelectorAll("[aria-current]")) marked.removeAttribute("aria-current");
    const box = byId("detail");
    if (!item) return box.replaceChildren();
    const line = byId("log").children[state.selected];
    if (line) line.setAttribute("aria-current", "step");
    const parts = [el("p.said", {}, text(item)), el("dl", {}, ...eventFacts(item)), claimTable(item.event), ...decision(item.move)];
    return box.replaceChildren(...parts.filter((part) => part !== null));
  }

  // --- moving about ---------------------------------------------------------------------------------------

  function show(rebuild) {
    fillLog(rebuild);
    const now = known();
    seatTable(now);
    beliefs(now);
    detail();
    const slider = byId("slider");
    slider.max = String(Math.max(1, state.items.length));
    slider.value = String(state.at);
    const place = now.round === null ? "" : ` · round ${now.round}, ${now.phase}`;
    byId("at").textContent = `${state.at} of ${state.items.length}${place}`;
    const eyes = state.eyes === GOD ? "god" : seatName(state.eyes);
    setAddress(`${window.location.search}#${new URLSearchParams({ as: eyes, step: state.at })}`);
  }

  const toEnd = () => { byId("log").scrollTop = byId("log").scrollHeight; };

  function go(step) {
    state.at = Math.min(state.items.length, Math.max(Math.min(1, state.items.length), step));
    state.selected = state.at - 1;
    show(false);
    toEnd();
    if (state.at === state.items.length) stop();
  }

  function look(eyes) {
    const item = state.items[state.at - 1];
    const atEnd = state.at === state.items.length;
    const until = item ? item.e : -1;
    state.eyes = eyes;
    state.items = makeItems();
    const count = state.items.filter((other) => other.e <= until).length;
    state.at = atEnd ? state.items.length : Math.max(Math.min(1, state.items.length), count);
    state.selected = state.at - 1;
    facts();
    show(true);
    for (const button of byId("eyes").children) {
      button.setAttribute("aria-checked", String(Number(button.dataset.eyes) === eyes));
    }
    toEnd();
  }

  function stop() {
    if (state.timer) window.clearInterval(state.timer);
    state.timer = null;
    byId("play").textContent = "▶ play";
  }

  function play() {
    if (state.timer) return stop();
    if (state.at === state.items.length) go(1);
    byId("play").textContent = "❚❚ pause";
    state.timer = window.setInterval(() => go(state.at + 1), 700);
  }

  function facts() {
    const game = state.game;
    const said = [game.env];
    if (state.eyes === GOD) {
      const won = game.winner === null || game.winner === "none" ? "won by nobody" : `won by the ${game.winner}`;
      said.push(game.failure ? `failed: ${game.failure}` : `${won} (${game.reason})`, `seed ${game.seed}`);
    }
    byId("facts").textContent = said.join(" · ");
    document.body.classList.toggle("god", state.eyes === GOD);
  }

  function eyesBar() {
    const button = (eyes, name) => {
      const made = el("button", { type: "button", role: "radio", "aria-checked": "false", "data-eyes": eyes }, name);
      made.addEventListener("click", () => look(eyes));
      return made;
    };
    const seats = state.game.seats.map((seat, i) => button(i, seat));
    byId("eyes").replaceChildren(button(GOD, "god"), ...seats);
  }

  const KEYS = {
    ArrowLeft: () => go(state.at - 1),
    ArrowRight: () => go(state.at + 1),
    Home: () => go(1),
    End: () => go(state.items.length),
    " ": play,
  };

  function listen() {
    byId("first").addEventListener("click", () => go(1));
    byId("back").addEventListener("click", () => go(state.at - 1));
    byId("next").addEventListener("click", () => go(state.at + 1));
    byId("last").addEventListener("click", () => go(state.items.length));
    byId("play").addEventListener("click", play);
    byId("slider").addEventListener("input", (event) => go(Number(event.target.value)));
    byId("log").addEventListener("click", (event) => {
      const line = event.target.closest("li");
      if (!line) return;
      state.selected = Number(line.dataset.step);
      detail();
    });
    window.addEventListener("hashchange", fromAddress);
    document.addEventListener("keydown", (event) => {
      const busy = ["INPUT", "BUTTON", "SUMMARY"].includes(event.target.tagName) && event.key === " ";
      if (!KEYS[event.key] || busy || event.ctrlKey || event.altKey || event.metaKey || event.target.type === "range") return;
      event.preventDefault();
      KEYS[event.key]();
    });
  }

  // --- finding the game -----------------------------------------------------------------------------------

  function trouble(words) {
    byId("trouble").hidden = false;
    byId("trouble").textContent = words;
  }

  function neighbours(run, number) {
    const games = store.index.games[run];
    for (const [id, row] of [["older", games[number - 1]], ["newer", games[number + 1]]]) {
      if (!row) continue;
      byId(id).hidden = false;
      byId(id).setAttribute("href", replayLink(run, row.g));
    }
  }

  function open(run, name) {
    const game = store.replays.get(`${run}/${name}`);
    store.replays.clear(); // the shard's other games are not needed
    if (!game) return trouble(`The data of ${name} is not where it should be: make the report anew.`);
    state.game = game;
    byId("name").textContent = name;
    document.title = `${name} · LieCraft`;
    byId("bar").hidden = byId("stage").hidden = false;
    eyesBar();
    listen();
    fromAddress();
    return undefined;
  }

  /** Take eyes and step from the address, `#as=player_2&step=10`; god's eyes and the last step without them. */
  function fromAddress() {
    const wanted = new URLSearchParams(window.location.hash.slice(1));
    look(state.game.seats.indexOf(wanted.get("as")));
    if (wanted.has("step")) go(Number(wanted.get("step")) || 1);
  }

  function start() {
    const run = Number(query.get("run") || 0);
    const games = store.index.games[run] || [];
    const name = query.get("game") || (games[0] || {}).g;
    const number = games.findIndex((row) => row.g === name);
    if (number < 0) return trouble(name ? `There is no game ${name} in this run.` : "There are no games in this run.");
    neighbours(run, number);
    const script = el("script", { src: `data/replay-${games[number].f}.js` });
    script.addEventListener("load", () => open(run, name));
    script.addEventListener("error", () => trouble("A file of the report is missing: make the report anew."));
    document.head.append(script);
    return undefined;
  }

  start();
})();

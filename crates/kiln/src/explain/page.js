// Draws a method's graph, its modules as a tree, and what is known of what the user selects. A module that is closed in the
// tree is one box of the graph.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
const svg = byId("view"), space = "http://www.w3.org/2000/svg";
const MOST_ITEMS = 80, MOST_WIDTH = 260, LEAST_WIDTH = 84, PAD = 8;
const KINDS = ["delegate", "kernel", "movement", "free"];
const colours = { kernel: "#f2a36b", movement: "#b79be8", free: "#dfe4ea", input: "#9cc3ee" };
const hues = [132, 168, 96, 200, 60, 150, 220, 110];
const box = { x: -20, y: -20, w: 900, h: 600 };
let method, root, items = [], arrows = [], arena = null, selected = null, readers = [], total = 1, hits = [], hit = 0;

function element(name, attributes, parent, text) {
  const made = document.createElementNS(space, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  return parent.appendChild(made);
}

function html(name, parent, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return parent.appendChild(made);
}

function colour(node) {
  if (colours[node.kind]) return colours[node.kind];
  const number = parseInt(node.placed.replace(/\D+/g, ""), 10) || 0;
  return `hsl(${hues[number % hues.length]} 42% ${72 - 8 * (Math.floor(number / hues.length) % 3)}%)`;
}

function bytes(count) {
  if (count < 1e4) return `${count} bytes`;
  return count < 1e6 ? `${(count / 1e3).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}

function count(number, noun) { return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`; }

function share(time) {
  const percent = 100 * time / total;
  return percent >= 9.95 ? `${percent.toFixed(0)} %` : percent >= .05 ? `${percent.toFixed(1)} %` : "0 %";
}

// Several nodes may have one name: the layers of a recurrence, the parts of a decomposed op. Numbers tell them apart.
function tellApart(nodes) {
  const seen = new Map();
  nodes.forEach(node => {
    // A node that several were joined to has the names of all.
    const [first, ...more] = node.name.split(", ");
    const nth = (seen.get(first) || 0) + 1, number = nth > 1 ? ` (${nth})` : "";
    seen.set(first, nth);
    node.label = first + number + (more.length ? ` + ${more.length}` : "");
    node.name += number;
  });
}

// What a kind of node is called: where there are no delegates, all nodes are in kernels.
function kindName(kind) {
  if (method.has_delegates || (kind !== "delegate" && kind !== "kernel")) return kind;
  return kind === "delegate" ? "kernel" : "kernel that costs more";
}

// Text, cut to a width in the graph's units; a path loses its start.
const pen = document.createElement("canvas").getContext("2d");
pen.font = "11px system-ui, sans-serif";
function fitted(text, width, isPath) {
  const cut = most => most >= text.length ? text : isPath ? `▸ …${text.slice(text.length - most).replace(/^\./, "")}` : `${text.slice(0, most)}…`;
  let most = text.length;
  while (most > 1 && pen.measureText(cut(most)).width > width) most--;
  return cut(most);
}

// Modules.

// The modules of the method: each with its children, its own nodes, and all nodes inside.
function modules() {
  const make = (name, path, parent) => ({ name, path, parent, children: new Map(), own: [], all: [], open: false });
  const top = make("model", "", null);
  method.nodes.forEach((node, index) => {
    let at = top, path = "";
    for (const part of node.module ? node.module.split(".") : []) {
      at.all.push(index);
      path += (path && ".") + part;
      if (!at.children.has(part)) at.children.set(part, make(part, path, at));
      at = at.children.get(part);
    }
    at.all.push(index);
    at.own.push(index);
  });
  join(top);
  top.open = true;
  return top;
}

// A module with nothing but one module in it is one with that.
function join(at) {
  at.children.forEach((child, key) => {
    while (!child.own.length && child.children.size === 1) {
      const [only] = child.children.values();
      only.name = `${child.name}.${only.name}`;
      only.parent = at;
      child = only;
    }
    at.children.set(key, child);
    join(child);
  });
}

// What is drawn: nodes, and closed modules with more than one node.
function drawn(at = root, found = []) {
  at.own.forEach(index => found.push({ middle: index, nodes: [index], node: index }));
  at.children.forEach(child => {
    if (child.all.length === 1) found.push({ middle: child.all[0], nodes: child.all, node: child.all[0] });
    else if (child.open) drawn(child, found);
    else found.push({ middle: child.all[child.all.length >> 1], nodes: child.all, module: child });
  });
  return found;
}

function level(depth, at = root) {
  return depth === 0 ? [at] : [...at.children.values()].flatMap(child => level(depth - 1, child));
}

// Opens as many levels as there is room for.
function openSome() {
  for (let depth = 1; ; depth++) {
    const closed = level(depth);
    if (!closed.length) return;
    closed.forEach(module => { module.open = true; });
    if (drawn().length > MOST_ITEMS) { closed.forEach(module => { module.open = false; }); return; }
  }
}

function timeOf(nodes) { return nodes.reduce((sum, index) => sum + (method.nodes[index].time || 0), 0); }
function kernelsOf(nodes) { return nodes.filter(index => method.nodes[index].kind === "kernel").length; }

function tree() {
  const list = byId("tree");
  list.replaceChildren();
  const branch = (module, parent) => {
    const item = html("li", parent), row = html("div", item, undefined, "row");
    item.setAttribute("role", "treeitem");
    const inner = [...module.children.values()].filter(child => child.all.length > 1);
    const caret = html("button", row, module.all.length > 1 && module !== root ? (module.open ? "▾" : "▸") : "", "caret");
    caret.setAttribute("aria-label", `${module.open ? "close" : "open"} ${module.path}`);
    caret.addEventListener("click", () => toggle(module));
    const name = html("button", row, module.name, "name");
    name.title = `${module.path || "model"}: ${count(module.all.length, "node")}`;
    name.addEventListener("click", () => selectModule(module));
    const kernels = kernelsOf(module.all);
    if (kernels && method.has_delegates) html("span", row, kernels, "kernels").title = `${count(kernels, "node")} outside of delegates`;
    html("span", row, share(timeOf(module.all)), "share");
    html("i", html("span", row, undefined, "bar")).style.width = `${100 * timeOf(module.all) / total}%`;
    module.row = row;
    row.classList.toggle("selected", selected === module);
    if (module.open && inner.length) {
      const below = html("ul", item);
      inner.forEach(child => branch(child, below));
    }
  };
  branch(root, list);
}

function toggle(module) {
  module.open = !module.open;
  redraw();
}

// The graph.

function label(item) {
  if (item.module) {
    const kernels = kernelsOf(item.nodes);
    const outside = kernels && method.has_delegates ? `, ${count(kernels, "kernel")}` : "";
    return [`▸ ${item.module.path}`, `${count(item.nodes.length, "node")}${outside}`];
  }
  const node = method.nodes[item.node];
  // Products of integers whose sums are floats: the type alone does not tell.
  const factors = (node.computes || "").match(/\S+ x \S+/);
  const op = factors && node.type.startsWith("f") ? `${node.op} ${factors[0]}:` : node.op;
  return [node.label, `${node.op === "input" ? "" : op + " "}${node.type}`];
}

function draw() {
  svg.replaceChildren();
  // A module stands where most of it is. What it gives to earlier ones, such as a mask for all layers, goes back.
  items = drawn().sort((a, b) => a.middle - b.middle);
  const ofNode = [];
  items.forEach((item, i) => item.nodes.forEach(node => { ofNode[node] = i; }));
  const back = [];
  items.forEach((item, i) => {
    const from = new Set();
    item.nodes.forEach(node => method.nodes[node].from.forEach(other => {
      const maker = ofNode[other];
      if (maker < i) from.add(maker);
      else if (maker > i) back.push({ from: maker, to: i });
    }));
    item.from = [...from];
    item.label = label(item);
    item.time = timeOf(item.nodes);
    item.percent = item.time >= total / 200 ? share(item.time) : "";
    const widths = [item.label[0] + (item.percent && `  ${item.percent}`), item.label[1]].map(text => pen.measureText(text).width);
    item.width = Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, Math.max(...widths) + 2 * PAD));
  });
  box.most = Math.max(...items.filter(item => !item.module).map(item => item.time));
  const placed = layout(items);
  arrows = placed.arrows.map(({ from, to, path }) => ({ from, to, path: element("path", { d: path }, svg) }));
  back.forEach(({ from, to }) => {
    const [a, b] = [placed.places[from], placed.places[to]];
    const path = element("path", { class: "back", d: `M${a.x} ${a.y + HEIGHT}C${a.x + 140} ${a.y + HEIGHT + 40} ${b.x + 140} ${b.y - 40} ${b.x} ${b.y}` }, svg);
    arrows.push({ from, to, path });
  });
  items.forEach((item, i) => shape(item, i, placed.places[i]));
  box.graph = placed;
}

function shape(item, number, place) {
  const { width, label: [name, type] } = item, node = method.nodes[item.node];
  item.x = place.x; item.y = place.y;
  const group = element("g", { class: item.module ? "item module" : "item", transform: `translate(${place.x - width / 2} ${place.y})`, tabindex: 0, role: "button" }, svg);
  group.setAttribute(item.module ? "data-module" : "data-node", item.module ? item.module.path : item.node);
  element("rect", { width, height: HEIGHT, fill: item.module ? "#fff" : colour(node) }, group);
  if (item.module) stripe(item, width, group);
  if (item.nodes.some(index => method.nodes[index].moved && method.nodes[index].kind !== "movement")) element("rect", { class: "moves", x: 1, y: 1, width: 4, height: HEIGHT - 2, fill: colours.movement }, group);
  if (node && item.percent) element("rect", { class: "time", x: 1, y: HEIGHT - 4, height: 3, width: (width - 2) * item.time / box.most }, group);
  const room = width - 2 * PAD - (item.percent ? pen.measureText(`  ${item.percent}`).width : 0);
  element("text", { x: PAD, y: 15 }, group, fitted(name, room, item.module));
  if (item.percent) element("text", { class: "type", x: width - PAD, y: 15, "text-anchor": "end" }, group, item.percent);
  element("text", { class: "type", x: PAD, y: 29 }, group, fitted(type, width - 2 * PAD));
  element("title", {}, group, `${node ? node.name : name}\n${type}${node ? `\n${node.placed}` : ""}`);
  const act = () => item.module ? selectModule(item.module) : select(item.node);
  group.addEventListener("click", act);
  group.addEventListener("keydown", event => { if (event.key === "Enter") act(); });
  if (item.module) group.addEventListener("dblclick", () => toggle(item.module));
  item.group = group;
}

// The parts of a closed module by their places.
function stripe(item, width, group) {
  let x = 1;
  KINDS.forEach(kind => {
    const of = item.nodes.filter(index => method.nodes[index].kind === kind);
    const part = (width - 2) * of.length / item.nodes.length;
    if (of.length) element("rect", { class: "place", x, y: HEIGHT - 5, height: 4, width: part, fill: colour(method.nodes[of[0]]) }, group);
    x += part;
  });
}

function itemOf(index) { return items.findIndex(item => item.nodes.includes(index)); }

// What is selected.

function mark(isSelected, rows) {
  items.forEach(item => item.group.classList.toggle("selected", isSelected(item)));
  arrows.forEach(arrow => arrow.path.classList.toggle("near", isSelected(items[arrow.from]) || isSelected(items[arrow.to])));
  document.querySelectorAll(".row.selected").forEach(row => row.classList.remove("selected"));
  if (rows) rows.classList.add("selected");
}

function line(list, term, value) {
  if (!value) return;
  html("dt", list, term);
  html("dd", list, value);
}

function links(list, term, nodes) {
  if (!nodes.length) return;
  html("dt", list, term);
  const entries = html("ul", html("dd", list));
  nodes.forEach(index => link(html("li", entries), method.nodes[index].name, () => reveal(index)));
}

function link(parent, text, act) { html("button", parent, text, "link").addEventListener("click", act); }

function panel() {
  const details = byId("details");
  details.replaceChildren();
  if (selected) link(details, "← the whole method", overview);
  return details;
}

function select(index) {
  selected = index;
  const node = method.nodes[index], details = panel(), list = html("dl", details);
  mark(item => item.node === index);
  line(list, "node", node.name);
  line(list, "op", `${node.op} → ${node.type}`);
  line(list, "placed", node.placed);
  line(list, "computes in", node.computes);
  line(list, "why floats", node.why_floats);
  line(list, "why", node.why);
  line(list, "what to do", node.advice);
  line(list, "differs from PyTorch", node.difference);
  if (node.time) line(list, "estimated time", `${share(node.time)} of the method`);
  if (node.products) line(list, "work", count(node.products, "multiply-add"));
  const weights = weightsOf([node]);
  if (weights) line(list, "weights", bytes(weights));
  if (node.moved) line(list, "moves", bytes(node.moved));
  line(list, "module", node.module || "unknown");
  line(list, "source", node.source || "unknown");
  links(list, "reads", node.from);
  links(list, "is read by", readers[index]);
  location.replace(`#node=${encodeURIComponent(node.name)}`);
}

function selectModule(module) {
  selected = module;
  const details = panel(), list = html("dl", details);
  mark(item => item.nodes.every(index => module.all.includes(index)), module.row);
  line(list, "module", module.path || "model");
  if (module.children.size || module.own.length > 1) link(details, module.open ? "close it to one box" : "open it", () => toggle(module));
  summary(details, module.all);
  const near = items.find(item => item.module === module) || items.find(item => module.all.includes(item.node));
  if (near) centre(near);
}

// The bytes of the constants that nodes read, each counted once.
function weightsOf(nodes) {
  const sizes = new Map(nodes.flatMap(node => node.constants || []));
  return [...sizes.values()].reduce((all, size) => all + size, 0);
}

// The costs of some nodes: by place, by time and by reason.
function summary(parent, nodes) {
  const list = html("dl", parent), of = index => method.nodes[index];
  const sum = key => nodes.reduce((all, index) => all + (of(index)[key] || 0), 0);
  const kinds = KINDS.map(kind => [nodes.filter(index => of(index).kind === kind).length, kind]).filter(([n]) => n);
  line(list, "nodes", kinds.map(([n, kind]) => `${n} ${kindName(kind)}`).join(", "));
  if (sum("time") < total) line(list, "estimated time", `${share(sum("time"))} of the method`);
  if (sum("products")) line(list, "work", count(sum("products"), "multiply-add"));
  const numbers = new Map();
  nodes.map(of).filter(node => node.computes).forEach(node => numbers.set(node.computes, (numbers.get(node.computes) || 0) + 1));
  if (numbers.size) line(list, "computes in", [...numbers].map(([name, n]) => `${name} (${count(n, "node")})`).join(", "));
  const weights = weightsOf(nodes.map(of));
  if (weights) line(list, "weights", bytes(weights));
  if (sum("moved")) line(list, "moves", bytes(sum("moved")));
  const reasons = new Map();
  nodes.filter(index => of(index).kind === "kernel").forEach(index => {
    const reason = of(index).reason || of(index).why;
    reasons.set(reason, (reasons.get(reason) || []).concat(index));
  });
  if (method.has_delegates) html("h2", parent, reasons.size ? "Not in a delegate" : "All in delegates");
  else if (reasons.size) html("h2", parent, "In kernels that cost more");
  if (reasons.size) {
    const entries = html("ul", parent);
    reasons.forEach((inside, reason) => {
      const entry = html("li", entries, `${reason}: `);
      inside.slice(0, 6).forEach((index, i) => { if (i) entry.append(", "); link(entry, of(index).name, () => reveal(index)); });
      if (inside.length > 6) entry.append(` and ${inside.length - 6} more`);
      const advice = of(inside[0]).advice;
      if (advice) html("p", entry, advice.startsWith("nothing to do") ? `N${advice.slice(1)}` : `What to do: ${advice}`);
    });
  }
  const special = nodes.filter(index => of(index).difference);
  if (special.length) {
    html("h2", parent, "Special values differ from PyTorch");
    const entry = html("p", parent);
    special.slice(0, 6).forEach((index, i) => { if (i) entry.append(", "); link(entry, of(index).name, () => reveal(index)); });
    if (special.length > 6) entry.append(` and ${special.length - 6} more`);
  }
  const slow = nodes.filter(index => of(index).time > 0).sort((a, b) => of(b).time - of(a).time).slice(0, 8);
  if (slow.length < 2) return;
  html("h2", parent, "Most of the time, estimated");
  const entries = html("ul", parent);
  slow.forEach(index => {
    const entry = html("li", entries);
    link(entry, of(index).name, () => reveal(index));
    entry.append(` (${of(index).op}): ${share(of(index).time)}`);
  });
}

// What is known of the whole method.
function overview() {
  selected = null;
  mark(() => false);
  const details = panel();
  const kernels = Object.entries(method.kernel_calls).map(([name, n]) => `${n} × ${name}`).join(", ") || "no kernel calls";
  const delegates = method.has_delegates ? `${count(method.delegates, "delegate")}; ` : "";
  const planned = method.planned_bytes ? `; ${bytes(method.planned_bytes)} planned (at least ${bytes(method.planned_lower_bound)})` : "";
  html("p", details, `${delegates}${kernels}${planned}; ${bytes(method.transposed_bytes)} only moved`);
  data.warnings.forEach(text => html("p", details, text, "warning"));
  data.notes.forEach(text => html("p", details, text));
  if (method.costs.length) html("h2", details, "Beside the model's own ops");
  const costs = html("ul", details);
  method.costs.forEach(cost => html("li", costs, cost.advice ? `${cost.text} (${cost.advice})` : cost.text));
  summary(details, method.nodes.map((_, index) => index).filter(index => method.nodes[index].kind !== "input"));
}

// Opens the modules around a node, and shows it.
function reveal(index) {
  const path = method.nodes[index].module || "";
  let at = root, changed = false;
  for (;;) {
    const inner = [...at.children.values()].find(child => child.all.includes(index) && child.all.length > 1);
    if (!inner) break;
    changed ||= !inner.open;
    inner.open = true;
    at = inner;
  }
  if (changed) redraw();
  select(index);
  centre(items[itemOf(index)]);
}

function search(text) {
  const wanted = text.trim().toLowerCase();
  hits = wanted === "" ? [] : method.nodes.flatMap((node, index) => {
    const words = [node.name, node.op, node.placed, node.why, node.module || "", node.source || ""].join(" ").toLowerCase();
    return words.includes(wanted) ? [index] : [];
  });
  hit = 0;
  byId("found").textContent = wanted === "" ? "" : `${hits.length} found`;
  if (hits.length) reveal(hits[0]);
  showHits();
}

function showHits() {
  const all = new Set(hits);
  items.forEach(item => item.group.classList.toggle("hit", item.nodes.some(index => all.has(index))));
}

// What is shown.

function show() { svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.w} ${box.h}`); }

// The wheel and two fingers zoom, the mouse and one finger move, the part of a drawing that is shown.
function movable(drawing, box, shown = () => {}) {
  const show = () => { drawing.setAttribute("viewBox", `${box.x} ${box.y} ${box.w} ${box.h}`); shown(); };
  const grips = new Map();
  const zoom = (x, y, scale) => {
    const frame = drawing.getBoundingClientRect();
    const px = (x - frame.left) / frame.width, py = (y - frame.top) / frame.height;
    box.x += box.w * px * (1 - scale); box.y += box.h * py * (1 - scale);
    box.w *= scale; box.h *= scale;
    show();
  };
  const apart = () => { const [a, b] = [...grips.values()]; return Math.hypot(a.x - b.x, a.y - b.y); };
  drawing.addEventListener("wheel", event => { event.preventDefault(); zoom(event.clientX, event.clientY, Math.exp(event.deltaY * .0015)); }, { passive: false });
  drawing.addEventListener("pointerdown", event => { grips.set(event.pointerId, { x: event.clientX, y: event.clientY }); drawing.classList.add("drag"); });
  ["pointerup", "pointercancel"].forEach(end => window.addEventListener(end, event => { grips.delete(event.pointerId); drawing.classList.remove("drag"); }));
  window.addEventListener("pointermove", event => {
    const grip = grips.get(event.pointerId);
    if (!grip) return;
    const before = grips.size === 2 ? apart() : 0;
    const frame = drawing.getBoundingClientRect(), scale = Math.max(box.w / frame.width, box.h / frame.height);
    if (!before) { box.x -= (event.clientX - grip.x) * scale; box.y -= (event.clientY - grip.y) * scale; }
    grip.x = event.clientX; grip.y = event.clientY;
    if (before) zoom(event.clientX, event.clientY, before / Math.max(1, apart()));
    else show();
  });
  return show;
}

function centre(item) {
  if (!item) return;
  box.x = item.x - box.w / 2;
  box.y = item.y + HEIGHT / 2 - box.h / 2;
  show();
}

// As much of the graph as is readable, from its top.
function fit() {
  const { width, height } = svg.getBoundingClientRect(), { width: w, height: h } = box.graph;
  const least = Math.max((w + 40) / width, Math.min((h + 40) / height, 1));
  const scale = Math.min(Math.max(least, .75), 1.3);
  Object.assign(box, { w: width * scale, h: height * scale, y: -20 });
  // A graph that is wider than the view shows the input.
  const input = items.find(item => item.y === 0) || { x: w / 2 };
  box.x = w + 40 <= box.w ? w / 2 - box.w / 2 : Math.min(Math.max(input.x - box.w / 2, -20), w + 20 - box.w);
  show();
}

function redraw() {
  draw(); tree(); showHits(); show();
  if (typeof selected === "number") mark(item => item.node === selected);
  else if (selected) selectModule(selected);
}

function peakText(drawing) { return `Most is held: ${drawing.dataset.peak}`; }

// Shows the graph or the planned memory.
function turn(isArena) {
  svg.toggleAttribute("hidden", isArena);
  if (arena) arena.toggleAttribute("hidden", !isArena);
  if (isArena) arena.fit();
  for (const [id, of] of [["arena-keys", true], ["peak", true], ["keys", false], ["details", false], ["modules", false], ["search", false], ["found", false], ["fit", false]])
    byId(id).hidden = of !== isArena;
  byId("which").textContent = isArena ? "graph" : "memory";
}

function open(index) {
  method = data.methods[index];
  total = Math.max(1e-9, method.nodes.reduce((sum, node) => sum + (node.time || 0), 0));
  readers = method.nodes.map(() => []);
  method.nodes.forEach((node, to) => node.from.forEach(from => readers[from].push(to)));
  selected = null; hits = [];
  document.querySelectorAll("#keys span").forEach(name => { name.textContent = kindName(name.dataset.kind); });
  root = modules();
  openSome();
  draw(); tree(); fit(); overview();
  byId("modules").hidden = ![...root.children.values()].some(child => child.all.length > 1);
  if (arena) arena.toggleAttribute("hidden", true);
  arena = document.querySelector(`svg.arena[data-method="${index}"]`);
  byId("which").hidden = !arena;
  if (arena) byId("peak").textContent = peakText(arena);
  turn(false);
}

// `#memory`, `#node=NAME` and `#module=PATH` name what is shown first.
function openAddress() {
  const [key, value] = decodeURIComponent(location.hash.slice(1)).split("=");
  if (key === "memory" && arena) turn(true);
  if (key === "node") { const index = method.nodes.findIndex(node => node.name === value); if (index >= 0) reveal(index); }
  if (key === "module") { const module = [...everyModule(root)].find(module => module.path === value); if (module) selectModule(module); }
}

function* everyModule(at) { yield at; for (const child of at.children.values()) yield* everyModule(child); }

movable(svg, box);
// The scale stays when the window changes.
new ResizeObserver(() => {
  const { width, height } = svg.getBoundingClientRect();
  if (!width) return;
  box.h = box.w * height / width;
  show();
}).observe(svg);
document.querySelectorAll("svg.arena").forEach(drawing => {
  openArena(drawing);
  drawing.querySelectorAll(".block").forEach(block => block.addEventListener("click", () => {
    drawing.querySelectorAll(".selected").forEach(other => other.classList.remove("selected"));
    block.classList.add("selected");
    byId("peak").textContent = `${block.querySelector("title").textContent}\n\n${peakText(drawing)}`;
  }));
});
byId("which").addEventListener("click", () => turn(arena.hasAttribute("hidden")));
byId("fit").addEventListener("click", fit);
byId("search").addEventListener("input", event => search(event.target.value));
byId("search").addEventListener("keydown", event => {
  if (event.key !== "Enter" || !hits.length) return;
  hit = (hit + 1) % hits.length;
  reveal(hits[hit]);
});
window.addEventListener("keydown", event => { if (event.key === "Escape") overview(); });
if (matchMedia("(max-width: 900px)").matches) byId("modules").open = false;
const chooser = byId("method");
data.methods.forEach(m => tellApart(m.nodes));
data.methods.forEach((m, i) => { html("option", chooser, m.name).value = i; });
chooser.hidden = data.methods.length < 2;
chooser.addEventListener("change", () => open(Number(chooser.value)));
byId("title").textContent = `${data.model} for ${data.target}: ${bytes(data.size)}`;
open(0);
openAddress();

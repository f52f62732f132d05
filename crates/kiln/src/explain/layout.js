// Where items of a graph stand. `items` are in order, each with a width and the numbers of those that it reads, which come
// before it. An item stands one row below the lowest of them. Arrows that pass rows have a lane there, so that they cross no
// item. Gives x and y of each item, the points of each arrow, and the size of the whole. Equal items give an equal layout.
"use strict";

const ROW = 64, HEIGHT = 38, GAP = 18, LANE = 10, SWEEPS = 8;

function layout(items) {
  const rows = [], places = items.map((item, number) => ({ number, width: item.width, above: [], below: [], x: 0, row: 0 }));
  const put = place => { (rows[place.row] ||= []).push(place); };
  places.forEach((place, i) => {
    place.row = Math.max(-1, ...items[i].from.map(from => places[from].row)) + 1;
  });
  // Inputs stand right above their first reader.
  items.forEach((item, i) => {
    if (item.from.length) return;
    const readers = places.filter((_, j) => items[j].from.includes(i));
    if (readers.length) places[i].row = Math.max(0, Math.min(...readers.map(reader => reader.row)) - 1);
  });
  places.forEach(put);
  // One lane for each item whose readers are further down.
  const lanes = places.map(place => [place]);
  const arrows = [];
  items.forEach((item, to) => item.from.forEach(from => {
    const lane = lanes[from];
    while (lane.length < places[to].row - places[from].row) {
      const last = lane[lane.length - 1], next = { number: -1, width: LANE, above: [last], below: [], x: 0, row: last.row + 1 };
      last.below.push(next);
      lane.push(next);
      put(next);
    }
    const last = lane[Math.max(0, places[to].row - places[from].row - 1)];
    last.below.push(places[to]);
    places[to].above.push(last);
    arrows.push({ from, to, through: lane.slice(1, Math.max(1, places[to].row - places[from].row)) });
  }));
  order(rows);
  for (let sweep = 0; sweep < SWEEPS; sweep++) straighten(rows, sweep % 2 === 0);
  const left = Math.min(0, ...rows.flat().map(place => place.x - place.width / 2));
  rows.flat().forEach(place => { place.x -= left; });
  return {
    places: places.map(place => ({ x: place.x, y: place.row * ROW })),
    arrows: arrows.map(({ from, to, through }) => ({ from, to, path: path(places[from], through, places[to]) })),
    width: Math.max(0, ...rows.flat().map(place => place.x + place.width / 2)),
    height: Math.max(0, rows.length - 1) * ROW + HEIGHT,
  };
}

// Orders each row by the middle of its neighbours in the row before, down and up.
function order(rows) {
  const number = () => rows.forEach(row => row.forEach((place, i) => { place.at = i; }));
  number();
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    (down ? rows : rows.slice().reverse()).forEach(row => {
      const middle = new Map(row.map(place => {
        const near = down ? place.above : place.below;
        return [place, near.length ? near.reduce((sum, other) => sum + other.at, 0) / near.length : place.at];
      }));
      row.sort((a, b) => middle.get(a) - middle.get(b) || a.at - b.at);
      row.forEach((place, i) => { place.at = i; });
    });
  }
}

// Moves the places of each row under, or over, the middle of their neighbours, as far as their order and widths allow.
function straighten(rows, down) {
  (down ? rows : rows.slice().reverse()).forEach(row => {
    const wanted = row.map(place => {
      const near = down ? place.above : place.below;
      if (!near.length) return place.x;
      const sorted = near.map(other => other.x).sort((a, b) => a - b);
      return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
    });
    // Runs of places that touch move together, to the mean of what their members want.
    const runs = [];
    row.forEach((place, i) => {
      let run = { places: [place], offsets: [0], sum: wanted[i], width: place.width };
      for (;;) {
        const before = runs[runs.length - 1];
        if (!before) break;
        const lastOf = before.places[before.places.length - 1];
        const gap = (lastOf.width + run.places[0].width) / 2 + GAP;
        const end = before.sum / before.places.length + before.offsets[before.offsets.length - 1];
        if (end + gap <= run.sum / run.places.length + run.offsets[0]) break;
        const shift = before.offsets[before.offsets.length - 1] + gap - run.offsets[0];
        run = {
          places: before.places.concat(run.places),
          offsets: before.offsets.concat(run.offsets.map(offset => offset + shift)),
          sum: before.sum + run.sum - run.places.length * shift,
        };
        runs.pop();
      }
      runs.push(run);
    });
    runs.forEach(run => run.places.forEach((place, i) => { place.x = run.sum / run.places.length + run.offsets[i]; }));
  });
}

// A curve from the foot of an item through its lanes to the head of another.
function path(from, through, to) {
  let x = from.x, y = from.row * ROW + HEIGHT, text = `M${x} ${y}`;
  const bend = (nextX, nextY) => {
    const half = (nextY - y) / 2;
    text += x === nextX ? `V${nextY}` : `C${x} ${y + half} ${nextX} ${nextY - half} ${nextX} ${nextY}`;
    x = nextX; y = nextY;
  };
  through.forEach(lane => { bend(lane.x, lane.row * ROW); bend(lane.x, lane.row * ROW + HEIGHT); });
  bend(to.x, to.row * ROW);
  return text;
}

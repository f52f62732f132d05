// Keeps the pictures of planned memory legible: their text has the same size at every width and zoom, and what has no room for that
// size is left out until the picture is larger. The shapes stay where Rust put them.
"use strict";

// Pixels: of all text, the least of a name in a shape, and the room beside the shapes.
const TEXT = 12, LEAST = 10, BELOW = 150, ABOVE = 40, LETTER_WIDTH = .6;

// How many pixels a unit of the picture has.
function scaleOf(drawing, box) {
  const { width, height } = drawing.getBoundingClientRect();
  return Math.min(width / box.w, height / box.h);
}

// Sets the sizes of texts for what is shown.
function legible(drawing, box) {
  const scale = scaleOf(drawing, box);
  if (!scale) return;
  const size = (text, pixels) => text.setAttribute("font-size", pixels / scale);
  const { left, top, right } = drawing.plot;
  drawing.querySelectorAll(".title").forEach((text, line) => {
    size(text, TEXT);
    text.setAttribute("x", left - (drawing.margin - 6) / scale);
    text.setAttribute("y", top - (ABOVE - TEXT - 16 * line) / scale);
  });
  drawing.querySelectorAll(".axis.bytes").forEach(text => { size(text, TEXT); text.setAttribute("x", left - 6 / scale); });
  const calls = [...drawing.querySelectorAll(".axis.call")], column = (right - left) / calls.length * scale;
  const step = Math.ceil(1.2 * TEXT / column);
  calls.forEach((text, call) => { size(text, TEXT); text.toggleAttribute("hidden", call % step > 0); });
  drawing.querySelectorAll(".block > text").forEach(text => {
    const { lying, standing, at } = text.dataset, most = TEXT / scale;
    const font = Math.min(Math.max(lying, standing), most);
    text.toggleAttribute("hidden", font * scale < LEAST);
    text.setAttribute("font-size", font);
    text.setAttribute("transform", `translate(${at})${lying >= Math.min(standing, most) ? "" : " rotate(-90)"}`);
  });
}

// Shows all calls, and the names beside them.
function fitArena(drawing, box) {
  const { width, height } = drawing.getBoundingClientRect(), { left, top, right, bottom } = drawing.plot;
  const scale = Math.min((width - drawing.margin - LEAST) / (right - left), (height - ABOVE - BELOW) / (bottom - top));
  if (!(scale > 0)) return;
  Object.assign(box, { x: left - drawing.margin / scale, y: top - ABOVE / scale, w: width / scale, h: height / scale });
}

// Makes a picture movable, and legible whenever its scale changes.
function openArena(drawing) {
  const [left, top, right, bottom] = drawing.dataset.plot.split(" ").map(Number), box = {};
  const letters = Math.max(...[...drawing.querySelectorAll(".axis.bytes")].map(text => text.textContent.length));
  drawing.plot = { left, top, right, bottom };
  drawing.margin = TEXT + letters * TEXT * LETTER_WIDTH;
  const show = movable(drawing, box, () => legible(drawing, box));
  drawing.fit = () => { fitArena(drawing, box); if (box.w) show(); };
  new ResizeObserver(drawing.fit).observe(drawing);
}

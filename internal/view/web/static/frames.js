// SPDX-License-Identifier: Apache-2.0

// Draws canvases one in a frame of the browser, each once, however many reasons there were: several in one task would
// keep the page from scrolling.

const waiting = new Set();
let asked = false;

/** @param {() => void} draw is called once in one of the next frames */
export function soon(draw) {
  waiting.add(draw);
  if (asked) return;
  asked = true;
  requestAnimationFrame(next);
}

function next() {
  const [draw] = waiting;
  waiting.delete(draw);
  asked = waiting.size > 0;
  if (asked) requestAnimationFrame(next);
  draw();
}

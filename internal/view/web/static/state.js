// SPDX-License-Identifier: Apache-2.0

// What the page shows: the newest frame, and what the user chose. A function that changes it calls change().

/**
 * @typedef {{
 *   frame: any, pending: any, lost: string, refused: boolean, skipped: number,
 *   view: string, seq: number, obj: number, why: any, whyLost: boolean, back: number[],
 *   from: number, to: number, frozen: boolean, search: string,
 *   own: boolean, writes: boolean, failed: boolean,
 *   openLog: boolean, onlyLog: boolean, level: string, help: boolean,
 *   closed: Set<number>, bad: boolean, at: number, rv: number, managed: boolean, diff: string, lane: string,
 *   status: boolean, defaults: boolean, quiet: boolean, note: string,
 *   table: boolean, tables: boolean, resolved: boolean | null, side: string,
 * }} State
 */

/** @type {State} */
export const state = {
  frame: null, pending: null, lost: '', refused: false, skipped: 0,
  view: 'now', seq: 0, obj: 0, why: null, whyLost: false, back: [],
  from: 0, to: 0, frozen: false, search: '',
  own: true, writes: false, failed: false,
  openLog: true, onlyLog: false, level: '', help: false,
  closed: new Set(), bad: false, at: 0, rv: 0, managed: false, diff: 'change', lane: '',
  status: true, defaults: true, quiet: false, note: '',
  table: false, tables: false, resolved: null, side: 'requests',
};

let draw = () => {};
let waiting = false;

/** @param {() => void} f draws the page */
export function onChange(f) {
  draw = f;
}

/** Changes the state, and draws once before the next frame of the browser. */
export function change(patch = {}) {
  Object.assign(state, patch);
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(drawNow);
}

/** Draws what waits for the next frame: a key is for what the key before it led to. */
export function drawNow() {
  if (!waiting) return;
  waiting = false;
  draw();
}

/** Takes a frame; while the page is frozen, or the browser has not drawn the one before, the newest one waits. */
export function take(frame) {
  if (state.frame && frame.run !== state.frame.run) {
    change({ frame, pending: null, lost: '', seq: 0, obj: 0, why: null, from: 0, to: 0, at: 0, rv: 0, back: [], frozen: false });
    return;
  }
  if (state.frozen) {
    change({ pending: frame, lost: '' });
    return;
  }
  change({ frame, pending: null, lost: '', skipped: (waiting ? 1 : 0) + (frame.skipped ?? 0) });
}

/** The range of time and the search, for questions. */
export const scope = () => ({ from: state.from, to: state.to, q: state.search });

/** Changes when rows may be others. */
export const version = () => `${state.frame?.run}/${state.frame?.seq}`;

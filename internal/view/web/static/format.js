// SPDX-License-Identifier: Apache-2.0

// Times, numbers and certainties as text.

import { html, nothing } from '/lib/lit-html/lit-html.js';

/** @param {number} ns */
export function duration(ns) {
  if (ns === undefined || ns === null || ns < 0) return '–';
  const units = [[60e9 * 2, 60e9, ' min'], [1e9, 1e9, ' s'], [95e3, 1e6, ' ms'], [1, 1e3, ' µs'], [0, 1e6, ' ms']];
  for (const [least, unit, name] of units) {
    if (ns >= least) {
      const n = ns / unit;
      return (n < 9.95 ? n.toFixed(1).replace(/\.0$/, '') : Math.round(n)) + name;
    }
  }
  return '–';
}

let start = 0; // wall clock at T = 0, in ms
let beyond = 0; // nanoseconds of it that are less than a millisecond

/** @param {any} header of the recording */
export function setStart(header) {
  start = header?.start ? Date.parse(header.start) : 0;
  beyond = Number((/\.\d{3}(\d+)/.exec(header?.start)?.[1] ?? '').padEnd(6, '0'));
}

/** Time as RFC 3339, to the nanosecond, with the offset of the browser. */
export function rfc3339(t) {
  const ns = beyond + t, ms = start + Math.floor(ns / 1e6), east = -new Date(ms).getTimezoneOffset();
  const two = (n) => String(Math.floor(n)).padStart(2, '0'), off = Math.abs(east);
  return `${new Date(ms + east * 60e3).toISOString().slice(0, -1)}${String(ns % 1e6).padStart(6, '0')}${east < 0 ? '-' : '+'}${two(off / 60)}:${two(off % 60)}`;
}

/** Wall clock of a record, to the millisecond. */
export function clock(t, digits = 3) {
  const d = new Date(start + t / 1e6);
  const two = (n) => String(n).padStart(2, '0');
  const time = `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
  return digits ? `${time}.${String(d.getMilliseconds()).padStart(3, '0')}` : time;
}

/** Wall clock in seconds, as charts have it. */
export const clockOf = (s, digits = 0) => clock((s - wall(0)) * 1e9, digits);

export const wall = (t) => start / 1000 + t / 1e9;

/** @param {number} n */
export function bytes(n) {
  if (!n) return '';
  for (const unit of ['B', 'KiB', 'MiB', 'GiB']) {
    if (n < 1024 || unit === 'GiB') return `${n < 10 && unit !== 'B' ? n.toFixed(1) : Math.round(n)} ${unit}`;
    n /= 1024;
  }
  return '';
}

/** @param {number} n */
export const rate = (n) => (n >= 10 ? Math.round(n) : Math.round(n * 10) / 10) + '/s';

export const count = (n) => Number(n ?? 0).toLocaleString('en');

export const plural = (n, one, many = one + 's') => `${count(n)} ${n === 1 ? one : many}`;

/** How sure a link is: by a word, and by the line that CSS draws. */
export const certainty = (c, proof) =>
  c ? html`<span class="sure ${c}" title=${proof || nothing}>${c}${proof && c !== 'certain' ? ': ' + proof : ''}</span>` : nothing;

/** A change of a field. It has no values where none are recorded. */
export const changed = (c) => html`<code>${c.path}</code>: ${c.old === undefined && c.new === undefined
  ? html`<span title="--record-bodies changed records values">changed; value not recorded</span>`
  : html`<del>${value(c.old)}</del> → <ins>${value(c.new)}</ins>`}`;

/** A value of a field in one line. */
function value(v) {
  if (v === undefined) return '(none)';
  const text = JSON.stringify(v);
  return text.length > 240 ? text.slice(0, 240) + '…' : text;
}

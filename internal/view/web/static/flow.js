// SPDX-License-Identifier: Apache-2.0

// View 2: what led to what, and how long each part took. Lanes on a canvas, with idle time folded; the table has the
// same content.

import { html, nothing } from '/lib/lit-html/lit-html.js';
import './rows.js';
import { color, dark } from './color.js';
import { data, loading, stale } from './data.js';
import { soon } from './frames.js';
import { clock, duration, plural } from './format.js';
import { select } from './inspector.js';
import { change, state, version } from './state.js';

const laneHeight = 34, left = 190, fold = 26, top = 20;

/** Folds idle time: returns where a time is, in [0, 1] of the busy time, and the folds. */
function timeline(d, width) {
  const spans = [];
  for (const i of d.items) {
    const b = Math.max(d.from, i.begin), e = Math.min(d.to, Math.max(i.end, i.begin));
    const last = spans.at(-1);
    if (last && b <= last.end) last.end = Math.max(last.end, e);
    else spans.push({ begin: b, end: e });
  }
  const least = Math.max((d.to - d.from) / 25, 1e6); // shorter idle times are shown as they are
  const busy = [];
  for (const s of spans) {
    const last = busy.at(-1);
    if (last && s.begin - last.end < least) last.end = Math.max(last.end, s.end);
    else busy.push({ ...s });
  }
  if (!busy.length) busy.push({ begin: d.from, end: d.to });
  const total = busy.reduce((n, s) => n + Math.max(s.end - s.begin, 1e5), 0);
  const room = Math.max(100, width - left - fold * (busy.length - 1) - 12);
  let x = left;
  for (const s of busy) {
    s.x = x;
    s.width = (room * Math.max(s.end - s.begin, 1e5)) / total;
    x += s.width + fold;
  }
  return {
    busy,
    x(t) {
      for (const s of busy) {
        if (t <= s.end) return t < s.begin ? Math.max(left, s.x - fold / 2) : s.x + (s.width * (t - s.begin)) / Math.max(s.end - s.begin, 1e5);
      }
      const s = busy.at(-1);
      return s.x + s.width;
    },
    t(x) {
      for (const s of busy) if (x <= s.x + s.width) return s.begin + (Math.max(s.end - s.begin, 1e5) * Math.max(0, x - s.x)) / s.width;
      return d.to;
    },
  };
}

/** What led to a record, and what followed, as many steps as one reconcile has, twice. */
function chain(d, seq) {
  const lit = new Set(seq ? [seq] : []);
  if (!seq) return lit;
  for (const [a, b] of [['from', 'to'], ['to', 'from']]) {
    const next = new Map();
    for (const e of d.edges) {
      const known = next.get(e[a]);
      if (known) known.push(e[b]);
      else next.set(e[a], [e[b]]);
    }
    let step = seq ? [seq] : [];
    const seen = new Set(step);
    for (let depth = 0; depth < 6 && seen.size < 400; depth++) {
      step = step.flatMap((n) => next.get(n) ?? []).filter((n) => !seen.has(n));
      for (const n of step) {
        seen.add(n);
        lit.add(n);
      }
    }
  }
  return lit;
}

class Flow extends HTMLElement {
  /** @type {any} */ #data = null;
  #seq = 0;
  #hits = [];
  #line = null;
  #resized = new ResizeObserver(() => this.#draw());
  #scheme = () => this.#draw();

  connectedCallback() {
    this.#resized.observe(this);
    dark.addEventListener('change', this.#scheme);
    this.addEventListener('click', (e) => {
      const hit = this.#at(e);
      if (hit) select(hit.seq);
    });
    this.addEventListener('mousemove', (e) => { this.title = this.#at(e)?.text ?? this.#lane(e) ?? ''; });
    this.addEventListener('wheel', (e) => {
      if (!this.#line || !e.ctrlKey && !e.shiftKey) return;
      e.preventDefault();
      const t = this.#line.t(e.clientX - this.getBoundingClientRect().left);
      zoom(this.#data, e.deltaY < 0 ? 0.5 : 2, t);
    }, { passive: false });
    this.#draw();
  }

  disconnectedCallback() {
    this.#resized.disconnect();
    dark.removeEventListener('change', this.#scheme);
  }

  set data(d) {
    if (d === this.#data) return;
    this.#data = d;
    this.#draw();
  }

  set seq(n) {
    if (n === this.#seq) return;
    this.#seq = n;
    this.#draw();
  }

  #at(e) {
    const box = this.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top + this.scrollTop;
    return this.#hits.findLast((h) => x >= h.x - 3 && x <= h.x + h.w + 3 && y >= h.y && y <= h.y + h.h);
  }

  /** The name of a lane where it is drawn: there it can be too long. */
  #lane(e) {
    const box = this.getBoundingClientRect(), y = e.clientY - box.top + this.scrollTop - top;
    return e.clientX - box.left < left ? this.#data?.lanes[Math.floor(y / laneHeight)]?.name : undefined;
  }

  #draw() {
    soon(this.#paint);
  }

  #paint = () => {
    const d = this.#data;
    const canvas = /** @type {HTMLCanvasElement} */ (this.querySelector('canvas'));
    if (!d || !canvas || !this.clientWidth) return;
    const width = this.clientWidth - 4, height = Math.max(60, top + d.lanes.length * laneHeight + 4), scale = devicePixelRatio || 1;
    if (canvas.width !== Math.floor(width * scale) || canvas.height !== Math.floor(height * scale)) { // another size clears it, and lays out the page
      canvas.width = width * scale;
      canvas.height = height * scale;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const colors = {}, c = (n) => (colors[n] ??= color(n));
    const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, width, height);
    g.font = '11px ui-monospace, monospace';
    const line = (this.#line = timeline(d, width));
    d.lanes.forEach((l, i) => {
      const y = top + i * laneHeight;
      g.fillStyle = i % 2 ? c('--bg') : c('--panel');
      g.fillRect(0, y, width, laneHeight);
      g.fillStyle = c('--text');
      g.fillText(l.name.length > 27 ? l.name.slice(0, 13) + '…' + l.name.slice(-13) : l.name, 6, y + 20);
    });
    g.fillStyle = c('--dim');
    line.busy.forEach((s, i) => {
      if (i === 0 || s.width > 70) g.fillText(clock(s.begin), s.x, 12);
      if (i) {
        g.fillText('⋯', s.x - fold + 8, top + 14);
        g.setLineDash([2, 3]);
        g.strokeStyle = c('--line');
        g.strokeRect(s.x - fold + 3, top, fold - 6, height - top - 2);
        g.setLineDash([]);
      }
    });
    const lit = chain(d, this.#seq), some = lit.size > 1;
    const kinds = { save: '--text', read: '--bar', write: '--c5', delivery: '--c3', wait: '--warn', reconcile: '--accent', request: '--bar', version: '--good' };
    const where = new Map();
    this.#hits = [];
    for (const i of d.items) {
      const x = line.x(Math.max(i.begin, d.from)), w = Math.max(2, line.x(Math.min(Math.max(i.end, i.begin), d.to)) - x), y = top + i.lane * laneHeight;
      const box = { seq: i.seq, text: `${i.text}\n${clock(i.begin)}, ${duration(i.end - i.begin)}`, x, w, y: y + 4, h: 12 };
      if (i.kind === 'request') [box.y, box.h] = [y + 18, 6];
      if (i.kind === 'version') [box.y, box.h, box.w] = [y + 26, 6, 4];
      if (i.kind === 'wait') [box.y, box.h] = [y + 8, 4];
      g.globalAlpha = some && !lit.has(i.seq) ? 0.25 : 1;
      g.fillStyle = i.bad ? c('--bad') : c(kinds[i.kind] ?? '--dim');
      if (i.kind === 'delivery') {
        g.beginPath();
        g.moveTo(x, box.y);
        g.lineTo(x + 7, box.y + 6);
        g.lineTo(x, box.y + 12);
        g.fill();
        box.w = 7;
      } else g.fillRect(box.x, box.y, box.w, box.h);
      if (i.seq === this.#seq) {
        g.strokeStyle = c('--text');
        g.strokeRect(box.x - 1.5, box.y - 1.5, box.w + 3, box.h + 3);
      }
      if (!where.has(i.seq)) where.set(i.seq, box);
      this.#hits.push(box);
    }
    g.globalAlpha = 1;
    if (some) {
      for (const e of d.edges) {
        const a = where.get(e.from), b = where.get(e.to);
        if (!a || !b || !lit.has(e.from) || !lit.has(e.to)) continue;
        g.strokeStyle = c(e.certainty === 'certain' ? '--good' : e.certainty === 'likely' ? '--warn' : '--dim');
        g.setLineDash(e.certainty === 'certain' ? [] : e.certainty === 'likely' ? [6, 4] : [2, 3]);
        g.lineWidth = 1.5;
        g.beginPath();
        g.moveTo(a.x + a.w, a.y + a.h / 2);
        g.bezierCurveTo(a.x + a.w + 14, a.y + a.h / 2, b.x - 14, b.y + b.h / 2, b.x, b.y + b.h / 2);
        g.stroke();
      }
      g.setLineDash([]);
      g.lineWidth = 1;
    }
  };
}
customElements.define('crd-flow', Flow);

/** The earliest time that can be shown. */
const least = () => state.frame?.header?.begin ?? 1;

/** Shows less or more time around t. */
function zoom(d, factor, t) {
  if (!d) return;
  const span = Math.max(1e6, (d.to - d.from) * factor), at = (t - d.from) / Math.max(1, d.to - d.from);
  const from = Math.max(least(), Math.round(t - span * at)), end = Math.max(state.frame?.now ?? 0, d.to); // nothing is outside the recording
  change({ from, to: Math.min(end, Math.round(from + span)) });
}

const columns = [
  { title: 'time', width: '13ch', cell: (i) => clock(i.begin) },
  { title: 'lane', width: 'minmax(16ch, 26ch)', cell: (i) => i.name },
  { title: 'what', width: '10ch', cell: (i) => i.kind },
  { title: 'took', width: '8ch', kind: 'number', cell: (i) => (i.end > i.begin ? duration(i.end - i.begin) : '') },
  { title: 'record', width: 'minmax(30ch, 1fr)', cell: (i) => i.text },
];

/** Where the selection is, if not in the time that is shown. */
function elsewhere(d) {
  const t = state.why?.seq === state.seq ? state.why.t : undefined;
  if (!state.seq || t === undefined || (t >= d.from && t <= d.to)) return nothing;
  const show = () => change({ from: Math.max(least(), t - 5e9), to: Math.min(Math.max(state.frame?.now ?? 0, t), t + 5e9) });
  return html`<p class="hint">The selected record is of ${clock(t)}. <button class="ref" @click=${show}>Show that time</button></p>`;
}

export function flow(f) {
  const params = { from: state.from, to: state.to, q: state.search };
  const d = data('flow', params, version());
  if (!d) return loading();
  const middle = (d.from + d.to) / 2;
  return html`<div class="chips" role="group" aria-label="Flow">
      <button class="chip" aria-pressed=${state.table ? 'false' : 'true'} @click=${() => change({ table: false })}>lanes</button>
      <button class="chip" aria-pressed=${state.table ? 'true' : 'false'} @click=${() => change({ table: true })}>table</button>
      <span class="sep"></span>
      <button aria-label="Zoom in" @click=${() => zoom(d, 0.5, middle)}>+</button><button aria-label="Zoom out" @click=${() => zoom(d, 2, middle)}>−</button>
      <button aria-label="Earlier" @click=${() => change({ from: Math.max(least(), Math.round(d.from - (d.to - d.from) / 2)), to: Math.round(middle) })}>‹</button>
      <button aria-label="Later" @click=${() => change({ from: Math.round(middle), to: Math.round(d.to + (d.to - d.from) / 2) })}>›</button>
      <span class="hint">${clock(d.from)} to ${clock(d.to)} · ${plural(d.items.length, 'item')}${d.more ? `, ${d.more} earlier ones not shown` : ''}${d.keys > 40 ? `, the 40 busiest of ${d.keys} keys` : ''} · line: <span class="sure certain">certain</span> <span class="sure likely">likely</span> <span class="sure unknown">unknown</span></span>
    </div>
    ${stale()}
    ${elsewhere(d)}
    ${!d.items.length ? html`<p class="hint">Nothing was recorded in this time.</p>` : nothing}
    ${state.table
      ? html`<crd-rows .source=${'flowrows'} .label=${'Flow'} .columns=${columns} .pick=${(i) => select(i.seq)} .selected=${state.seq} .params=${params} .version=${version()} .rowClass=${(i) => (i.bad ? 'bad' : '')}></crd-rows>`
      : html`<crd-flow .data=${d} .seq=${state.seq}><canvas role="img" aria-label=${`${plural(d.lanes.length, 'lane')}, ${plural(d.items.length, 'item')}; the table has the same content`}></canvas></crd-flow>`}`;
}

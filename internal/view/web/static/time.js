// SPDX-License-Identifier: Apache-2.0

// View 5: how fast, how deep, and since which build.

import { html, nothing } from '/lib/lit-html/lit-html.js';
import uPlot from '/lib/uplot/uPlot.esm.js';
import { color, dark } from './color.js';
import { data, loading, stale } from './data.js';
import { soon } from './frames.js';
import { clock, clockOf, count, duration, wall } from './format.js';
import { select } from './inspector.js';
import { invisible } from './now.js';
import { change, state, version } from './state.js';

const palette = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6'];
const dashes = [undefined, [6, 3], [2, 3], [10, 4, 2, 4]];

const charts = [
  { id: 'rate', title: 'Reconciles a second, by result', series: ['ok', 'requeue', 'error', 'panic'], scale: (v, step) => (v * 1e9) / step, unit: (v) => String(Math.round(v * 10) / 10) },
  { id: 'took', title: 'Reconciles: waited and worked', series: ['waited50', 'waited99', 'worked50', 'worked99'], names: ['waited p50', 'waited p99', 'worked p50', 'worked p99'], scale: (v) => (v < 0 ? null : v), unit: duration },
  { id: 'request', title: 'Requests', series: ['request50', 'request99'], names: ['p50', 'p99'], scale: (v) => (v < 0 ? null : v), unit: duration },
  { id: 'depth', title: 'Queue depth', series: ['depth'], scale: (v) => v, unit: String },
  { id: 'writes', title: 'Writes, no-op writes and conflicts a second', series: ['writes', 'noops', 'conflicts'], scale: (v, step) => (v * 1e9) / step, unit: (v) => String(Math.round(v * 10) / 10) },
];

/** One chart of uPlot, drawn anew where its data is. */
class Chart extends HTMLElement {
  /** @type {any} */ #plot = null;
  /** @type {any} */ #data = null;
  #key = '';
  #resized = new ResizeObserver(() => this.#plot?.setSize(this.#size()));
  #scheme = () => this.#draw();

  #size() {
    return { width: Math.max(200, this.clientWidth), height: 130 };
  }

  connectedCallback() {
    this.#resized.observe(this);
    dark.addEventListener('change', this.#scheme);
    this.#draw();
  }

  disconnectedCallback() {
    this.#resized.disconnect();
    dark.removeEventListener('change', this.#scheme);
    this.#plot?.destroy();
    this.#plot = null;
  }

  set data(d) {
    if (d === this.#data) return;
    this.#data = d;
    this.#draw();
  }

  #draw() {
    soon(this.#paint);
  }

  #paint = () => {
    const d = this.#data;
    if (!d || !this.isConnected) return;
    const key = `${d.chart.id}/${dark.matches}/${d.saves.length}`;
    if (this.#plot && key === this.#key) {
      this.#plot.setData(d.columns);
      return;
    }
    this.#key = key;
    this.#plot?.destroy();
    const axis = { stroke: color('--dim'), grid: { stroke: color('--line'), width: 1 }, ticks: { stroke: color('--line') } };
    this.#plot = new uPlot({
      ...this.#size(),
      cursor: { y: false },
      legend: { live: false },
      series: [{}, ...d.chart.series.map((s, i) => ({ label: d.chart.names?.[i] ?? s, stroke: color(palette[i]), dash: dashes[i], width: 1.5, points: { show: d.columns[0].length < 40, filter: (u, n, shown) => (shown ? null : alone(u.data[n])) } }))],
      axes: [{ ...axis, space: 90, values: (_, v, axis, space, step) => v.map((x) => (x === null ? '' : clockOf(x, step < 1 ? 3 : 0))) }, { ...axis, size: 64, values: (_, v) => v.map((x) => (x === null ? '' : d.chart.unit(x))) }],
      hooks: {
        draw: [(u) => { // a line for each save
          const right = u.bbox.left + u.bbox.width;
          const lines = d.saves.map((s) => ({ s, x: u.valToPos(wall(s.t), 'x', true) })).filter(({ x }) => x >= u.bbox.left && x <= right);
          let free = u.bbox.left; // where a label has room, on the right of its line or else on the left
          for (const [i, { s, x }] of lines.entries()) {
            u.ctx.fillStyle = color(s.ok ? '--text' : '--bad');
            u.ctx.fillRect(x, u.bbox.top, devicePixelRatio, u.bbox.height);
            const width = u.ctx.measureText(s.label).width + 8, after = x + width < (lines[i + 1]?.x ?? right);
            if (!after && x - width < free) {
              free = x;
              continue;
            }
            u.ctx.textAlign = after ? 'left' : 'right';
            u.ctx.fillText(s.label, x + (after ? 4 : -4), u.bbox.top + 10);
            free = after ? x + width : x;
          }
        }],
      },
    }, d.columns, this);
  };
}
customElements.define('crd-chart', Chart);

/** Where values are that no line leads to. */
const alone = (values) => values.flatMap((v, i) => (v !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null ? [i] : []));

let made = { from: null, charts: [] };

/** Data of all charts, made once for each answer. */
function columnsOf(d) {
  if (made.from !== d) {
    made = {
      from: d,
      charts: charts.map((chart) => ({ chart, saves: d.saves ?? [], columns: [d.t.map(wall), ...chart.series.map((s) => (d.columns[s] ?? []).map((v) => chart.scale(v, d.step)))] })),
    };
  }
  return made.charts;
}

const table = (c, d) => html`<details><summary>${c.chart.title} as a table</summary><div class="scroll"><table><thead><tr><th>time</th>${c.chart.series.map((s, i) => html`<th>${c.chart.names?.[i] ?? s}</th>`)}</tr></thead>
  <tbody>${state.tables ? d.t.slice(-100).map((t, row) => {
    const at = Math.max(0, d.t.length - 100) + row;
    return html`<tr><td>${clock(t, 0)}</td>${c.columns.slice(1).map((col) => html`<td>${col[at] === null ? '–' : c.chart.unit(col[at])}</td>`)}</tr>`;
  }) : nothing}</tbody></table></div></details>`;

export function time(f) {
  const d = data('time', { from: state.from, to: state.to, q: state.search }, version());
  if (!d) return loading();
  return html`<div @toggle=${{ handleEvent: () => change({ tables: true }), capture: true }}>
    ${stale()}${invisible(f)}
    <div class="charts">${columnsOf(d).map((c) => html`<figure><figcaption>${c.chart.title}</figcaption><crd-chart role="img" aria-label=${`${c.chart.title}; the table below has the same figures`} .data=${c}></crd-chart>${table(c, d)}</figure>`)}</div>
    <section><h2>Keys with most reconciles</h2>${d.keys.length ? html`<div class="scroll"><table><thead><tr><th>key</th><th>reconciles</th><th>errors</th><th>p50</th><th>p99</th><th>waited p99</th></tr></thead><tbody>
      ${d.keys.slice(0, 20).map((k) => html`<tr class=${k.errors ? 'bad' : ''}><td><button class="ref" @click=${() => (k.seq ? select(k.seq) : change({ obj: k.obj ?? 0, view: 'object' }))}>${k.controller} ${k.key}</button></td>
        <td>${count(k.n)}</td><td>${k.errors}</td><td>${duration(k.p50)}</td><td>${duration(k.p99)}</td><td>${duration(k.waited)}</td></tr>`)}</tbody></table></div>` : html`<p class="hint">No reconcile was recorded in this time.</p>`}</section>
    <section><h2>Next</h2>${d.next.length ? html`<table><thead><tr><th>key</th><th>why</th><th>at</th><th>failures in a row</th></tr></thead><tbody>
      ${d.next.slice(0, 20).map((n) => html`<tr><td><button class="ref" @click=${() => select(n.seq)}>${n.key}</button></td><td>${n.why}</td><td>${n.at ? clock(n.at) + `, in ${duration(n.at - f.now)}` : 'not recorded'}</td><td>${n.tries || ''}</td></tr>`)}</tbody></table>` : html`<p class="hint">No key asked to run again.</p>`}</section>
  </div>`;
}

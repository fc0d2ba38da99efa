// SPDX-License-Identifier: Apache-2.0

// The time brush: how much was recorded when, with a mark for each save. A drag selects a range, which all views show.

import { html, nothing, svg } from '/lib/lit-html/lit-html.js';
import { clock, duration, plural } from './format.js';
import { change, state } from './state.js';

const height = 32;
let drag = 0, dragging = false;

/** One end of the range, for the keyboard. */
const slider = (name, at, from, span, set) => html`<label class="end">${name} <input type="range" min="0" max="100" .value=${String(Math.round((100 * (at - from)) / span))}
  aria-valuetext=${clock(at, 0)} @input=${(e) => set(Math.round(from + (span * Number(e.target.value)) / 100))}></label>`;

export function brush(f) {
  const { from, step, counts } = f.strip;
  const n = Math.max(counts.length, 1), span = n * step;
  const most = Math.max(1, ...counts);
  const x = (t) => Math.max(0, Math.min(1000, (1000 * (t - from)) / span));
  const time = (e) => {
    const box = e.currentTarget.getBoundingClientRect();
    return Math.round(from + (span * Math.max(0, Math.min(box.width, e.clientX - box.left))) / box.width);
  };
  const chosen = state.from || state.to;
  return html`<div class="brush">
    <svg role="img" aria-label=${`Records by time over ${duration(span)}, ${plural(f.saved, 'save')}, ${plural(f.gaps?.length ?? 0, 'gap')}`}
      viewBox="0 0 1000 ${height}" preserveAspectRatio="none"
      @pointerdown=${(e) => { e.currentTarget.setPointerCapture(e.pointerId); dragging = true; drag = time(e); }}
      @pointermove=${(e) => { if (dragging) change({ from: Math.max(1, Math.min(drag, time(e))), to: Math.max(drag, time(e)) }); }}
      @pointerup=${(e) => { dragging = false; if (Math.abs(time(e) - drag) < span / 200) change({ from: 0, to: 0 }); }}>
      <defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="6"></rect></pattern></defs>
      ${counts.map((c, i) => (c ? svg`<rect class="bar" x=${(1000 * i) / n} width=${Math.max(1, 1000 / n - 0.5)} y=${height - Math.max(1, (height * c) / most)} height=${Math.max(1, (height * c) / most)}></rect>` : nothing))}
      ${f.gaps?.map((g) => svg`<rect class="gap" x=${x(g.From)} width=${Math.max(3, x(g.To) - x(g.From))} y="0" height=${height}><title>gap: ${g.Why}</title></rect>`)}
      ${f.saves?.map((s) => svg`<rect class="save ${s.ok ? '' : 'bad'}" x=${x(s.t)} width="2" y="0" height=${height}><title>${s.label}, ${clock(s.t, 0)}</title></rect>`)}
      ${chosen ? svg`<rect class="chosen" x=${x(state.from)} width=${Math.max(2, x(state.to || f.now) - x(state.from))} y="0" height=${height}></rect>` : nothing}
    </svg>
    <p>${slider('from', state.from || from, from, span, (t) => change({ from: t <= from ? 0 : Math.min(t, state.to || Infinity) }))}
      ${slider('to', state.to || from + span, from, span, (t) => change({ to: t >= from + span ? 0 : Math.max(t, state.from) }))}
      ${chosen
      ? html`${clock(state.from, 0)} to ${state.to ? clock(state.to, 0) : 'now'} <button @click=${() => change({ from: 0, to: 0 })}>all time</button>`
      : html`${duration(span)} · drag to select a time${f.saves?.length ? ' ·' : nothing} ${f.saves?.slice(-3).map((s) => html`<button class="ref" title="From this save on" @click=${() => change({ from: s.t, to: 0 })}>${s.ok ? '│' : '✗'} ${s.label}</button> `)}`}</p>
  </div>`;
}

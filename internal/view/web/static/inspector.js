// SPDX-License-Identifier: Apache-2.0

// WHY: what led to the record that is selected, and what followed, each with how sure that is.

import { html, nothing } from '/lib/lit-html/lit-html.js';
import { ask, Refused } from './api.js';
import { certainty, changed, clock, duration } from './format.js';
import { change, state } from './state.js';

let asked = 0;

/** Selects a record, and asks why it is. */
export async function select(seq, keepBack = false) {
  if (!seq) return;
  if (!keepBack && state.seq && state.seq !== seq) state.back.push(state.seq);
  change({ seq });
  await refresh();
}

/** Asks again: what followed may have come meanwhile. */
async function refresh() {
  const seq = state.seq;
  asked = state.frame?.seq ?? 0;
  try {
    const why = await ask('why', { seq });
    if (seq === state.seq) change({ why, whyLost: false, ...(why.obj && why.kind === 'object' ? { obj: why.obj } : {}) });
  } catch (err) {
    if (seq === state.seq && !(err instanceof Refused)) change({ whyLost: true });
  }
}

export const back = () => {
  const seq = state.back.pop();
  if (seq) select(seq, true);
  else change({ seq: 0, why: null });
};

/** What a copied link selects. The link has no token. */
export function link() {
  const p = new URLSearchParams({ view: state.view });
  for (const k of ['seq', 'obj', 'from', 'to']) if (state[k]) p.set(k, String(state[k]));
  return `${location.origin}/#${p}`;
}

export function readLink() {
  const p = new URLSearchParams(location.hash.slice(1));
  for (const k of ['seq', 'obj', 'from', 'to']) state[k] = Number(p.get(k)) || 0;
  if (/^(now|flow|object|requests|time|rights)$/.test(p.get('view') ?? '')) state.view = /** @type {string} */ (p.get('view'));
  if (state.seq) refresh();
}

const item = (i) => html`<li class="item ${i.certainty ?? ''}">
  ${i.seq ? html`<button class="ref" @click=${() => select(i.seq)}>${i.text}</button>` : html`<span>${i.text}</span>`}
  ${i.t ? html` <span class="at">${clock(i.t)}</span>` : nothing}
  ${certainty(i.certainty, i.proof)}
  ${i.changes?.length ? html`<ul class="fields">${i.changes.map((c) => html`<li class="field">${changed(c)}</li>`)}</ul>` : nothing}
  ${i.pre ? html`<pre>${i.pre}</pre>` : nothing}</li>`;

export function inspector(f) {
  const w = state.why;
  if (w && !w.missing && !state.frozen && f.state === 'live' && f.now - w.t < 10e9 && f.seq > asked) refresh();
  return html`<aside class="why" aria-label="Why">
    <h2>Why</h2>
    ${state.whyLost ? html`<p class="note">crdctl did not answer; what is shown is as it was</p>` : nothing}
    ${!w ? html`<p class="hint">Select something: what led to it, and what followed, is shown here.</p>` : html`
      <h3>${w.title}</h3>
      ${w.missing ? html`<p>This record is no longer held.</p>` : html`<p class="at">${clock(w.t)}${w.took ? `, took ${duration(w.took)}` : ''} · #${w.seq}
        ${w.obj ? html` · <button class="ref" @click=${() => change({ obj: w.obj, view: 'object', rv: 0 })}>object</button>` : nothing}</p>`}
      ${w.sections.map((s) => html`<section><h4>${s.title}</h4><ul>${s.items.map(item)}</ul></section>`)}`}
  </aside>`;
}

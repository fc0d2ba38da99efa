// SPDX-License-Identifier: Apache-2.0

// View 3: how an object got like this, and who wrote which field.

import { html, nothing } from '/lib/lit-html/lit-html.js';
import './rows.js';
import { data, loading, stale } from './data.js';
import { certainty, changed, clock, count, duration } from './format.js';
import { chip } from './chip.js';
import { select } from './inspector.js';
import { change, state, version } from './state.js';

const columns = [
  { title: 'time', width: '13ch', cell: (v) => clock(v.t) },
  { title: 'version', width: '9ch', kind: 'number', cell: (v) => v.rv },
  { title: 'gen', width: '5ch', kind: 'number', cell: (v) => v.generation ?? '' },
  { title: 'writer', width: 'minmax(16ch, 27ch)', cell: (v) => (v.writer ? (v.certainty === 'certain' ? v.writer : html`${v.writer} (${v.certainty})`) : 'not recorded') },
  { title: 'change', width: 'minmax(24ch, 1fr)', cell: (v) => (v.folded > 1 ? `${v.summary} ×${v.folded}` : v.summary) },
];

/** The version before (-1) or after (1) the one that is shown, which may be outside of the selected time. */
export function step(n) {
  const o = shown;
  if (!o) return;
  const to = n < 0 ? o.versions.findLast((v) => v.rv < o.rv) : o.versions.find((v) => v.rv > o.rv);
  if (to) change({ rv: to.rv, at: to.t });
}

let shown = null;

const related = (r) => html`<li class=${r.red ? 'bad' : ''}>${r.id ? html`<button class="ref" @click=${() => change({ obj: r.id, rv: 0, at: 0 })}>${r.name}</button>` : r.name}${
  r.controller ? ' (controller)' : ''}${r.deleted ? html` <span class="bad">deleted</span>` : nothing}${r.red ? html` <b>✗ ${r.red}</b>` : nothing}</li>`;

const isManaged = (c) => c.path.startsWith('metadata.managedFields');
const isStatus = (c) => /^status($|[.[])/.test(c.path);

/** Reports whether the API server made a change that was not sent: a default, or what a webhook added. */
const isDefault = (o, c) => o.defaults?.some((path) => c.path === path || c.path.startsWith(path + '.') || c.path.startsWith(path + '['));

function diff(o) {
  const kept = o.changes.filter((c) => (state.managed || !isManaged(c)) && (state.status || !isStatus(c)) && (state.defaults || !isDefault(o, c)));
  const hidden = o.changes.length - kept.length;
  return html`<ul class="fields">${kept.map((c) => html`<li class="field">${changed(c)}${isDefault(o, c) ? html` <span class="hint">not sent: a default, or a webhook's</span>` : nothing}</li>`)}</ul>
    ${kept.length && hidden ? html`<p class="hint">${hidden} more hidden</p>` : nothing}
    ${kept.length ? nothing : html`<p class="hint">${hidden ? (o.changes.every(isManaged) ? 'Only metadata.managedFields differs.' : `${hidden} hidden by what is chosen above.`) : o.prev ? 'No change was recorded.' : 'The first version that was seen.'}</p>`}`;
}

/** The object without what is not to be seen. */
function whole(o) {
  if (state.managed && state.status) return o.state;
  const object = JSON.parse(o.state);
  if (!state.managed) delete object.metadata?.managedFields;
  if (!state.status) delete object.status;
  return JSON.stringify(object, null, 2);
}

export function object(f) {
  if (!state.obj) return html`<p class="hint">Choose an object in the tree on the left, or press Enter on a request.</p>`;
  const o = data('object', { id: state.obj, rv: state.rv, at: state.at, from: state.from, to: state.to }, version());
  if (!o || o.id !== state.obj) return o === null ? html`<p class="hint">This object is not in the recording.</p>` : loading();
  shown = o;
  const at = o.versions.findLastIndex((v) => v.rv <= o.rv);
  return html`${stale()}<div class="object-head">
      <h2 class="name">${o.name}${o.deleted ? html` <span class="bad">deleted</span>` : o.deleting ? html` <span class="bad">deleting since ${o.deleting}</span>` : nothing}</h2>
      ${o.rv ? html`<p class="at">version ${o.rv}, ${o.generation ? `generation ${o.generation}, ` : ''}${clock(o.t)}${o.writer ? html`, written by ${o.writer}` : ', writer not recorded'} ${certainty(o.certainty)}
        <button class="ref" @click=${() => select(o.seq)}>why</button></p>
      ${o.versions.length ? html`<label class="slider">version <input type="range" min="0" max=${Math.max(o.versions.length - 1, 0)} .value=${String(at)} aria-valuetext=${`version ${o.rv} of ${clock(o.t)}`}
        @input=${(e) => { const v = o.versions[Number(e.target.value)]; if (v) change({ rv: v.rv, at: v.t }); }}> ${count(at + 1)} of ${o.versions.length === 2000 ? 'the newest ' : ''}${count(o.versions.length)}</label>` : html`<p class="hint">No version in the selected time.</p>`}`
      : html`<p class="hint">None of its versions was recorded: nothing wrote it, and the controller watches no such objects.</p>`}
    </div>
    <div class="chips" role="group" aria-label="Shown">
      ${['change', 'whole'].map((d) => html`<button class="chip" aria-pressed=${state.diff === d ? 'true' : 'false'} @click=${() => change({ diff: d })}>${d === 'change' ? 'what changed' : 'the object'}</button>`)}
      <span class="sep"></span>${chip('status', 'status')}${chip('defaults', 'defaults')}${chip('managed', 'managedFields')}
    </div>
    <div class="object-parts">
      <section>${state.diff === 'change' ? diff(o) : html`${o.whole ? nothing : html`<p class="hint">Only what changed was recorded: --record-bodies all has whole objects.</p>`}<pre>${whole(o)}</pre>`}</section>
      <section class="facts">
        <h4>Owners</h4><ul>${o.owners.length ? o.owners.map(related) : html`<li>none</li>`}</ul>
        <h4>Owned</h4><ul>${o.children.length ? o.children.map(related) : html`<li>none</li>`}</ul>
        <h4>Finalizers</h4><ul>${o.finalizers.length ? o.finalizers.map((x) => html`<li>${x.name}, for at least ${duration(f.now - x.since)}</li>`) : html`<li>none</li>`}</ul>
        ${o.fields.length ? html`<h4>Who wrote which field last</h4><ul>${o.fields.slice(0, 12).map((x) => html`<li><code>${x.path}</code> ${x.by} ${x.certainty === 'certain' ? nothing : certainty(x.certainty)} <button class="ref" @click=${() => select(x.seq)}>${clock(x.t, 0)}</button>${x.n > 1 ? ` ×${x.n}` : ''}</li>`)}</ul>` : nothing}
        ${o.conditions.length ? html`<h4>Conditions over time</h4><ul>${o.conditions.slice(0, 12).map((c) => html`<li>${clock(c.t, 0)} ${c.type}=${c.status} ${c.reason ?? ''}</li>`)}</ul>` : nothing}
        ${o.events.length ? html`<h4>Events</h4><ul>${o.events.slice(-12).reverse().map((e) => html`<li>${clock(e.t, 0)} ${e.type} ${e.reason}: ${e.message}${e.count > 1 ? ` ×${e.count}` : ''}</li>`)}</ul>` : nothing}
      </section>
    </div>
    <crd-rows .source=${'versions'} .label=${'Versions'} .columns=${columns} .pick=${(v) => { select(v.seq); change({ rv: v.rv, at: 0 }); }} .selected=${o.seq}
      .empty=${state.from || state.to ? 'No version in the selected time.' : 'No version is held.'} .params=${{ id: state.obj, managed: state.managed, from: state.from, to: state.to }} .version=${version()}
      .rowClass=${(v) => (v.folded ? 'noop' : '')}></crd-rows>`;
}

// SPDX-License-Identifier: Apache-2.0

// View 4: what the controller asks, and what it watches.

import { html, nothing } from '/lib/lit-html/lit-html.js';
import './rows.js';
import { chip } from './chip.js';
import { bytes, clock, count, duration } from './format.js';
import { select } from './inspector.js';
import { change, scope, state, version } from './state.js';

/** @param {boolean} own all are of the controller, whose build is what differs */
const requestColumns = (own) => [
  { title: 'time', width: '12ch', cell: (r) => clock(r.t) },
  { title: 'actor', width: own ? '8ch' : 'minmax(8ch, 22ch)', cell: (r) => html`<span title=${r.actor}>${own ? r.actor.replace(/^.*, (build \d+)$/, '$1') : r.actor}</span>` },
  { title: 'verb', width: '11ch', cell: (r) => r.method },
  { title: 'object', width: 'minmax(16ch, 2fr)', cell: (r) => html`<span title=${r.target}>${brief(r.target)}</span>` },
  { title: 'code', width: 'minmax(4ch, .5fr)', cell: (r) => `${r.code}${r.reason ? ' ' + r.reason : ''}` },
  { title: 'took', width: '6ch', kind: 'number', cell: (r) => duration(r.took) },
  { title: 'of it', width: 'minmax(10ch, 1fr)', cell: (r) => split(r.layers) },
  { title: 'version', width: 'minmax(11ch, 13ch)', cell: (r) => versions(r) },
  { title: 'bytes', width: '7ch', kind: 'number', cell: (r) => bytes(r.bytes) },
];

/** The target without the group of its resource: the name is what one looks for. */
const brief = (target) => target.replace(/^([^. ]+)\.\S+ /, '$1 ');

const split = (layers) => Object.entries(layers ?? {}).sort((a, b) => b[1] - a[1]).map(([name, ns]) => `${duration(ns)} ${name}`).join(', ');

function versions(r) {
  if (r.noop) return `${r.rvOut || r.rvIn || ''} no change`;
  if (!r.rvOut) return r.rvIn ? `${r.rvIn} →` : '';
  return r.rvIn ? `${r.rvIn} → ${r.rvOut}` : String(r.rvOut);
}

const watchColumns = [
  { title: 'opened', width: '13ch', cell: (w) => (w.opened ? clock(w.opened) : 'before') },
  { title: 'actor', width: 'minmax(8ch, 20ch)', cell: (w) => w.actor },
  { title: 'resource', width: 'minmax(16ch, 1fr)', cell: (w) => w.resource },
  { title: 'namespace', width: '14ch', cell: (w) => w.ns || 'all' },
  { title: 'selector', width: 'minmax(0, 1fr)', cell: (w) => w.selector || 'none' },
  { title: 'state', width: 'minmax(12ch, 1fr)', cell: (w) => (w.ended ? `ended ${clock(w.ended, 0)}${w.end ? ': ' + w.end : ''}` : w.synced ? 'open, synced' : 'open, not synced') },
  { title: 'events', width: '9ch', kind: 'number', cell: (w) => count(w.events) },
  { title: 'bytes', width: '7ch', kind: 'number', cell: (w) => bytes(w.bytes) },
];

export function requests(f) {
  const watches = state.side === 'watches';
  return html`<div class="chips" role="group" aria-label="Filter">
      <button class="chip" aria-pressed=${watches ? 'false' : 'true'} @click=${() => change({ side: 'requests' })}>requests</button>
      <button class="chip" aria-pressed=${watches ? 'true' : 'false'} @click=${() => change({ side: 'watches' })}>watches</button>
      <span class="sep"></span>
      ${chip('own', 'only the controller')}
      ${watches ? nothing : html`${chip('writes', 'only writes')}${chip('failed', 'only failed')}`}
      ${state.obj && !watches ? html`<button class="chip" aria-pressed="true" @click=${() => change({ obj: 0 })}>only the selected object ✕</button>` : nothing}
    </div>
    ${watches
      ? html`<crd-rows .source=${'watches'} .label=${'Watches'} .columns=${watchColumns} .pick=${(w) => select(w.seq)} .selected=${state.seq}
          .empty=${'No watch was recorded.'} .params=${{ own: state.own, q: state.search }} .version=${version()} .rowClass=${(w) => (w.ended ? 'old' : '')}></crd-rows>`
      : html`<crd-rows .source=${'requests'} .label=${'Requests'} .columns=${requestColumns(state.own)} .pick=${(r) => select(r.seq)} .selected=${state.seq}
          .empty=${state.own ? 'No request of the controller matches. Show all actors with the chip above.' : 'No request matches.'}
          .params=${{ ...scope(), own: state.own, writes: state.writes, failed: state.failed, obj: state.obj }} .version=${version()}
          .rowClass=${(r) => (r.code >= 400 ? 'bad' : r.noop ? 'noop' : '')}></crd-rows>`}`;
}

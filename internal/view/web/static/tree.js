// SPDX-License-Identifier: Apache-2.0

// Objects by owner. Those with findings come first, and are open; of many others only the roots are.

import { html, nothing } from '/lib/lit-html/lit-html.js';
import './rows.js';
import { clock } from './format.js';
import { change, state, version } from './state.js';

function toggle(id) {
  const closed = new Set(state.closed);
  if (!closed.delete(id)) closed.add(id);
  change({ closed });
}

const columns = [
  {
    title: 'object', width: 'minmax(16ch, max-content)', cell: (r) => r.more ? html`<span class="twist">▸</span>${r.more} more, all quiet` : html`<span class="indent d${Math.min(r.depth, 8)}"></span>${r.children
      ? html`<button class="twist" aria-expanded=${r.open ? 'true' : 'false'} aria-label=${`${r.children} owned by ${r.kind} ${r.full || r.name}`}
          @click=${(e) => { e.stopPropagation(); toggle(r.id); }}>${r.open ? '▾' : '▸'}</button>` : html`<span class="twist"></span>`}<span class="kind">${r.kind}</span> <span title=${`${r.kind} ${r.full || r.name}`}>${r.name}</span>`,
  },
  { title: '', width: 'minmax(5ch, 1fr)', kind: 'number', cell: (r) => (r.red ? html`<span class="bad" title=${r.red}>✗ owner</span>` : r.problem ? html`<span class="bad" title=${r.problem}>${r.problem}</span>` : r.state) },
];

export function tree(f) {
  return html`<aside class="tree" aria-label="Objects">
    <div class="chips"><h2>Objects</h2>
      <button class="chip" aria-pressed=${state.bad ? 'true' : 'false'} @click=${() => change({ bad: !state.bad })}>only with findings</button>
      ${state.quiet ? html`<button class="chip" aria-pressed="true" @click=${() => change({ quiet: false })}>quiet ones, too ✕</button>` : nothing}
      ${state.at ? html`<button class="chip" aria-pressed="true" @click=${() => change({ at: 0, rv: 0 })}>as of ${state.rv ? `version ${state.rv}` : clock(state.at, 0)} ✕</button>` : nothing}</div>
    <crd-rows .source=${'tree'} .label=${'Objects by owner'} .columns=${columns} .selected=${state.obj}
      .tree=${true} .pause=${1000}
      .pick=${(r) => change(r.more ? { quiet: true } : { obj: r.id, rv: 0, view: state.view === 'requests' ? 'requests' : 'object' })}
      .rowClass=${(r) => (r.red ? 'red' : '')}
      .empty=${state.bad ? 'No object has a finding.' : 'No object of a kind that the controller watches.'}
      .params=${{ q: state.search, bad: state.bad, at: state.at, quiet: state.quiet, toggled: [...state.closed].join(',') }}
      .version=${`${version()}/${f.findings.length}/${f.state}/${f.rates.reconciles}`}></crd-rows>
  </aside>`;
}

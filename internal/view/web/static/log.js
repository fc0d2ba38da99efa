// SPDX-License-Identifier: Apache-2.0

// The lines that the controller printed, the newest first.

import { html, nothing } from '/lib/lit-html/lit-html.js';
import './rows.js';
import { clock } from './format.js';
import { select } from './inspector.js';
import { change, scope, state, version } from './state.js';

const columns = [
  { title: 'time', width: '13ch', cell: (l) => clock(l.t) },
  { title: 'build', width: '6ch', kind: 'number', cell: (l) => l.build || '' },
  { title: 'level', width: '8ch', cell: (l) => l.level || l.stream },
  { title: 'key', width: 'minmax(10ch, 36ch)', cell: (l) => html`<span title=${l.key ?? ''}>${l.key ?? ''}</span>` },
  { title: 'message', width: 'minmax(20ch, 1fr)', cell: (l) => l.message + (l.attrs ? ' ' + l.attrs : '') },
];

/** Why there are no lines. */
function empty() {
  const levels = state.frame?.header?.levels;
  if (levels?.length && !levels.includes('log')) return 'What the controller prints is not recorded here: see where it runs.';
  return state.search || state.level || state.onlyLog || state.from || state.to ? 'The controller printed nothing that matches.' : 'The controller printed nothing.';
}

export function log() {
  return html`<section class="log ${state.openLog ? '' : 'shut'}" aria-label="Log">
    <div class="chips"><h2><button aria-expanded=${state.openLog ? 'true' : 'false'} @click=${() => change({ openLog: !state.openLog })}>Log</button></h2>
      ${state.openLog ? html`
        <button class="chip" aria-pressed=${state.onlyLog ? 'true' : 'false'} @click=${() => change({ onlyLog: !state.onlyLog })}>only selection</button>
        <label>level <select @change=${(e) => change({ level: e.target.value })}>${['', 'error', 'warning', 'info', 'debug'].map((l) => html`<option value=${l} ?selected=${l === state.level}>${l || 'all'}</option>`)}</select></label>` : nothing}
    </div>
    ${state.openLog ? html`<crd-rows .source=${'log'} .label=${'Log lines'} .columns=${columns} .pick=${(l) => select(l.seq)} .selected=${state.seq}
      .empty=${empty()} .rowClass=${(l) => (l.level === 'error' ? 'bad' : '')}
      .params=${{ ...scope(), level: state.level, key: state.onlyLog ? state.why?.key : '', reconcile: state.onlyLog ? state.why?.reconcile : '' }}
      .version=${version()}></crd-rows>` : nothing}
  </section>`;
}

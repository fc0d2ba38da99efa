// SPDX-License-Identifier: Apache-2.0

// Keys. Each does what a control of the page does, too.

import { html } from '/lib/lit-html/lit-html.js';
import { back, link, select } from './inspector.js';
import { step } from './object.js';
import { change, state } from './state.js';

const order = ['now', 'flow', 'object', 'requests', 'time', 'rights'];

/** The table that has the focus, or the one of the view. */
const table = () => document.activeElement?.closest?.('crd-rows') ?? document.querySelector('.view crd-rows') ?? document.querySelector('crd-rows');

const all = {
  j: ['next row', () => table()?.move(1)],
  k: ['row before', () => table()?.move(-1)],
  Enter: ['open the object of the selection', () => state.why?.obj && change({ view: 'object', obj: state.why.obj, rv: 0 })],
  Escape: ['back', () => (state.help ? change({ help: false }) : state.seq ? back() : change({ from: 0, to: 0, obj: 0 }))],
  ArrowLeft: ['to the cause', () => select(state.why?.cause)],
  ArrowRight: ['to the effect', () => select(state.why?.effect)],
  '[': ['version before', () => step(-1)],
  ']': ['version after', () => step(1)],
  d: ['what changed, or the whole object', () => change({ diff: state.diff === 'change' ? 'whole' : 'change' })],
  m: ['managedFields', () => change({ managed: !state.managed })],
  t: ['table with the content of the lanes', () => change({ table: !state.table })],
  '/': ['search', () => document.getElementById('search')?.focus()],
  f: ['to the filter', () => document.querySelector('.view .chip')?.focus()],
  ' ': ['freeze, and go on', () => freeze()],
  '.': ['now: all time, newest first', () => change({ from: 0, to: 0, at: 0, view: 'now', ...(state.frozen ? { frozen: false, frame: state.pending ?? state.frame } : {}) })],
  l: ['log', () => change({ openLog: !state.openLog })],
  c: ['copy a link to the selection', () => navigator.clipboard?.writeText(link())],
  '?': ['this list', () => change({ help: !state.help })],
};

function freeze() {
  if (state.frozen) change({ frozen: false, frame: state.pending ?? state.frame, pending: null });
  else if (state.frame?.state === 'live') change({ frozen: true });
}

/** @param {KeyboardEvent} e */
export function keys(e) {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(/** @type {Element} */ (e.target).tagName);
  if (typing && e.key === 'Escape') /** @type {HTMLElement} */ (e.target).blur();
  if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
  if ((e.key === ' ' || e.key === 'Enter') && /** @type {Element} */ (e.target).closest('button, a, summary')) return; // presses it
  if (/^[1-6]$/.test(e.key)) {
    /** @type {HTMLElement} */ (document.activeElement)?.blur(); // j and k are for the table of the view
    change({ view: order[Number(e.key) - 1] });
  } else if (all[e.key]) all[e.key][1]();
  else return;
  e.preventDefault();
}

export function help() {
  return html`<div class="help" role="dialog" aria-modal="true" aria-label="Keys"><h2>Keys</h2><dl>
    <dt><kbd>1</kbd>–<kbd>6</kbd></dt><dd>views</dd>
    ${Object.entries(all).map(([key, [what]]) => html`<dt><kbd>${{ ' ': 'space', Escape: 'Esc', ArrowLeft: '←', ArrowRight: '→' }[key] ?? key}</kbd></dt><dd>${what}</dd>`)}
    </dl><button @click=${() => change({ help: false })}>Close</button></div>`;
}

// SPDX-License-Identifier: Apache-2.0

// Keys. Each does what a control of the page does, too.

import { html } from '/lib/lit-html/lit-html.js';
import { back, link, select } from './inspector.js';
import { step } from './object.js';
import { save } from './save.js';
import { change, drawNow, state } from './state.js';

const order = ['now', 'flow', 'object', 'requests', 'time', 'rights'];

/** The table that has the focus, or the one of the view. */
const table = () => document.activeElement?.closest?.('crd-rows') ?? document.querySelector('.view crd-rows') ?? document.querySelector('crd-rows');

const all = {
  j: ['next row', () => table()?.move(1)],
  k: ['row before', () => table()?.move(-1)],
  Enter: ['open the object of the selection', () => state.why?.obj && change({ view: 'object', obj: state.why.obj, rv: 0 })],
  Escape: ['back', () => (state.seq ? back() : change({ from: 0, to: 0, obj: 0 }))],
  ArrowLeft: ['to the cause', () => select(state.why?.cause)],
  ArrowRight: ['to the effect', () => select(state.why?.effect)],
  '[': ['version before', () => step(-1)],
  ']': ['version after', () => step(1)],
  d: ['what changed, or the whole object', () => change({ diff: state.diff === 'change' ? 'whole' : 'change' })],
  m: ['managedFields', () => change({ managed: !state.managed })],
  t: ['table with the content of the lanes', () => change({ table: !state.table })],
  '/': ['search: Enter goes on to the rows, Esc ends the search', () => document.getElementById('search')?.focus()],
  f: ['to the filter', () => document.querySelector('.view .chip')?.focus()],
  ' ': ['freeze, and go on', () => freeze()],
  '.': ['now: all time, newest first', () => change({ from: 0, to: 0, at: 0, view: 'now', ...(state.frozen ? { frozen: false, frame: state.pending ?? state.frame } : {}) })],
  l: ['log', () => change({ openLog: !state.openLog })],
  s: ['save the selected time, or the last five minutes', () => save()],
  c: ['copy a link to the selection', () => navigator.clipboard?.writeText(link())],
  '?': ['this list', () => change({ help: !state.help })],
};

function freeze() {
  if (state.frozen) change({ frozen: false, frame: state.pending ?? state.frame, pending: null });
  else if (state.frame?.state === 'live') change({ frozen: true });
}

const moves = { ArrowDown: () => 1, ArrowUp: () => -1, PageDown: (t) => t.page, PageUp: (t) => -t.page, Home: () => -1e9, End: () => 1e9 };

/** @param {KeyboardEvent} e */
export function keys(e) {
  const target = /** @type {HTMLInputElement} */ (e.target);
  const slides = target.type === 'range' && /^(Arrow|Page|Home|End)/.test(e.key);
  const typing = slides || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && target.type !== 'range';
  if (document.querySelector('dialog[open]') && e.key !== '?') return; // the dialog has the keys
  if (typing && (e.key === 'Escape' || e.key === 'Enter' && target.id === 'search')) {
    target.blur();
    if (target.id === 'search' && e.key === 'Escape') change({ search: '' }); // browsers empty the field without an input event
  }
  if (typing || e.ctrlKey || e.metaKey || e.altKey) return;
  if ((e.key === ' ' || e.key === 'Enter') && /** @type {Element} */ (e.target).closest('button, a, summary')) return; // presses it
  drawNow();
  const focused = document.activeElement?.closest('crd-rows');
  if (focused && moves[e.key]) focused.move(moves[e.key](focused));
  else if (/^[1-6]$/.test(e.key)) {
    /** @type {HTMLElement} */ (document.activeElement)?.blur(); // j and k are for the table of the view
    change({ view: order[Number(e.key) - 1] });
  } else if (all[e.key]) all[e.key][1]();
  else return;
  e.preventDefault();
}

/** Opens or closes the dialog, as the state has it. The browser moves the focus into it, and back. */
export function syncHelp() {
  const dialog = /** @type {HTMLDialogElement | null} */ (document.querySelector('dialog.help'));
  if (dialog && state.help && !dialog.open) dialog.showModal();
  else if (dialog && !state.help && dialog.open) dialog.close();
}

export function help() {
  return html`<dialog class="help" aria-labelledby="help-title" @close=${() => change({ help: false })}><h2 id="help-title">Keys</h2><dl>
    <dt><kbd>1</kbd>–<kbd>6</kbd></dt><dd>views</dd>
    ${Object.entries(all).map(([key, [what]]) => html`<dt><kbd>${{ ' ': 'space', Escape: 'Esc', ArrowLeft: '←', ArrowRight: '→' }[key] ?? key}</kbd></dt><dd>${what}</dd>`)}
    <dt><kbd>↑</kbd> <kbd>↓</kbd></dt><dd>rows of the table that has the focus; also Page Up, Page Down, Home and End</dd>
    </dl><form method="dialog"><button>Close</button></form></dialog>`;
}

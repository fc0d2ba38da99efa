// SPDX-License-Identifier: Apache-2.0

// Answers of endpoints that views draw as a whole. A view asks each time that it is drawn; the server is asked when the
// question or the recording changed, once at a time.

import { html } from '/lib/lit-html/lit-html.js';
import { ask, Refused } from './api.js';
import { change, state } from './state.js';

const held = new Map();

/** Answers that are long, and made of much, are asked for once in so many milliseconds while the question is the same. */
const pause = 1000;

/**
 * @param {string} name of the endpoint
 * @param {Record<string, unknown>} params
 * @param {string} version of the recording
 * @returns {any} the newest answer, which can be null; undefined before it
 */
export function data(name, params, version) {
  const question = JSON.stringify(params);
  let h = held.get(name);
  if (!h) held.set(name, (h = { busy: false, question: '', version: '', answer: undefined, asked: 0, timer: 0 }));
  if (!h.busy && (h.question !== question || h.version !== version)) {
    const other = h.question !== question, early = h.asked + pause - Date.now();
    if (!other && early > 0) {
      h.timer ||= setTimeout(() => { h.timer = 0; change(); }, early);
      return h.answer;
    }
    h.asked = Date.now();
    h.busy = true;
    h.question = question;
    h.version = version;
    if (other) h.answer = h.answer ?? undefined;
    ask(name, params).then(
      (answer) => { h.busy = false; h.answer = answer; change(); },
      (err) => { h.busy = false; if (!(err instanceof Refused)) setTimeout(() => { h.version = ''; change(); }, 1000); },
    );
  }
  return h.answer;
}

/** What a view has instead of an answer. */
export const loading = () => html`<p class="hint">${state.lost || state.refused ? 'Not loaded: crdctl does not answer.' : 'Loading.'}</p>`;

/** That an answer is older than what is asked for. */
export const stale = () => (state.lost || state.refused ? html`<p class="hint">not answered; what is here is as it was</p>` : '');

// SPDX-License-Identifier: Apache-2.0

// A button that switches what is shown.

import { html } from '/lib/lit-html/lit-html.js';
import { change, state } from './state.js';

/** @param {string} name of the choice in the state */
export const chip = (name, title) => html`<button class="chip" aria-pressed=${state[name] ? 'true' : 'false'} @click=${() => change({ [name]: !state[name] })}>${title}</button>`;

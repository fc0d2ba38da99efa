// SPDX-License-Identifier: Apache-2.0

// Objects by owner. Quiet ones are there, but what is bad comes first.

import { html } from '/lib/lit-html/lit-html.js';

export function tree(f) {
  return html`<aside class="tree" aria-label="Objects"><h2>Objects</h2></aside>`;
}

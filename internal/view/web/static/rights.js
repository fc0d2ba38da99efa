// SPDX-License-Identifier: Apache-2.0

// View 6: what is denied, what was granted for nothing, and what webhooks and hooks cost.

import { html, nothing } from '/lib/lit-html/lit-html.js';
import { chip } from './chip.js';
import { data, loading, stale } from './data.js';
import { clock, count, duration, plural } from './format.js';
import { select } from './inspector.js';
import { scope, state, version } from './state.js';

/** What a table leaves out. @param {number | undefined} n */
const more = (n) => (n ? html`<p class="hint">Not shown: ${plural(n, 'more row')}. A search or a shorter time shows them.</p>` : nothing);

export function rights(f) {
  const d = data('rights', { ...scope(), own: state.own }, version());
  if (!d) return loading();
  const denied = d.asked.filter((a) => a.denied), asked = d.asked.filter((a) => !a.denied);
  const proxied = f.header?.plane === 'proxy'; // which sees neither roles nor admission
  return html`<div class="chips" role="group" aria-label="Filter">${chip('own', 'only the controller')}</div>
  ${stale()}<div class="rights-parts">
    <section><h2>Denied</h2>${denied.length ? html`<table><thead><tr><th>actor</th><th>verb</th><th>resource</th><th>namespace</th><th>times</th><th>last</th></tr></thead><tbody>
      ${denied.map((a) => html`<tr class="bad"><td>${a.actor}</td><td>${a.verb}</td><td>${a.resource}</td><td>${a.ns || 'all'}</td><td>${count(a.denied)}</td><td><button class="ref" @click=${() => select(a.seq)}>${clock(a.last, 0)}</button></td></tr>
        <tr><td colspan="6">${a.because}${a.marker ? html`<br>→ to allow it: <code>${a.marker}</code>` : nothing}</td></tr>`)}</tbody></table>`
      : state.search || state.from || state.to ? html`<p class="hint">No denied request matches.</p>` : html`<p class="quiet">✓ No request ${state.own ? 'of the controller ' : ''}was denied.</p>`}</section>
    <section><h2>Granted</h2>${d.recorded
      ? html`<table><thead><tr><th>rule</th><th>role</th><th>used</th></tr></thead><tbody>${d.granted.map((g) => html`<tr class=${g.used ? '' : 'warn'}><td>${g.rule}</td><td>${g.role}</td>
          <td>${g.used ? html`<button class="ref" @click=${() => select(g.seq)}>${count(g.used)}</button>` : 'not in this recording'}</td></tr>`)}</tbody></table>${more(d.grantedMore)}`
      : html`<p class="hint">${proxied ? 'Not recorded: the cluster is seen through a proxy.' : 'The controller runs with all rights, or what its roles grant was not recorded: "crdctl run --as-service-account" records it.'}</p>`}</section>
    <section><h2>Webhooks, conversions, policies and hooks</h2>${d.calls.length ? html`<table><thead><tr><th>type</th><th>name</th><th>operation</th><th>calls</th><th>p50</th><th>p99</th><th>patches</th><th>refused</th><th>errors</th><th>failed open</th><th>last</th></tr></thead><tbody>
      ${d.calls.map((c) => html`<tr class=${c.errors || c.failedOpen ? 'bad' : ''}><td>${c.type}</td><td>${c.name}${c.unlinked ? html` <span class="hint">for requests of unknown actors</span>` : nothing}</td><td>${c.op}</td><td>${count(c.n)}</td><td>${duration(c.p50)}</td><td>${duration(c.p99)}</td>
        <td>${c.patches || ''}</td><td>${c.denied || ''}</td><td>${c.errors || ''}</td><td>${c.failedOpen || ''}</td><td><button class="ref" @click=${() => select(c.seq)}>${clock(c.last, 0)}</button></td></tr>`)}</tbody></table>${more(d.callsMore)}`
      : proxied ? nothing : html`<p class="hint">No webhook, conversion, policy or hook was called${state.own ? ' for a request of the controller. Show all actors with the chip above' : ''}.</p>`}
      ${proxied ? html`<p class="hint">Webhooks, conversions and policies are not recorded: the cluster is seen through a proxy.</p>` : nothing}
      ${d.unlinked ? html`<p class="hint">Not shown: ${plural(d.unlinked, 'call')} that did not fail, for requests of unknown actors.</p>` : nothing}</section>
    <section><h2>Asked for</h2>${asked.length ? html`<table><thead><tr><th>actor</th><th>verb</th><th>resource</th><th>namespace</th><th>times</th><th>last</th><th>allowed by</th></tr></thead><tbody>
      ${asked.map((a) => html`<tr><td>${a.actor}</td><td>${a.verb}</td><td>${a.resource}</td><td>${a.ns || 'all'}</td><td>${count(a.n)}</td><td><button class="ref" @click=${() => select(a.seq)}>${clock(a.last, 0)}</button></td><td>${a.because ?? ''}</td></tr>`)}</tbody></table>`
      : html`<p class="hint">${state.own ? 'The controller asked for nothing.' : 'Nothing was asked for.'}</p>`}${more(d.askedMore)}</section>
  </div>`;
}

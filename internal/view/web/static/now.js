// SPDX-License-Identifier: Apache-2.0

// View 1: what is wrong, and what made it. Sentences first; where all is quiet, the last reconcile.

import { html, nothing } from '/lib/lit-html/lit-html.js';
import { certainty, clock, duration, plural } from './format.js';
import { select } from './inspector.js';
import { change, state } from './state.js';

/** The message; most begin with the type. */
function sentence(f) {
  const type = f.type.replaceAll('-', ' ');
  return html`<b>${type}</b>: ${f.message.startsWith(type + ': ') ? f.message.slice(type.length + 2) : f.message}`;
}

/** A finding of the first seconds of a part can be older: what was before is not in it. */
const older = (t) => (state.frame.header?.begin && t - state.frame.header.begin < 5e9 ? ' or earlier' : '');

function finding(f, now) {
  const open = !f.until;
  return html`<li class="finding ${open ? 'open' : 'resolved'} ${f.certainty}">
    <p class="sentence"><span class="mark" aria-hidden="true">${open ? '●' : '✓'}</span>
      ${sentence(f)} ${certainty(f.certainty)}</p>
    <p class="detail">since ${clock(f.since, 0)}${older(f.since)} (${duration((f.until || now) - f.since)})${f.build ? `, build ${f.build}` : ''}${open ? '' : `; resolved ${clock(f.until, 0)}${f.resolvedBy ? ` by build ${f.resolvedBy}` : ''}`}</p>
    ${f.fix && open ? html`<p class="fix">${f.fix}</p>` : nothing}
    ${f.evidence?.length ? html`<p class="detail">evidence: ${f.evidence.slice(0, 8).map((seq) => html`<button class="ref" @click=${() => select(seq)}>#${seq}</button> `)}${
      f.evidence.length > 8 ? `and ${f.evidence.length - 8} more` : ''}</p>` : nothing}
  </li>`;
}

/** The requests of a reconcile by time. */
function waterfall(r) {
  const whole = Math.max(r.took, 1) + r.waited;
  const bar = (kind, from, took, text) => html`<div class="bar" role="listitem">
    <span class="name">${text}</span>
    <svg aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 1000 10"><rect class=${kind} x=${(1000 * from) / whole} width=${Math.max(2, (1000 * took) / whole)} height="10"></rect></svg>
    <span class="took">${duration(took)}</span></div>`;
  return html`<div class="waterfall" role="list" aria-label="Last reconcile">
    ${r.waited ? bar('waited', 0, r.waited, 'waited in the queue') : nothing}
    ${bar('worked', r.waited, r.took, `reconcile ${r.key}`)}
    ${r.requests.map((q) => bar(q.code >= 400 ? 'bad' : 'request', r.waited + Math.max(0, q.t - r.began), q.took, `${q.method} ${q.target} ${q.code}${q.noop ? ' (changed nothing)' : ''}`))}
  </div>`;
}

function last(f) {
  const r = f.last;
  if (!r) return nothing;
  const wrote = r.written ? `${plural(r.written, 'object')} written` : 'nothing written' + (r.reasons?.length ? ': ' + r.reasons.join('; ') : '');
  const whole = r.took >= 0; // else its begin was not recorded, and requests are known only if they name it
  const kinds = (f.kinds ?? []).map((k) => plural(k.count, k.kind)).join(', ');
  return html`<section class="last"><h2>Last reconcile</h2>
    <p>${kinds ? kinds + '. ' : ''}Last reconcile at ${clock(whole ? r.began + r.took : r.began)}: <button class="ref" @click=${() => select(r.seq)}>${r.key}</button>
      ${whole ? `took ${duration(r.took)}, ` : ''}${r.result || 'no result'}${r.err ? ': ' + r.err : ''}; ${whole || r.requests.length ? wrote : 'when it began, and what it wrote, is not recorded'}. ${r.requests.length ? certainty(r.certainty) : nothing}</p>
    ${whole ? waterfall(r) : nothing}</section>`;
}

/** What a step that failed means, by its name. The words of run follow. */
const failed = {
  generate: 'The code was not generated',
  crds: 'The CRD was refused or would break stored objects: the API server serves the one before, if there is one',
  build: 'It does not compile',
  apply: 'A manifest was refused',
  restart: 'The controller was not started',
};

function saveCard(f) {
  const s = f.saves?.at(-1);
  if (!s) return nothing;
  return html`<section class="save ${s.ok ? '' : 'broken'}"><h2>${s.files?.length ? 'Newest save' : 'Start'}</h2>
    ${s.ok
      ? html`<p>${s.restarted ? `Build ${s.build} runs since` : 'Applied at'} ${clock(s.t, 0)}, after ${duration(s.took)}${s.files?.length ? ': ' + s.files.join(', ') : ''}${s.restarted || !s.build ? '' : `; build ${s.build} goes on`}.</p>`
      : html`<p class="bad">${failed[s.failed] ?? 'The save failed'}.</p><p>${s.files?.length ? 'Saved' : 'At'} ${clock(s.t, 0)}; ${f.build ? `build ${f.build} runs on` : 'no build runs yet'}.</p><pre>${s.why}</pre>`}
    ${f.compare ? html`<table class="compare"><caption>Before and after ${s.restarted ? 'it' : 'the newest save that started a build'}, at most a minute each; that it is the cause is not proven</caption><thead><tr><th></th><th>before</th><th>after</th></tr></thead><tbody>
      ${f.compare.map((c) => html`<tr><th>${c.name}</th><td>${c.before}</td><td>${c.after}</td></tr>`)}</tbody></table>` : nothing}</section>`;
}

/** What the recording can neither show nor rule out, one line for each reason. */
function undetermined(f) {
  const types = new Map();
  for (const u of f.undetermined ?? []) types.set(u.reason, [...(types.get(u.reason) ?? []), u.type]);
  return [...types].map(([reason, of]) => html`<p class="hint undetermined">not determined: ${of.join(', ')}: ${reason}</p>`);
}

const samples = html`<p class="hint">Make something for the controller to do: <code>crdctl kubectl apply -f FILE</code>. Many projects have examples in <code>config/samples</code>.</p>`;

/** That no finding is open. */
const none = (f) => (f.resolved ? `No open finding; ${f.resolved} ${f.resolved === 1 ? 'was' : 'were'} resolved` : 'No finding');

/** What is there without a finding. */
function quiet(f, nothingYet) {
  if (f.state === 'opening') return html`<p class="hint">Reading the recording.</p>`;
  if (!nothingYet && f.state === 'live' && !f.own) {
    return html`<p class="quiet">No controller has sent a request yet.</p><p class="hint">"crdctl run" builds and starts it, and prints how far it is.</p>`;
  }
  if (!nothingYet) return html`<p class="quiet ${f.resolved ? 'past' : ''}">${f.resolved ? '' : '✓ '}${none(f)}.</p>${f.state === 'live' && !f.last ? samples : nothing}${undetermined(f)}`;
  if (f.state === 'file') return html`<p class="quiet">Nothing was recorded.</p>`;
  return html`<p class="quiet">Nothing was recorded yet.</p>
    ${f.state === 'live' ? samples : nothing}`;
}

/** The live region: screen readers hear of findings, in all views. */
export function spoken(f) {
  const open = f.findings.filter((x) => !x.until);
  return html`<p class="hidden" role="status" aria-live="polite">${open.length ? `${plural(open.length, 'finding')}: ${open.map((x) => x.type.replaceAll('-', ' ') + ', ' + x.subject).join('; ')}`
    : f.state === 'opening' ? 'reading the recording' : none(f)}</p>`;
}

/** That reconciles which send nothing are not recorded, and what to do about it. */
export const invisible = (f) => (f.visible ? nothing : html`<p class="hint">Reconciles that send nothing are invisible: the controller does not report its reconciles.
  ${f.runtime ? html`Add <code>--zap-log-level=5 --zap-encoder=json</code> to its arguments, or <code>-v=5</code> if it logs with klog.` : 'Those of controller-runtime and of crdctl init can.'}
  ${f.counted ? `Its metrics count ${plural(f.counted, 'reconcile')}.` : ''}</p>`);

export function now(f) {
  const open = f.findings.filter((x) => !x.until);
  const resolved = f.findings.filter((x) => x.until);
  const nothingYet = !f.last && !f.rates.requests;
  const unfolded = state.resolved ?? f.state === 'file'; // a file has nothing newer
  return html`
    <h2 class="hidden">Findings</h2>
    <ul class="findings">${open.map((x) => finding(x, f.now))}</ul>
    ${open.length ? html`${f.undetermined?.length ? html`<details class="undetermined"><summary>not determined: ${f.undetermined.map((u) => u.type).join(', ')}</summary>${undetermined(f)}</details>` : nothing}` : quiet(f, nothingYet)}
    ${nothingYet ? nothing : invisible(f)}
    ${saveCard(f)}${last(f)}
    ${f.gaps?.map((g) => html`<p class="gap">recording gap from ${clock(g.From)} to ${clock(g.To)}: ${Object.entries(g.Dropped ?? {}).map(([k, n]) => `${n} ${k}`).join(', ')} dropped: ${g.Why}</p>`)}
    ${resolved.length ? html`<section><h2><button aria-expanded=${unfolded ? 'true' : 'false'} @click=${() => change({ resolved: !unfolded })}>${plural(f.resolved, 'finding')} resolved</button></h2>
      ${unfolded ? html`<ul class="findings">${resolved.map((x) => finding(x, f.now))}</ul>` : nothing}</section>` : nothing}`;
}

// SPDX-License-Identifier: Apache-2.0

// The page: head, brush, objects, the six views, the inspector and the log.

import { html, render, nothing } from '/lib/lit-html/lit-html.js';
import { follow, takeToken } from './api.js';
import { clock, count, duration, plural, rate, setStart } from './format.js';
import { brush } from './brush.js';
import { keys, help, syncHelp } from './keys.js';
import { inspector, readLink } from './inspector.js';
import { log } from './log.js';
import { spoken } from './now.js';
import { save } from './save.js';
import { tree } from './tree.js';
import { views } from './views.js';
import { change, onChange, state, take } from './state.js';

takeToken();
readLink();

const root = /** @type {HTMLElement} */ (document.getElementById('app'));

function status(f) {
  if (state.refused) return html`<strong class="state bad">disconnected: as of ${clock(f.now, 0)}</strong>`;
  if (state.lost) return html`<strong class="state bad">disconnected: as of ${clock(f.now, 0)}, trying again</strong>`;
  switch (f.state) {
    case 'live': return state.frozen
      ? html`<strong class="state frozen">frozen at ${clock(f.now, 0)}; space goes on</strong>`
      : html`<span class="state live">live${state.skipped > 0 ? html`, <span title="The browser is slow. Nothing is lost on the server.">1 frame of ${state.skipped + 1}</span>` : nothing}</span>`;
    case 'file': return html`<span class="state file">recording</span>`;
    case 'lost': return html`<strong class="state bad">disconnected: as of ${clock(f.now, 0)}, trying again</strong>`;
    default: return html`<span class="state">opening</span>`;
  }
}

function head(f) {
  const r = f.rates, save = f.saves?.at(-1);
  const failed = f.visible ? '' : 'failed '; // others are not recorded
  const what = f.visible && r.total ? 'reconcile' : 'request';
  const live = f.state === 'live' && !state.lost && !state.refused;
  return html`<header>
    <h1>crdctl</h1>
    <span class="project">${f.own || f.header?.project || ''}${f.build ? html` · build ${f.build}` : nothing}${save
      ? html` <span class=${save.ok ? '' : 'bad'}>(${save.files?.length ? 'saved' : 'started'} ${clock(save.t, 0)}, ${save.ok ? 'ok ' + duration(save.took) : 'failed'})</span>` : nothing}</span>
    ${status(f)}
    ${f.header?.plane === 'proxy' ? html`<span class="badge">seen through a proxy: only this controller is exact</span>` : nothing}
    <span class="figures">
      ${live ? html`<span>${rate(r.records)} records</span><span>${rate(r.reconciles)} ${failed}reconciles</span>` : html`<span>${plural(r.total, `${failed}reconcile`)}</span>`}
      <span title=${`time that ${what}s took${f.state === 'file' ? '' : ', in the last 5 seconds'}`}>${what} p50 ${duration(r.p50)} p99 ${duration(r.p99)}</span>
      ${live ? html`<span>queue ${r.depth}</span>` : nothing}
      <span title="requests that conflicted, in all" class=${r.conflicts ? 'bad' : ''}>409: ${count(r.conflicts)}</span>
      <span title="requests that were denied, in all" class=${r.denied ? 'bad' : ''}>403: ${count(r.denied)}</span>
    </span>
    <label class="search">Search <input id="search" type="search" placeholder="/ words, -not" autocomplete="off" spellcheck="false"
      .value=${state.search} @input=${(e) => change({ search: e.target.value })}></label>
    <button title="Save the selected time, or the last five minutes" @click=${() => save()}>Save</button>
    <button title="Keys" aria-label="Help: keys" @click=${() => change({ help: !state.help })}>?</button>
  </header>`;
}

/** What the user must know before reading on. */
function notices(f) {
  const all = [];
  if (state.refused) all.push(html`<span class="bad">crdctl was started again: open the URL that it printed; what is shown is from the run before</span>`);
  if (f.state === 'file') {
    const h = f.header;
    all.push(html`recording of ${h?.start ? new Date(h.start).toLocaleString() : 'an unknown time'}, crdctl ${h?.crdctl ?? 'of an unknown version'},
      ${h?.cutFrom ? `cut from ${h.cutFrom}: ` : ''}${f.file}; ${h?.redacted?.length ? html`<details><summary>redacted</summary>${h.redacted.join(', ')}</details>` : 'not redacted'}`);
  }
  if (f.header?.begin) all.push(html`a part that begins at ${clock(f.header.begin, 0)}: older records are only those that show the state at that time`);
  if (f.header?.incomplete) all.push(html`<span class="bad">the recording is incomplete: its run goes on, or was killed</span>`);
  if (f.trouble) all.push(html`<span class="bad">${f.state === 'lost' ? 'the control plane does not answer' : 'the recording was not read to its end'}: ${f.trouble}</span>`);
  if (state.lost) all.push(html`<span class="bad">crdctl does not answer (${state.lost}); what was loaded stays readable</span>`);
  if (f.unknown) all.push(html`${plural(f.unknown, 'record')} of a newer version of crdctl ${f.unknown === 1 ? 'was' : 'were'} not read`);
  if (f.dropped) all.push(html`the page holds the newest ${plural(f.records, 'record')}, from ${clock(f.first, 0)} on; "crdctl view FILE --from --to" opens an earlier part`);
  if (f.before) {
    all.push(html`a new session began; the one before, with ${plural(f.before.records, 'record')}, can be saved: <button @click=${() => save(true)}>Save the session before</button>`);
  }
  if (state.note) all.push(html`${state.note} <button aria-label="Close this note" @click=${() => change({ note: '' })}>✕</button>`);
  return html`<div class="notices">${all.map((n) => html`<p class="notice" role="note">${n}</p>`)}</div>`;
}

const titles = [['now', 'Now'], ['flow', 'Flow'], ['object', 'Object'], ['requests', 'Requests'], ['time', 'Time'], ['rights', 'Rights & hooks']];

function tabs() {
  const turn = (e) => { // as tab lists do; elsewhere on the page the arrows go to causes and effects
    const n = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (!n) return;
    e.preventDefault();
    e.stopPropagation();
    const next = titles[(titles.findIndex(([id]) => id === state.view) + n + titles.length) % titles.length][0];
    change({ view: next });
    document.getElementById(`tab-${next}`)?.focus();
  };
  return html`<nav><div role="tablist" aria-label="Views" @keydown=${turn}>${titles.map(([id, title], i) => html`<button role="tab" id="tab-${id}" aria-controls="view"
    tabindex=${state.view === id ? '0' : '-1'} aria-selected=${state.view === id ? 'true' : 'false'} @click=${() => change({ view: id })}><kbd aria-hidden="true">${i + 1}</kbd> ${title}</button>`)}</div></nav>`;
}

function page() {
  const f = state.frame;
  if (state.refused && !f) {
    return html`<main class="alone"><h1>crdctl</h1><p>This page needs the URL that crdctl printed: it ends with <code>#token=…</code>, and each run has another.</p></main>`;
  }
  if (!f) {
    return html`<main class="alone"><h1>crdctl</h1><p>${state.lost ? `crdctl does not answer (${state.lost}), trying again.` : 'Connecting.'}</p></main>`;
  }
  setStart(f.header);
  document.title = `${f.findings.filter((x) => !x.until).length ? '● ' : ''}${f.own || f.file || 'crdctl'} - crdctl`;
  return html`${head(f)}${notices(f)}${brush(f)}${spoken(f)}
    <div class="columns">
      ${tree(f)}
      <main>${tabs()}<section id="view" role="tabpanel" aria-labelledby="tab-${state.view}" class="view ${state.view}">${views[state.view](f)}</section></main>
      ${inspector(f)}
    </div>
    ${log(f)}
    ${help()}`;
}

root.textContent = ''; // what index.html has for browsers without JavaScript
onChange(() => {
  render(page(), root);
  syncHelp();
});
addEventListener('keydown', keys);
addEventListener('hashchange', () => location.reload()); // the URL of another run, or a link, was pasted into this tab
change();
follow({
  frame: take,
  lost: (why) => change({ lost: why }),
  refused: () => change({ refused: true, lost: '' }),
});

// SPDX-License-Identifier: Apache-2.0

// A table of any length: it asks the server for the rows that are seen, and has only these in the document. The newest
// row is the first. While one scrolls, rows that come later are kept out, so that nothing moves under the pointer.

import { html, render, nothing } from '/lib/lit-html/lit-html.js';
import { ask, Refused } from './api.js';

const rowHeight = 24;
const mostRows = 20_000;
const around = 20; // rows that are asked for above and below

/**
 * @typedef {{title: string, width: string, cell: (row: any) => unknown, kind?: string}} Column
 */

let tables = 0;

export class Rows extends HTMLElement {
  /** @type {string} endpoint */ source = '';
  /** @type {string} for screen readers */ label = '';
  /** @type {Column[]} */ columns = [];
  /** @type {(row: any) => string} */ rowClass = () => '';
  /** @type {(row: any) => void} */ pick = () => {};
  /** @type {unknown} what is there without rows */ empty = 'Nothing.';
  /** @type {boolean} rows have a depth, and can be open */ tree = false;
  /** @type {number} milliseconds between two questions that only another version leads to */ pause = 0;

  #params = '';
  #query = {};
  #version = '';
  #total = 0;
  #first = 0;
  #rows = [];
  #cursor = -1;
  #due = false; // the row of the cursor is picked once it has come: keys are faster than answers
  #pressed = null; // the row that the pointer went down on: rows can move until it goes up, and a click without a pointer has none
  #cap = 0;
  #seq = 0;
  #busy = false;
  #again = false;
  #asked = false;
  #trouble = '';
  #last = 0;
  #timer = 0;
  #name = `rows-${++tables}`;
  #selected = 0;

  /** The Seq that is selected, or the ID where rows have no Seq. */
  set selected(seq) {
    if (seq === this.#selected) return;
    this.#selected = seq;
    if (this.#asked) this.update();
  }

  get selected() {
    return this.#selected;
  }

  /** What is asked for. Other parameters begin at the top again. */
  set params(p) {
    const text = JSON.stringify(p);
    if (text === this.#params) return;
    this.#params = text;
    this.#query = p;
    this.#cursor = -1;
    this.#due = false;
    this.#asked = false; // the rows that are shown until the answer are those of other parameters
    this.#cap = 0;
    if (this.isConnected && this.scrollTop) this.scrollTop = 0;
    this.#load();
  }

  /** Another version means that there may be other rows. */
  set version(v) {
    if (v === this.#version) return;
    this.#version = v;
    if (this.#cap) return;
    const early = this.#last + this.pause - Date.now();
    if (early <= 0) this.#load();
    else this.#timer ||= setTimeout(() => { this.#timer = 0; this.#load(); }, early);
  }

  connectedCallback() {
    this.tabIndex = 0;
    this.setAttribute('role', this.tree ? 'treegrid' : 'grid');
    this.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    this.#resized = new ResizeObserver(() => this.#scrolled());
    this.#resized.observe(this);
    this.#load();
  }

  disconnectedCallback() {
    this.#resized?.disconnect();
    clearTimeout(this.#timer);
    this.#timer = 0;
  }

  /** @type {ResizeObserver | undefined} */ #resized;

  #scrolled() {
    this.#cap = this.scrollTop > rowHeight ? this.#cap || this.#seq : 0;
    const first = Math.floor(this.scrollTop / rowHeight);
    const last = Math.min(first + Math.ceil(this.clientHeight / rowHeight), this.#total);
    if (first < this.#first || last > this.#first + this.#rows.length) this.#load();
  }

  async #load() {
    if (!this.source || !this.isConnected) return;
    if (this.#busy) {
      this.#again = true;
      return;
    }
    this.#busy = true;
    this.#last = Date.now();
    const offset = Math.max(0, Math.floor(this.scrollTop / rowHeight) - around);
    const limit = Math.min(500, Math.ceil((this.clientHeight || 400) / rowHeight) + 2 * around);
    const params = this.#params;
    try {
      const answer = await ask(this.source, { ...this.#query, offset, limit, cap: this.#cap });
      if (params === this.#params) {
        this.#total = answer.total;
        this.#first = answer.first;
        this.#rows = answer.rows;
        this.#seq = answer.seq;
        this.#asked = true;
        this.#trouble = '';
        if (this.#due) this.#pickCursor();
        this.update();
        if (this.#due) this.#reveal(); // its row is not among those that were asked for
      } else {
        this.#again = true;
      }
    } catch (err) {
      if (!(err instanceof Refused)) this.#trouble = 'not answered; what is here is as it was';
      this.#due = false; // it would be picked when the server answers again, whatever the user does by then
      this.update();
    }
    this.#busy = false;
    if (this.#again) {
      this.#again = false;
      this.#load();
    }
  }

  #isSelected(r) {
    const id = r.seq || r.id;
    return Boolean(id) && id === this.selected;
  }

  /** How many rows are seen at once. */
  get page() {
    return Math.max(1, Math.floor(this.clientHeight / rowHeight) - 2);
  }

  /** Moves the selection by n rows. */
  move(n) {
    const here = this.#rows[this.#cursor - this.#first]; // several rows can have one Seq
    const at = this.#due || (here && this.#isSelected(here)) ? -1 : this.#rows.findIndex((r) => this.#isSelected(r));
    const from = at >= 0 ? this.#first + at : this.#cursor;
    this.#cursor = Math.max(0, Math.min(from + n, (this.#asked ? Math.min(this.#total, mostRows) : mostRows) - 1));
    this.#reveal();
    this.#pickCursor();
    this.update();
  }

  /** Scrolls to the row of the cursor. */
  #reveal() {
    const top = this.#cursor * rowHeight;
    const head = this.querySelector('.head')?.clientHeight ?? 0;
    if (top < this.scrollTop) this.scrollTop = top;
    else if (top + rowHeight + head > this.scrollTop + this.clientHeight) this.scrollTop = top + rowHeight + head - this.clientHeight;
  }

  #pickCursor() {
    if (this.#asked) this.#cursor = Math.min(this.#cursor, this.#total - 1);
    const row = this.#asked ? this.#rows[this.#cursor - this.#first] : undefined;
    this.#due = !row && !(this.#asked && !this.#total);
    if (!row) return;
    this.#selected = row.seq || row.id; // the page draws it later; keys can be faster
    this.pick(row);
  }

  update() {
    this.setAttribute('aria-label', this.label);
    this.setAttribute('aria-rowcount', String(this.#total + 1));
    this.style.setProperty('--columns', this.columns.map((c) => c.width).join(' '));
    // The widths that columns have at least, so that all rows are as wide.
    this.style.setProperty('--least', `calc(${this.columns.reduce((n, c) => n + Number(/\d+/.exec(c.width)?.[0] ?? 0), 0)}ch + ${10 * this.columns.length + 6}px)`);
    const shown = Math.min(this.#total, mostRows);
    const active = this.#rows.findIndex((r) => this.#isSelected(r));
    if (active >= 0) this.setAttribute('aria-activedescendant', `${this.#name}-${this.#first + active}`);
    else this.removeAttribute('aria-activedescendant');
    render(
      html`<div class="head" role="row">${this.columns.map((c) => html`<span role="columnheader" class=${c.kind ?? ''}>${c.title}</span>`)}</div>
        ${this.#trouble ? html`<p class="note">${this.#trouble}</p>` : nothing}
        ${this.#asked && !this.#total ? html`<div class="none">${this.empty}</div>` : nothing}
        <div class="space"><div class="body" role="rowgroup">
          ${this.#rows.slice(0, Math.max(0, shown - this.#first)).map( // elements are used again for other rows: to make them takes longer
            (r, i) => html`<div role="row" id="${this.#name}-${this.#first + i}" class="row ${this.rowClass(r)} ${this.#isSelected(r) ? 'selected' : ''}"
              aria-rowindex=${this.#first + i + 2} aria-selected=${this.#isSelected(r) ? 'true' : 'false'}
              aria-level=${this.tree ? (r.depth ?? 0) + 1 : nothing} aria-expanded=${this.tree && r.children ? String(Boolean(r.open)) : nothing}
              @pointerdown=${() => { this.#pressed = r; }}
              @click=${(e) => { this.#cursor = this.#first + i; this.#due = false; this.pick(e.detail ? this.#pressed ?? r : r); }}>
              ${this.columns.map((c) => {
                const cell = c.cell(r);
                return html`<span role="gridcell" class=${c.kind ?? ''} title=${typeof cell === 'string' ? cell : nothing}>${cell}</span>`;
              })}</div>`,
          )}
        </div></div>
        ${this.#total > mostRows ? html`<p class="note">The newest ${mostRows.toLocaleString('en')} of ${this.#total.toLocaleString('en')}: narrow the filter or the time to see others.</p>` : nothing}`,
      this,
    );
    const space = /** @type {HTMLElement} */ (this.querySelector('.space'));
    space.style.height = `${shown * rowHeight}px`;
    /** @type {HTMLElement} */ (space.firstElementChild).style.transform = `translateY(${this.#first * rowHeight}px)`;
  }
}

customElements.define('crd-rows', Rows);

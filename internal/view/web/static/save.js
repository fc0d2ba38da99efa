// SPDX-License-Identifier: Apache-2.0

// Saves what was recorded to a file of the browser: the time that is selected, or the last five minutes; or the session
// that was shown before the control plane was started again.

import { download } from './api.js';
import { rfc3339 } from './format.js';
import { change, state } from './state.js';

const minutes = 5;

/** @param {boolean} before of the session before */
export async function save(before = false) {
  const f = state.frame;
  if (!f) return;
  if (f.state === 'file' && !before) {
    const range = ['from', 'to'].map((end) => (state[end] ? ` --${end} ${rfc3339(state[end])}` : '')).join('');
    const part = f.file === 'part.crdctl.gz' ? 'part-2.crdctl.gz' : 'part.crdctl.gz'; // crdctl writes over no file
    change({ note: `save a part of this recording with: crdctl view ${f.file}${range} --save ${part}` });
    return;
  }
  const from = before ? 0 : state.from || (state.to ? 0 : Math.max(0, f.now - minutes * 60e9));
  change({ note: 'saving' });
  try {
    const { file, left } = await download('save', { from, to: before ? 0 : state.to, before });
    change({ note: `the browser has saved ${file}; open it with: crdctl view ${file}${left ? `. Not everything is in it: ${left}` : ''}` });
  } catch (err) {
    change({ note: `not saved: ${err?.message ?? err}` });
  }
}

// SPDX-License-Identifier: Apache-2.0

// Colors of the style sheet, as a canvas takes them.

const probe = document.createElement('span');
probe.hidden = true;

/** Whether the page is dark. What has drawn with colors draws anew when that changes. */
export const dark = matchMedia('(prefers-color-scheme: dark)');

/** @param {string} name of a custom property, as --text */
export function color(name) {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

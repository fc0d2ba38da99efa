// SPDX-License-Identifier: Apache-2.0

import { now } from './now.js';
import { requests } from './requests.js';

/** @type {Record<string, (frame: any) => unknown>} */
export const views = { now, requests };

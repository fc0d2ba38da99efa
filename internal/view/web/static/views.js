// SPDX-License-Identifier: Apache-2.0

import { flow } from './flow.js';
import { now } from './now.js';
import { object } from './object.js';
import { requests } from './requests.js';
import { rights } from './rights.js';
import { time } from './time.js';

/** @type {Record<string, (frame: any) => unknown>} */
export const views = { now, flow, object, requests, time, rights };

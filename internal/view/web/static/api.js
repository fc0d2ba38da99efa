// SPDX-License-Identifier: Apache-2.0

// Talks to the server that the page came from: questions for rows, and the stream of frames. The token comes from the
// fragment of the URL, once, and stays in the memory of this tab.

const tokenKey = 'crdctl-token';

/** Takes the token out of the address bar, where it would be copied with the URL. */
export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get('token')?.match(/^[0-9a-f]*/)[0]; // without what follows the URL in a sentence
  if (!token) return;
  sessionStorage.setItem(tokenKey, token);
  given.delete('token');
  history.replaceState(null, '', location.pathname + (given.size ? '#' + given : ''));
}

const authorization = () => ({ Authorization: 'Bearer ' + (sessionStorage.getItem(tokenKey) ?? '') });

export class Refused extends Error {}

/**
 * Asks for data.
 * @param {string} name of the endpoint
 * @param {Record<string, unknown>} params that are empty are omitted
 * @returns {Promise<any>}
 */
export async function ask(name, params = {}) {
  return (await get(name, params)).json();
}

async function get(name, params) {
  const query = new URLSearchParams();
  for (const [k, v] of Object.entries(params)) if (v !== undefined && v !== '' && v !== 0 && v !== false) query.set(k, String(v));
  const answer = await fetch(`/data/${name}?${query}`, { headers: authorization() });
  if (answer.status === 401) throw new Refused();
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer;
}

/**
 * Has the browser save an answer as a file, and returns its name and what was left out.
 * @param {string} name of the endpoint
 * @param {Record<string, unknown>} params
 */
export async function download(name, params) {
  const answer = await get(name, params);
  const file = /filename="([\w.-]+)"/.exec(answer.headers.get('Content-Disposition') ?? '')?.[1] ?? 'recording.crdctl.gz';
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return { file, left: answer.headers.get('Crdctl-Left-Out') };
}

/**
 * Reads frames until the page goes. A connection that is lost is tried again, from the frame that was seen last. While
 * the tab is hidden nothing is read: browsers open six connections to a server, for all tabs.
 * @param {{frame: (f: any) => void, lost: (why: string) => void, refused: () => void}} on
 */
export async function follow(on) {
  let after = 0, pause = 250;
  for (;;) {
    await shown();
    const stop = new AbortController();
    const hide = () => document.hidden && stop.abort();
    document.addEventListener('visibilitychange', hide);
    try {
      const answer = await fetch(`/data/stream?after=${after}`, { headers: authorization(), signal: stop.signal });
      if (answer.status === 401) return on.refused();
      if (!answer.ok || !answer.body) throw new Error(String(answer.status));
      for await (const line of lines(answer.body, stop)) {
        pause = 250;
        if (!line) continue; // the server lives
        const frame = JSON.parse(line);
        after = frame.change;
        on.frame(frame);
      }
      throw new Error('the server closed the connection');
    } catch (err) {
      if (!stop.signal.aborted || stop.signal.reason === silent) {
        on.lost(String(err?.message ?? err));
        after = 0; // the state is to be shown again, changed or not
        await new Promise((done) => setTimeout(done, pause));
        pause = Math.min(2 * pause, 4000);
      }
    } finally {
      document.removeEventListener('visibilitychange', hide);
    }
  }
}

const silent = 'the server is silent';

/** Yields lines. A server that is silent for ten seconds is gone: it writes one a second. */
async function* lines(body, stop) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const timer = setTimeout(() => stop.abort(silent), 10_000);
    const { value, done } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    const parts = (rest + value).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}

function shown() {
  if (!document.hidden) return Promise.resolve();
  return new Promise((done) => {
    document.addEventListener('visibilitychange', function show() {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', show);
      done(undefined);
    });
  });
}

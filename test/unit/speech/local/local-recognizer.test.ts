import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { Clock } from '../../../../src/base/time.ts';
import { systemClock } from '../../../../src/base/time.ts';
import type { LocalPlaces } from '../../../../src/speech/local/local-places.ts';
import { LocalRecognizer } from '../../../../src/speech/local/local-recognizer.ts';
import type { SpeechFault } from '../../../../src/speech/speech-fault.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { roomForAll } from '../../../support/speech/room-for-all.ts';
import { processesNaming, sphinxScript } from '../../../support/speech/sphinx-script.ts';
import { waitFor, within } from '../../../support/wait-for.ts';

const CHUNK_BYTES = 3_200;

interface Listening {
  readonly clock?: Clock;
  readonly places?: LocalPlaces;
  readonly options?: Record<string, string>;
}

/** A recognizer, and what it reports. */
function listen({ clock = systemClock, places = roomForAll, options = {} }: Listening = {}) {
  const finals: string[] = [];
  const faults: SpeechFault[] = [];
  const unexpected = () => expect.unreachable();
  const deps = { clock, places };
  const recognizer = new LocalRecognizer({ url: '', key: '', options }, deps, {
    interim: unexpected,
    final: ({ text }) => void finals.push(text),
    turn: unexpected,
    failed: (fault) => void faults.push(fault),
    disconnected: unexpected,
    reconnected: unexpected,
  });
  return { recognizer, finals, faults };
}

function chunk(value: number): Uint8Array {
  return new Uint8Array(CHUNK_BYTES).fill(value);
}

it('reports what was said in order, the last words when it is closed', async () => {
  const folder = sphinxScript(`
    heard() { head -c ${CHUNK_BYTES} >> "$TMPDIR/heard"; }
    TMPDIR=$(dirname "$0")
    heard; echo 'one two'; echo; heard; echo three; cat >> "$TMPDIR/heard"; echo last`);
  const { recognizer, finals, faults } = listen();
  expect([recognizer.format, recognizer.chunkMs]).toEqual([{ encoding: 's16le', sampleRateHz: 16_000 }, 100]);
  recognizer.hear(chunk(1));
  await vi.waitFor(() => expect(finals).toEqual(['one two']), { timeout: 10_000 });
  recognizer.flush();
  recognizer.hear(chunk(2));
  recognizer.hear(chunk(3));
  await vi.waitFor(() => expect(finals).toEqual(['one two', 'three']), { timeout: 10_000 });
  await recognizer.close();
  expect(finals).toEqual(['one two', 'three', 'last']);
  expect(faults).toEqual([]);
  expect(readFileSync(join(folder, 'heard'))).toEqual(Buffer.concat([chunk(1), chunk(2), chunk(3)]));
  expect(processesNaming(folder)).toBe(0);
});

it('takes the grammar of its preset', async () => {
  sphinxScript('while [ "$1" != -jsgf ]; do shift; done; cat "$2" | tr "\\n" " "; echo; cat > /dev/null');
  const { recognizer, finals } = listen({ options: { grammar: '( yes | no )' } });
  await turn();
  await recognizer.close();
  expect(finals).toEqual(['#JSGF V1.0; grammar said; public <said> = ( yes | no );']);
});

it('fails when the program ends by itself, and can be closed all the same', async () => {
  sphinxScript('echo "ERROR: out of words" >&2; exit 1');
  const { recognizer, faults } = listen();
  // Who writes to it finds out.
  await waitFor('a fault', () => {
    recognizer.hear(chunk(1));
    return faults.length > 0;
  });
  expect(faults).toEqual([{ kind: 'refused', words: 'The speech recognizer ended: ERROR: out of words' }]);
  recognizer.hear(chunk(1));
  await recognizer.close();
  expect(faults.length).toBe(1);
});

it('is closed within 2 s although the program goes on, and leaves no process', async () => {
  const folder = sphinxScript('sleep 600');
  const clock = new ManualClock();
  const { recognizer, faults } = listen({ clock });
  await turn();
  recognizer.hear(chunk(1));
  const closed = recognizer.close();
  clock.advance(2_000);
  await within('the end', closed);
  expect(faults).toEqual([]);
  await vi.waitFor(() => expect(processesNaming(folder)).toBe(0));
});

it('fails where pocketsphinx is not installed, with what to install', async () => {
  sphinxScript('');
  vi.stubEnv('PATH', '/nonexistent');
  const { recognizer, faults } = listen();
  expect(faults).toEqual([]);
  await vi.waitFor(() => expect(faults.length).toBe(1));
  expect(faults[0]).toEqual({
    kind: 'refused',
    words: expect.stringContaining('apt-get install pocketsphinx pocketsphinx-en-us'),
  });
  recognizer.hear(chunk(1));
  await recognizer.close();
});

it('hears what was said while it waited for its place, and gives the place back when it is closed', async () => {
  sphinxScript(`head -c ${2 * CHUNK_BYTES} | od -An -tu1 -w${CHUNK_BYTES} | cut -c 1-4`);
  const { promise: place, resolve: give } = Promise.withResolvers<() => void>();
  const { recognizer, finals } = listen({ places: { take: () => place } });
  recognizer.hear(chunk(1));
  const leave = vi.fn();
  give(leave);
  await turn();
  recognizer.hear(chunk(2));
  await vi.waitFor(() => expect(finals).toEqual(['1', '2']), { timeout: 10_000 });
  await recognizer.close();
  expect(leave).toHaveBeenCalledTimes(1);
});

it('fails when no place becomes free in time', async () => {
  const { recognizer, faults } = listen({ places: { take: async () => null } });
  recognizer.hear(chunk(1));
  await turn();
  expect(faults).toEqual([
    { kind: 'session_cap', words: 'Too many voices are being recognized on this machine' },
  ]);
  recognizer.hear(chunk(1));
  await recognizer.close();
});

it('gives back a place that comes after it was closed, and starts no program', async () => {
  const folder = sphinxScript('cat > /dev/null');
  const { promise: place, resolve: give } = Promise.withResolvers<() => void>();
  const { recognizer, faults } = listen({ places: { take: () => place } });
  await recognizer.close();
  const leave = vi.fn();
  give(leave);
  await turn();
  expect([leave.mock.calls.length, processesNaming(folder), faults]).toEqual([1, 0, []]);
});

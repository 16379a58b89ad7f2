import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { systemClock } from '../../../../src/base/time.ts';
import { LocalStt, localRecognizer } from '../../../../src/speech/local/local-recognizer.ts';
import type { SpeechFault } from '../../../../src/speech/speech-fault.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { processesNaming, sphinxScript } from '../../../support/speech/sphinx-script.ts';
import { waitFor, within } from '../../../support/wait-for.ts';

const CHUNK_BYTES = 3_200;

/** A recognizer, and what it reports. */
function listen(stt = new LocalStt(systemClock), options: Record<string, string> = {}) {
  const finals: string[] = [];
  const faults: SpeechFault[] = [];
  const unexpected = () => expect.unreachable();
  const recognizer = localRecognizer({ url: '', key: '', options }, stt, {
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
  const { recognizer, finals } = listen(undefined, { grammar: '( yes | no )' });
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
  const { recognizer, faults } = listen(new LocalStt(clock));
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

it('fails when eight others listen, until one of them is closed', async () => {
  sphinxScript('cat > /dev/null');
  const stt = new LocalStt(systemClock);
  const others = Array.from({ length: 8 }, () => listen(stt));
  const { faults } = listen(stt);
  await vi.waitFor(() => expect(faults.length).toBe(1));
  expect(faults[0]).toMatchObject({ kind: 'session_cap' });
  await others[0]!.recognizer.close();
  const next = listen(stt);
  await Promise.all([...others, next].map(({ recognizer }) => recognizer.close()));
  expect([...others, next].flatMap((each) => each.faults)).toEqual([]);
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { LocalSpeechError } from '../../../../src/speech/local/local-speech-error.ts';
import { LocalTts, type SpokenSamples } from '../../../../src/speech/local/local-synthesizer.ts';
import { roomForAll } from '../../../support/speech/room-for-all.ts';

const TEXT =
  'Good morning, this is the first sentence of three. The second one follows it. Here is the third one.';

afterEach(() => vi.restoreAllMocks());

function utterance(text: string, signal = new AbortController().signal) {
  return { text, voice: 'kal16' as const, signal };
}

async function pieces(tts: LocalTts, text: string): Promise<SpokenSamples[]> {
  const spoken: SpokenSamples[] = [];
  for await (const piece of tts.speak(utterance(text))) spoken.push(piece);
  return spoken;
}

describe('local synthesis', () => {
  it('speaks a text piece by piece, off the calling thread', async () => {
    const tts = new LocalTts(roomForAll);
    let turns = 0;
    const turning = setInterval(() => turns++, 1);
    const spoken = await pieces(tts, TEXT);
    clearInterval(turning);
    expect(spoken.length).toBe(3);
    for (const samples of spoken) expect(samples.length).toBeGreaterThan(16_000);
    expect(turns).toBeGreaterThan(10);
  });

  it('gives audio that can be transferred to another thread', async () => {
    const samples = (await pieces(new LocalTts(roomForAll), 'Hello.'))[0]!;
    const { length } = samples;
    const { port1, port2 } = new MessageChannel();
    port1.postMessage(samples, [samples.buffer]);
    expect(samples.length).toBe(0);
    const received = await new Promise<Int16Array>((resolve) => {
      port2.once('message', resolve);
    });
    expect(received.length).toBe(length);
    port1.close();
  });

  it('computes the next piece while the last one plays, and no more', async () => {
    const jobs = vi.spyOn(AbortSignal, 'timeout');
    const speaking = new LocalTts(roomForAll).speak(utterance(TEXT.repeat(3)));
    await speaking.next();
    // A further piece would be computed before this one.
    await pieces(new LocalTts(roomForAll), 'Hello.');
    expect(jobs).toHaveBeenCalledTimes(3);
    await speaking.return();
  });

  it('ends at the next piece when it is cancelled', async () => {
    const tts = new LocalTts(roomForAll);
    const cancel = new AbortController();
    let spoken = 0;
    for await (const _ of tts.speak(utterance(TEXT.repeat(10), cancel.signal))) {
      spoken++;
      if (spoken === 2) cancel.abort();
    }
    expect(spoken).toBe(2);
    // The thread was not stopped for it.
    expect((await pieces(tts, 'And again.')).length).toBe(1);
  });

  it('says nothing for a text without words', async () => {
    expect(await pieces(new LocalTts(roomForAll), ' \n ')).toEqual([]);
    const [samples] = await pieces(new LocalTts(roomForAll), '…');
    expect(samples!.length).toBe(0);
  });

  it('fails when it gets no place, and gives back each that it got', async () => {
    await expect(pieces(new LocalTts({ take: async () => null }), 'Hello.')).rejects.toMatchObject({
      problem: 'busy',
    });
    let [taken, most] = [0, 0];
    const take = async () => {
      most = Math.max(most, ++taken);
      return () => void taken--;
    };
    expect((await pieces(new LocalTts({ take }), TEXT)).length).toBe(3);
    expect([taken, most]).toEqual([0, 1]);
  });

  it('fails when a piece is not finished in time, and works again', async () => {
    const tts = new LocalTts(roomForAll);
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    const late = pieces(tts, TEXT);
    await expect(late).rejects.toBeInstanceOf(LocalSpeechError);
    await expect(late).rejects.toMatchObject({ problem: 'timed_out' });
    vi.restoreAllMocks();
    expect((await pieces(tts, TEXT)).length).toBe(3);
  });

  it('stops a thread that computes for too long, and works again', async () => {
    const tts = new LocalTts(roomForAll);
    await pieces(tts, 'Loaded.');
    const timeout = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeout.signal);
    // Sixty digits, which take hundreds of milliseconds.
    const late = tts.speak({ ...utterance('7'.repeat(60)), voice: 'slt' }).next();
    setTimeout(() => timeout.abort(), 50);
    await expect(late).rejects.toMatchObject({ problem: 'timed_out' });
    vi.restoreAllMocks();
    expect((await pieces(tts, 'Hello.')).length).toBe(1);
  });
});

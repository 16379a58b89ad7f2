import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SpeechService } from '../../../src/speech/transport/speech-protocol.ts';
import { startVendor, type VendorName } from '../../fakes/speech-vendor/all-vendors.ts';
import type { FakeVendor, VendorFault } from '../../fakes/speech-vendor/fake-vendor.ts';
import type { Refusal } from '../../fakes/speech-vendor/vendor-manners.ts';
import { until } from '../engine/support/test-engine.ts';
import { FIRST, SECOND } from './caller-voice.ts';
import type { VendorCall } from './vendor-call.ts';
import { VendorCalls } from './vendor-calls.ts';
import { type Ending, STT_ENDINGS, slowDown, TTS_CAPS } from './vendor-endings.ts';

const LISTENERS: readonly (readonly [VendorName, object])[] = [
  ['elevenlabs', { vad_silence_threshold_secs: 0.6 }],
  ['deepgram', {}],
  ['deepgram', { model: 'flux-general-en' }],
  ['cartesia', {}],
  ['cartesia', { model: 'ink-whisper' }],
  ['assemblyai', {}],
  ['openai', {}],
];
const SPEAKERS: readonly VendorName[] = ['elevenlabs', 'deepgram', 'cartesia', 'openai'];
const BOTH = `${FIRST} ${SECOND}`;
/** Audio is kept for 5 s, and a vendor that does not answer is given up after 5 s. */
const BEFORE_WORDS_MS = 3_000;
/** The first of them comes after 0.5 to 1 s. */
const RECONNECT_MS = { least: 450, most: 8_000 };
/** Of the vendor's bytes on hold: less than a fifth of a second of audio, for messages that keep the session. */
const KEEP_ALIVE_BYTES = 3_000;
const QUIET_MS = 500;

let calls: VendorCalls;

beforeAll(async () => {
  calls = await VendorCalls.start();
});

afterAll(() => calls.stop());

interface FaultCase {
  readonly name: VendorName;
  readonly service: SpeechService;
  readonly options?: object;
  /** From the beginning. */
  readonly fault?: (vendor: FakeVendor) => VendorFault;
}

/** Lets something happen on a call with a vendor of its own, and checks what it leaves behind. */
async function onCall(
  { name, service, options = {}, fault }: FaultCase,
  happens: (call: VendorCall, vendor: FakeVendor) => Promise<void>,
): Promise<VendorCall> {
  const vendor = await startVendor(name);
  try {
    vendor.fault = fault?.(vendor) ?? null;
    const call = await calls.connect({ vendor, service, options });
    await happens(call, vendor);
    expect(call.isActive).toBe(true);
    call.hangUp();
    await until(() => vendor.openStreams === 0, 2_000);
    expect(vendor.offences).toEqual([]);
    const told = JSON.stringify([call.events, call.told]);
    for (const key of vendor.keys.keys()) expect(told).not.toContain(key);
    return call;
  } finally {
    await vendor.stop();
  }
}

const refusing = (refusal: Refusal) => (vendor: FakeVendor) =>
  ({ kind: 'answer', reply: vendor.manners.refuse(refusal) }) as const;

/** What a vendor says of a refusal. Those of a proxy do not count. */
function wordsOf(vendor: FakeVendor, refusal: Refusal): string {
  const { body, status } = vendor.manners.refuse(refusal);
  if (typeof body === 'string') return `answered ${status}`;
  const [text] = JSON.stringify(body).matchAll(/"(?:message|err_msg|error)":"([^"]+)"/g);
  return text![1]!;
}

describe.concurrent.each(LISTENERS)('speech recognition by %s %o', (name, options) => {
  const stt = { name, options, service: 'stt' } as const;

  it.each(['down', 'too_many'] as const)('keeps what is said while the vendor is %s', async (refusal) => {
    const call = await onCall({ ...stt, fault: refusing(refusal) }, async (call, vendor) => {
      call.callerSays(FIRST);
      await until(() => call.errors.length > 0);
      vendor.fault = null;
      await call.agentIsHeard();
      await until(() => call.words.length >= FIRST.length);
      await call.reconnected();
      expect(call.errors).toEqual([expect.stringContaining(wordsOf(vendor, refusal))]);
    });
    expect(call.words).toBe(FIRST);
  });

  it('keeps what is said while the vendor does not answer', async () => {
    const call = await onCall({ ...stt, fault: () => ({ kind: 'hang' }) }, async (call, vendor) => {
      await until(() => vendor.openStreams === 1);
      call.callerPauses(BEFORE_WORDS_MS);
      await until(() => call.unsaidMs === 0);
      call.callerSays(FIRST);
      await call.agentIsHeard();
      await until(() => call.errors.length > 0);
      vendor.fault = null;
      await until(() => call.words.length >= FIRST.length);
      await call.reconnected();
      expect(call.errors).toEqual([expect.stringContaining('answer')]);
    });
    expect(call.words).toBe(FIRST);
  });

  it('goes on when the connection is cut within a word', async () => {
    const call = await onCall(stt, async (call, vendor) => {
      const cutMs = await cutWithinWord(call, vendor);
      await call.agentIsHeard();
      const waitMs = (await call.reconnected()) - cutMs;
      expect(waitMs).toBeGreaterThan(RECONNECT_MS.least);
      expect(waitMs).toBeLessThan(RECONNECT_MS.most);
      call.callerSays(SECOND);
      await until(() => call.words.length >= BOTH.length);
      expect(call.errors).toEqual([expect.stringContaining('Speech recognition failed: ')]);
    });
    expect(call.words).toBe(BOTH);
  });

  it.each(['bad_key', 'out_of_funds'] as const)(
    'ends for good when a new connection finds %s',
    async (refusal) => {
      const call = await onCall(stt, async (call, vendor) => {
        call.callerSays(FIRST);
        await until(() => call.words.length >= FIRST.length);
        vendor.fault = refusing(refusal)(vendor);
        vendor.cutAll();
        call.callerSays(SECOND);
        await until(() => call.errors.some((message) => message.includes(wordsOf(vendor, refusal))));
        vendor.fault = null;
        const { length } = call.errors;
        await call.agentIsHeard();
        call.callerSays(SECOND);
        await until(() => call.unsaidMs === 0);
        expect([call.errors.length, vendor.openStreams]).toEqual([length, 0]);
      });
      expect(call.words).toBe(FIRST);
    },
  );

  const { cap, ...lasting } = STT_ENDINGS[name]!;

  it.runIf(cap)('goes on in a new session when the vendor ends the old one', async () => {
    const call = await onCall(stt, async (call, vendor) => {
      call.callerSays(FIRST);
      await until(() => call.words.length >= FIRST.length);
      const words = cap!(vendor);
      call.callerSays(SECOND);
      await call.reconnected();
      await until(() => call.words.length >= BOTH.length);
      expect(call.errors).toEqual([expect.stringContaining(words)]);
    });
    expect(call.words).toBe(BOTH);
  });

  it.each(Object.entries(lasting) as [string, Ending][])(
    'ends for good with one error when the vendor tells of %s within the session',
    async (_what, end) => {
      const call = await onCall(stt, async (call, vendor) => {
        call.callerSays(FIRST);
        await until(() => call.words.length >= FIRST.length);
        const words = end(vendor);
        await until(() => call.errors.length > 0);
        await call.agentIsHeard();
        call.callerSays(SECOND);
        await until(() => call.unsaidMs === 0 && vendor.openStreams === 0);
        expect(call.errors).toEqual([expect.stringContaining(words)]);
      });
      expect(call.words).toBe(FIRST);
    },
  );

  it('sends the vendor nothing while the call is on hold', async () => {
    const call = await onCall(stt, async (call, vendor) => {
      call.callerSays(FIRST);
      await until(() => call.words.length >= FIRST.length);
      await call.hold(true);
      await isQuiet(vendor);
      const before = vendor.receivedBytes;
      call.callerSays('zulu yankee xray');
      await until(() => call.unsaidMs === 0);
      await isQuiet(vendor);
      expect(vendor.receivedBytes - before).toBeLessThan(KEEP_ALIVE_BYTES);
      await call.hold(false);
      call.callerSays(SECOND);
      await until(() => call.words.length >= BOTH.length);
      expect(call.errors).toEqual([]);
    });
    expect(call.words).toBe(BOTH);
  });
});

/** The caller says the first words, and in the second of them the vendor is cut. Returns when it was. */
async function cutWithinWord(call: VendorCall, vendor: FakeVendor): Promise<number> {
  if (vendor.manners.name === 'openai') {
    // There is a connection only after the words: its answer is cut.
    vendor.fault = { kind: 'cut' };
    call.callerSays(FIRST);
    // A busy test notices the cut later than the gateway: it was after this time at the earliest.
    let uncutMs = performance.now();
    await until(() => {
      if (call.errors.length > 0) return true;
      uncutMs = performance.now();
      return false;
    });
    vendor.fault = null;
    return uncutMs;
  }
  await until(() => vendor.openStreams === 1);
  call.callerSays(FIRST);
  await until(() => call.unsaidMs < 500);
  const cutMs = performance.now();
  vendor.cutAll();
  return cutMs;
}

/** Nothing more has come for half a second. */
async function isQuiet(vendor: FakeVendor): Promise<void> {
  let bytes = vendor.receivedBytes;
  let sinceMs = performance.now();
  await until(() => {
    if (vendor.receivedBytes !== bytes) [bytes, sinceMs] = [vendor.receivedBytes, performance.now()];
    return performance.now() - sinceMs > QUIET_MS;
  });
}

describe.concurrent.each(SPEAKERS)('text-to-speech by %s', (name) => {
  const tts = { name, service: 'tts' } as const;

  it.each(['down', 'too_many'] as const)('speaks when the vendor is no longer %s', async (refusal) => {
    await onCall({ ...tts, fault: refusing(refusal) }, async (call, vendor) => {
      const utteranceId = call.say(FIRST);
      await until(() => call.errors.length > 0);
      vendor.fault = null;
      await call.agentIsHeard();
      await until(() => call.statesOf(utteranceId).length === 2);
      expect(call.statesOf(utteranceId)).toEqual(['started', 'finished']);
      expect(call.errors).toEqual([expect.stringContaining(wordsOf(vendor, refusal))]);
    });
  });

  it('speaks when the vendor answers after all', async () => {
    await onCall({ ...tts, fault: () => ({ kind: 'hang' }) }, async (call, vendor) => {
      const utteranceId = call.say(FIRST);
      await call.agentIsHeard();
      await until(() => call.errors.length > 0);
      vendor.fault = null;
      await until(() => call.statesOf(utteranceId).length === 2);
      expect(call.statesOf(utteranceId)).toEqual(['started', 'finished']);
      expect(call.errors).toEqual([expect.stringContaining('answer')]);
    });
  });

  it('fails what is cut within a word, and speaks what follows', async () => {
    await onCall(tts, async (call, vendor) => {
      slowDown(vendor);
      const cut = call.say(BOTH);
      const next = call.say(SECOND);
      await until(() => call.statesOf(cut).includes('started'));
      vendor.cutAll();
      await call.agentIsHeard();
      await until(() => call.statesOf(next).length === 2);
      expect([call.statesOf(cut), call.statesOf(next)]).toEqual([
        ['started', 'failed'],
        ['started', 'finished'],
      ]);
      expect(call.errors).toEqual([expect.stringContaining('Text-to-speech failed: ')]);
    });
  });

  it.each(['bad_key', 'out_of_funds'] as const)('fails when it finds %s in mid-call', async (refusal) => {
    await onCall(tts, async (call, vendor) => {
      const first = call.say(FIRST);
      await until(() => call.statesOf(first).includes('finished'));
      vendor.fault = refusing(refusal)(vendor);
      vendor.cutAll();
      const second = call.say(SECOND);
      await until(() => call.statesOf(second).includes('failed'));
      expect(call.errors.at(-1)).toContain(wordsOf(vendor, refusal));
      await call.agentIsHeard();
      // It is mended at the vendor.
      vendor.fault = null;
      const third = call.say(FIRST);
      await until(() => call.statesOf(third).includes('finished'));
    });
  });

  it.runIf(TTS_CAPS[name])(
    'opens a new session without a fault when the vendor ends an idle one',
    async () => {
      await onCall(tts, async (call, vendor) => {
        const first = call.say(FIRST);
        await until(() => call.statesOf(first).includes('finished'));
        TTS_CAPS[name]!(vendor);
        await until(() => vendor.openStreams === 0);
        await until(() => vendor.openStreams > 0);
        const second = call.say(SECOND);
        await until(() => call.statesOf(second).includes('finished'));
        expect(call.errors).toEqual([]);
      });
    },
  );
});

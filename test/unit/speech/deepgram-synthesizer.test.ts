import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Synthesizer } from '../../../src/speech/tts/synthesizer.ts';
import { deepgramTts } from '../../../src/speech/vendors/deepgram/deepgram-tts.ts';
import { BAD_KEY, NO_MODEL, OUT_OF_FUNDS, TOO_MANY } from '../../fakes/deepgram/deepgram-errors.ts';
import { DeepgramTtsSocket } from '../../fakes/deepgram/tts-socket.ts';
import { waitFor } from '../../support/wait-for.ts';
import { RecordedSynthesis } from './recorded-synthesis.ts';
import { KEY, synthesizerClient, VendorWorld } from './vendor-world.ts';

let world: VendorWorld<DeepgramTtsSocket, Synthesizer, RecordedSynthesis>;

beforeEach(async () => {
  world = await VendorWorld.start({
    vendor: (clock) => new DeepgramTtsSocket(KEY, clock),
    client: synthesizerClient(deepgramTts),
    recorded: new RecordedSynthesis(),
  });
});

afterEach(() => world.stop());

function connect(options: object = {}, rateHz = 16_000, key = KEY): void {
  world.connect({ options: { ...options }, rateHz, key });
}

function say(utteranceId: string, text: string, isLast = true): void {
  world.client.speak({ utteranceId, text, isLast });
}

function spoken(utteranceId: string): string {
  return world.recorded.heard(utteranceId, world.client.format);
}

async function event(text: string): Promise<void> {
  await waitFor(text, () => world.recorded.events.includes(text));
}

/** Lets time pass until the vendor was asked for so many connections. */
async function upgrades(count: number): Promise<void> {
  await waitFor(`${count} connections`, () => {
    world.clock.advance(100);
    return world.vendor.upgrades.length === count;
  });
}

/** Lets the vendor send `count` frames of audio. */
async function frames(count: number): Promise<void> {
  for (let frame = 0; frame < count; frame++) {
    world.clock.advance(world.vendor.paceMs);
    await world.vendor.settled();
  }
}

describe('DeepgramSynthesizer', () => {
  it('speaks pieces in order, as whole samples, and reports the end after all audio', async () => {
    connect();
    say('1', 'Alpha bravo charlie.', false);
    await waitFor('the first piece', () => spoken('1') === 'alpha bravo charlie');
    expect(world.recorded.events).toEqual([]);
    say('1', 'Delta echo.');
    await event('ended 1');
    expect(spoken('1')).toBe('alpha bravo charlie delta echo');
    expect(world.client.format).toEqual({ encoding: 's16le', sampleRateHz: 16_000 });
    expect(world.recorded.audioBytes('1') % 2).toBe(0);
    expect(world.vendor.offences).toEqual([]);
  });

  it.each([
    [8_000, { encoding: 'mulaw', sampleRateHz: 8_000 }],
    [24_000, { encoding: 's16le', sampleRateHz: 24_000 }],
    [48_000, { encoding: 's16le', sampleRateHz: 24_000 }],
  ])('chooses a format for a call of %i Hz', async (rateHz, format) => {
    connect({ voice: 'aura-2-apollo-en', speed: 1.2, mip_opt_out: true }, rateHz);
    say('1', 'Alpha bravo.');
    await event('ended 1');
    expect(world.client.format).toEqual(format);
    expect(spoken('1')).toBe('alpha bravo');
    expect(world.vendor.offences).toEqual([]);
  });

  it('speaks one utterance after the other', async () => {
    connect();
    say('1', 'Alpha bravo.');
    say('2', 'Charlie.');
    say('3', 'Delta.');
    await event('ended 3');
    expect(world.recorded.events).toEqual(['ended 1', 'ended 2', 'ended 3']);
    expect([spoken('1'), spoken('2'), spoken('3')]).toEqual(['alpha bravo', 'charlie', 'delta']);
  });

  it('expands the short name of a voice, which Deepgram does not know', async () => {
    connect({ voice: 'thalia-en' });
    await world.vendor.connected();
    expect(world.vendor.upgrades[0]!.url).toContain('model=aura-2-thalia-en&');
    expect(world.vendor.offences).toEqual([]);
  });

  it('reports nothing of a cancelled utterance, whatever still comes, and speaks the next one', async () => {
    world.vendor.paceMs = 20;
    connect();
    say('1', 'Alpha bravo charlie delta.');
    await waitFor('the text', () => world.vendor.received.length === 2);
    await frames(2);
    const heard = world.recorded.audioBytes('1');
    expect(heard).toBeGreaterThan(0);
    world.client.cancel('1');
    say('2', 'Echo foxtrot.');
    await world.vendor.settled();
    await waitFor('the text', () => world.vendor.received.length === 5);
    await frames(20);
    expect(world.recorded.audioBytes('1')).toBe(heard);
    expect(world.recorded.events).toEqual(['ended 2']);
    expect(spoken('2')).toBe('echo foxtrot');
    expect(world.vendor.received.filter((text) => text.includes('Clear'))).toHaveLength(1);
  });

  it('does not tell Deepgram of a cancelled utterance that waits', async () => {
    world.vendor.paceMs = 20;
    connect();
    say('1', 'Alpha.');
    say('2', 'Bravo.');
    say('3', 'Charlie.');
    world.client.cancel('2');
    await waitFor('the text', () => world.vendor.received.length === 2);
    await frames(20);
    expect(world.recorded.events).toEqual(['ended 1', 'ended 3']);
    expect(world.recorded.audioBytes('2')).toBe(0);
    expect(world.vendor.received.join()).not.toMatch(/Clear|Bravo/);
  });

  it('replaces a connection that does not confirm a Clear within a second', async () => {
    world.vendor.paceMs = 20;
    world.vendor.deliver = (message) => ('type' in message && message.type === 'Cleared' ? 'drop' : 'send');
    connect();
    say('1', 'Alpha bravo.');
    await waitFor('the text', () => world.vendor.received.length === 2);
    await frames(1);
    world.client.cancel('1');
    say('2', 'Charlie.');
    await waitFor('the Clear', () => world.vendor.received.length === 3);
    await world.vendor.settled();
    world.clock.advance(1_000);
    expect(world.recorded.events).toEqual(['disconnected unreachable']);
    world.clock.advance(500);
    await waitFor('the text', () => world.vendor.received.length === 5);
    await frames(20);
    expect(world.recorded.events).toEqual(['disconnected unreachable', 'reconnected', 'ended 2']);
    expect(spoken('2')).toBe('charlie');
  });

  it('never sends more Flush messages than Deepgram takes', async () => {
    connect();
    for (let id = 1; id <= 25; id++) say(`${id}`, 'Alpha.');
    await event('ended 20');
    await world.vendor.settled();
    expect(world.recorded.events).toHaveLength(20);
    for (let seconds = 5; seconds <= 60; seconds += 5) {
      world.clock.advance(5_000);
      await world.vendor.settled();
    }
    await event('ended 25');
    expect(world.recorded.events.every((text) => text.startsWith('ended'))).toBe(true);
    expect(world.vendor.offences).toEqual([]);
  });

  it('fails an utterance that was heard in part when the connection is cut, and speaks the next one', async () => {
    world.vendor.paceMs = 20;
    connect();
    say('1', 'Alpha bravo.');
    say('2', 'Charlie.');
    await waitFor('the text', () => world.vendor.received.length === 2);
    await frames(2);
    world.vendor.cutAll();
    await event('disconnected unreachable');
    world.clock.advance(500);
    await waitFor('the text', () => world.vendor.received.length === 4);
    await frames(20);
    expect(world.recorded.events).toEqual([
      'failed 1 unreachable',
      'disconnected unreachable',
      'reconnected',
      'ended 2',
    ]);
    expect(spoken('2')).toBe('charlie');
  });

  it('speaks an utterance of which nothing was heard over the next connection', async () => {
    world.vendor.paceMs = 20;
    connect();
    say('1', 'Alpha bravo.', false);
    say('1', 'Charlie.');
    await waitFor('the text', () => world.vendor.received.length === 4);
    world.vendor.cutAll();
    await event('disconnected unreachable');
    world.vendor.paceMs = 0;
    world.clock.advance(500);
    await event('ended 1');
    expect(world.recorded.events).toEqual(['disconnected unreachable', 'reconnected', 'ended 1']);
    expect(spoken('1')).toBe('alpha bravo charlie');
  });

  it('takes the end of an unused connection for no fault', async () => {
    connect();
    await world.vendor.connected();
    world.vendor.cutAll();
    await waitFor('the end', () => world.vendor.openSockets === 0);
    say('1', 'Alpha.');
    await upgrades(2);
    await event('ended 1');
    expect(world.recorded.events).toEqual(['ended 1']);
  });

  it.each([
    ['a wrong key', BAD_KEY, 'bad_key', /^INVALID_AUTH: Invalid credentials\.$/],
    ['no money', OUT_OF_FUNDS, 'out_of_funds', /^ASR_PAYMENT_REQUIRED: Project does not have enough credits/],
    ['a model it may not use', NO_MODEL, 'refused', /^INSUFFICIENT_PERMISSIONS/],
  ])('ends the session when Deepgram answers with %s', async (_name, refusal, kind, words) => {
    world.vendor.refusals.push(refusal);
    connect();
    say('1', 'Alpha.');
    await event(`failed null ${kind}`);
    expect(world.recorded.failures[0]!.fault.words).toMatch(words);
    world.clock.advance(60_000);
    expect(world.vendor.upgrades).toHaveLength(1);
  });

  it('is told of a wrong key by the vendor', async () => {
    connect({}, 16_000, 'another key');
    await event('failed null bad_key');
  });

  it('tries again after 429, and then speaks', async () => {
    world.vendor.refusals.push(TOO_MANY, TOO_MANY);
    connect();
    say('1', 'Alpha.');
    await upgrades(3);
    await event('ended 1');
    expect(world.recorded.events).toEqual(['disconnected rate_limited', 'reconnected', 'ended 1']);
  });

  it('refuses text when too much of it waits', async () => {
    world.vendor.refusals.push(TOO_MANY);
    connect();
    for (let id = 0; id <= 64; id++) say(`${id}`, 'Alpha.');
    expect(world.recorded.events).toEqual(['failed 64 refused']);
  });

  it('ends the session by Close', async () => {
    connect();
    await world.vendor.connected();
    await world.client.close();
    await waitFor('the end', () => world.vendor.openSockets === 0);
    expect(world.vendor.received).toEqual(['{"type":"Close"}']);
    say('1', 'Alpha.');
    expect(world.recorded.events).toEqual([]);
  });
});

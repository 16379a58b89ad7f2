import { afterAll, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import { type CallPair, GatewayPair } from '../support/gateway-pair.ts';
import { requirePeer } from '../support/require-peer.ts';
import { DIGITS_GRAMMAR, NUMBERS, SENTENCES } from '../support/speech/spoken-texts.ts';
import { waitFor } from '../support/wait-for.ts';
import { wordErrorRate } from '../support/word-errors.ts';

const PRESETS = '/api/voice-configs';
/** What is spoken, and what is understood of it. */
const CASES = [
  { path: 'Opus, 16 kHz', codecs: 'opus', mostDictation: 0.25, mostDigits: 0 },
  { path: 'G.711', codecs: 'PCMU', mostDictation: 0.8, mostDigits: 0.6 },
];

describe.skipIf(requirePeer('pocketsphinx_continuous'))('calls by the local engines', () => {
  const pairs: GatewayPair[] = [];

  afterAll(() => Promise.all(pairs.map((pair) => pair.stop())));

  it.concurrent.each(CASES)(
    'are understood over $path',
    async ({ path, codecs, mostDictation, mostDigits }) => {
      const gateway = { env: { SVC_SIP_CODECS: codecs }, rtpPortCount: 8 };
      const pair = await GatewayPair.start({ caller: gateway, callee: gateway });
      pairs.push(pair);
      await preset(pair.caller, { kind: 'tts' });
      const stt = await preset(pair.callee, { kind: 'stt' });
      const dictation = await pair.connect();
      // Calls keep the preset with which they began.
      const options = { grammar: DIGITS_GRAMMAR };
      await pair.callee.settingsApi.patch(`${PRESETS}/${stt.id}`, { options });
      const digits = await pair.connect();
      const [understood, counted] = await Promise.all([
        dictate(pair, dictation, SENTENCES),
        dictate(pair, digits, NUMBERS),
      ]);
      const rates = [wordErrorRate(SENTENCES, understood), wordErrorRate(NUMBERS, counted)] as const;
      const [words, figures] = rates.map((rate) => `${(100 * rate).toFixed(1)} %`);
      console.log(`word errors over ${path}: ${words} of dictation, ${figures} of digits by a grammar`);
      if (rates[1] > mostDigits) console.log(counted.join(' / '));
      expect(rates[0]).toBeLessThan(mostDictation);
      expect(rates[1]).toBeLessThanOrEqual(mostDigits);
      for (const call of [dictation, digits]) await pair.hangUp(call);
    },
  );

  async function preset(gateway: GatewayPair['caller'], fields: Record<string, unknown>) {
    const { status, body } = await gateway.settingsApi.post(PRESETS, { provider: 'local', ...fields });
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  }

  /** Speaks texts into one end of a call. Resolves with the transcript of the other end. */
  async function dictate(
    pair: GatewayPair,
    { outbound, inbound }: CallPair,
    texts: readonly string[],
  ): Promise<string[]> {
    const join = (streamUrl: string, key: string) =>
      Agent.join(streamUrl, key, { sampleRateHz: 16_000, receive: false });
    const speaker = await join(outbound.audio.stream_url, pair.caller.agentKey);
    const listener = await join(inbound.audio.stream_url, pair.callee.agentKey);
    const lines = () => listener.events.filter(({ type }) => type === 'call_transcript');
    for (const text of texts) {
      const { body } = await pair.caller.agentApi.post(`/api/call/${outbound.call_id}/say`, { text });
      await speaker.waitFor('utterance', { utterance_id: body.utterance_id, state: 'finished' });
      // It comes half a second after the last sound.
      const heardBefore = lines().length;
      await waitFor(`a transcript of “${text}”`, () => lines().length > heardBefore);
    }
    expect([...speaker.errors, ...listener.errors]).toEqual([]);
    const { body } = await pair.callee.agentApi.get(`/api/call/${inbound.call_id}`);
    expect(body.transcript).toEqual(lines().map(({ speaker, text }) => `[${speaker}] ${text}`));
    return lines().map(({ text }) => `${text}`);
  }
});

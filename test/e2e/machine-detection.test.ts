import { afterAll, beforeAll, expect, it } from 'vitest';
import { startVendor } from '../fakes/speech-vendor/all-vendors.ts';
import type { FakeVendor } from '../fakes/speech-vendor/fake-vendor.ts';
import { understand } from '../fakes/tone-speech.ts';
import { Agent } from '../support/agent.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { melody } from '../support/melody.ts';
import { joined, silence, speech } from '../support/speech-signal.ts';
import { tone } from '../support/tone.ts';
import { waitFor } from '../support/wait-for.ts';

const RATE_HZ = 8_000;
const FORMAT = { encoding: 's16le', sampleRateHz: RATE_HZ } as const;
const HELLO = speech('Hello?', RATE_HZ, 'rms');
const LONG = speech('Good morning, Miller and Sons, Peter speaking, how can I help you?', RATE_HZ, 'slt');
const GREETING = speech(
  'Hi, this is Anna. I cannot come to the phone right now, but if you tell me who you are I will call you soon.',
  RATE_HZ,
  'slt',
);
const BEEP = tone(1_000, RATE_HZ, RATE_HZ / 2);
const FAX = tone(2_100, RATE_HZ, RATE_HZ * 2, { amplitude: 6_000 });

let vendor: FakeVendor;
let pair: GatewayPair;

beforeAll(async () => {
  vendor = await startVendor('deepgram');
  pair = await GatewayPair.start({ caller: { env: { SVC_DEEPGRAM_URL: vendor.url } } });
  const api_key = vendor.keyThatIs('valid');
  pair.caller.secrets.add(api_key);
  const preset = { kind: 'tts', provider: 'deepgram', api_key };
  expect((await pair.caller.settingsApi.post('/api/voice-configs', preset)).status).toBe(200);
});

afterAll(async () => {
  await pair?.stop();
  await vendor?.stop();
});

/** A call with this setting that is answered by this. */
async function answeredBy(machine_detection: string, sound: Int16Array) {
  const number = await pair.listNumber(true);
  const { status, body: outbound } = await pair.caller.agentApi.post('/api/call', {
    platform: 'sip',
    meeting_url: pair.uriOf(number),
    machine_detection,
  });
  expect(status).toBe(200);
  const agent = await Agent.join(outbound.audio.stream_url, pair.caller.agentKey, {
    sampleRateHz: RATE_HZ,
    receive: false,
  });
  const inbound = await waitFor('the call to come', async () => {
    const { calls } = (await pair.callee.agentApi.get('/api/calls')).body;
    const call = calls.find(({ meeting_url }: { meeting_url: string }) => meeting_url.includes(number));
    return call?.state === 'active' && call;
  });
  const person = await Agent.join(inbound.audio.stream_url, pair.callee.agentKey, { sampleRateHz: RATE_HZ });
  await pair.caller.waitForState(outbound.call_id, 'active');
  person.speak(joined(silence(200, RATE_HZ), sound, silence(200, RATE_HZ)));
  return { id: outbound.call_id as string, agent, person };
}

const verdicts = ({ events }: Agent) =>
  events.filter(({ type }) => type === 'call_answered_by').map(({ answered_by }) => answered_by);

it('tells a person from a machine and its beep, and when somebody is on hold, on the WebSocket and the feed', async () => {
  const { last_message_cursor } = (await pair.caller.agentApi.get('/api/account')).body;
  const [human, machine, queue] = await Promise.all([
    answeredBy('detect', HELLO),
    answeredBy('detect', joined(GREETING, silence(500, RATE_HZ), BEEP)),
    answeredBy('detect', joined(HELLO, melody(8_000, RATE_HZ), silence(7_000, RATE_HZ))),
  ]);
  expect(await human.agent.waitFor('call_answered_by')).toMatchObject({
    answered_by: 'human',
    confidence: 0.9,
  });
  await machine.agent.waitFor('beep', {}, 15_000);
  expect(verdicts(machine.agent)[0]).toBe('machine');
  await machine.agent.waitFor('call_answered_by', { answered_by: 'machine', confidence: 0.95 });
  await queue.agent.waitFor('hold_music', { playing: true }, 15_000);
  await queue.agent.waitFor('hold_music', { playing: false }, 15_000);
  await waitFor('the beep on the feed', async () => {
    const inbox = await pair.caller.agentApi.get(`/api/inbox?last_message_cursor=${last_message_cursor}`);
    return inbox.body.events.some(
      ({ type, call_id }: { type: string; call_id: string }) => type === 'beep' && call_id === machine.id,
    );
  });
});

it('leaves a fax, and never a person', async () => {
  const [fax, person, unwanted] = await Promise.all([
    answeredBy('hang_up', FAX),
    answeredBy('hang_up', LONG),
    answeredBy('off', HELLO),
  ]);
  await fax.agent.waitFor('call_answered_by', { answered_by: 'fax' });
  expect(await fax.agent.waitFor('call_state', { state: 'ended' })).toMatchObject({
    termination: { reason: 'answered by a fax' },
  });
  await person.agent.waitFor('call_answered_by', { answered_by: 'human' }, 15_000);
  expect((await pair.caller.agentApi.get(`/api/call/${person.id}`)).body.state).toBe('active');
  expect(verdicts(unwanted.agent)).toEqual([]);
});

it('what is said waits for the beep', async () => {
  const { id, agent, person } = await answeredBy(
    'wait_for_beep',
    joined(GREETING, silence(500, RATE_HZ), BEEP),
  );
  const { body } = await pair.caller.agentApi.post(`/api/call/${id}/say`, { text: 'alpha bravo' });
  await agent.waitFor('beep', {}, 15_000);
  const started = agent.events.some(({ type }) => type === 'utterance');
  expect(started).toBe(false);
  await agent.waitFor('utterance', { utterance_id: body.utterance_id, state: 'finished' });
  const samples = person.heardSamples();
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  expect(understand(bytes, FORMAT)).toBe('alpha bravo');
});

it('an unknown setting is refused', async () => {
  const { status } = await pair.caller.agentApi.post('/api/call', {
    platform: 'sip',
    meeting_url: pair.uriOf('+331'),
    machine_detection: 'sometimes',
  });
  expect(status).toBe(422);
});

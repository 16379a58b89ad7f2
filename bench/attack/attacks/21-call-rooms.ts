import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from '../../../test/support/agent.ts';
import type { GatewayApi } from '../../../test/support/gateway-api.ts';
import { audioSdp } from '../../sip-text.ts';
import { type Attack, PROVIDER_HOST, type Target } from '../attack.ts';
import type { Mails } from '../mails.ts';
import { leave, newTenant, type Tenant } from '../member.ts';
import type { Notes } from '../notes.ts';
import { ScriptedProvider } from '../scripted-provider.ts';

const NUMBER = 21;
/** One number rings until somebody answers, the other one is answered at once. */
const RINGS = '+4930555211';
const ANSWERS = '+4930555212';
const DEAF_PORT = 40_000;
const INVITES = 200;
const FLOOD_MS = 4_000;
const PLACED = 100;
const LISTENED = 14;
const TEXTS = 20;
const LONG_TEXT = 'Nobody else may say a word while this sentence is spoken again and again. '.repeat(4);
const SPOKEN_WITHIN_MS = 3_000;

/** One account takes all room for calls, and all that listens and speaks without a vendor. */
export const callRooms: Attack = {
  number: NUMBER,
  name: 'all room for calls, all local voices',
  async run(target, notes, mails) {
    const [greedy, quiet] = [await lineOf(target, mails, 1), await lineOf(target, mails, 2)];
    await inviteFlood(greedy, quiet, notes);
    await endlessDialling(greedy, quiet, notes);
    await allRecognizers({ target, greedy, quiet }, notes);
    await allVoices(greedy, quiet, notes);
    for (const { tenant, provider } of [greedy, quiet]) {
      await leave(tenant);
      provider.close();
    }
  },
};

/** An account with numbers at a provider of its own. */
interface Line {
  readonly tenant: Tenant;
  readonly provider: ScriptedProvider;
  /** The user of the URI at which the gateway takes its calls. */
  readonly user: string;
}

async function lineOf(target: Target, mails: Mails, who: number): Promise<Line> {
  const tenant = await newTenant(target, mails, NUMBER, who);
  const provider = await ScriptedProvider.open(target.sipPort);
  provider.answer = () => ({ status: '200 OK', sdp: audioSdp(PROVIDER_HOST, DEAF_PORT) });
  const { settingsApi } = tenant;
  const trunk = { host: PROVIDER_HOST, port: provider.port, username: 'a', password: 'b', register: false };
  await settingsApi.put('/api/sip/trunk', trunk);
  await settingsApi.post('/api/sip/dids', { number: RINGS });
  await settingsApi.post('/api/sip/dids', { number: ANSWERS, auto_answer: true });
  for (const kind of ['stt', 'tts'])
    await settingsApi.post('/api/voice-configs', { provider: 'local', kind });
  const { body } = await settingsApi.get('/api/sip/trunk');
  return { tenant, provider, user: /^sips?:([^@]+)@/.exec(body.inbound_uri ?? '')?.[1] ?? RINGS };
}

/** Resolves with the final status; 0: it rang until the caller gave up. */
const ring = ({ provider, user }: Line, forMs: number): Promise<number> =>
  provider.call(user, RINGS, DEAF_PORT, forMs);

const dial = ({ tenant, provider }: Line) =>
  tenant.agentApi.post('/api/call', {
    platform: 'sip',
    meeting_url: `sip:+4930123@${PROVIDER_HOST}:${provider.port}`,
  });

async function inviteFlood(greedy: Line, quiet: Line, notes: Notes): Promise<void> {
  notes.act(`${INVITES} callers of one account at once`);
  const flood = Promise.all(Array.from({ length: INVITES }, () => ring(greedy, FLOOD_MS)));
  await pause(FLOOD_MS / 4);
  demandRoom(notes, 'during the flood', await ring(quiet, FLOOD_MS / 4), (await dial(quiet)).status);
  const statuses = await flood;
  notes.see(`the flood was answered: ${tally(statuses)}`);
  notes.demand(
    !statuses.includes(486),
    'callers who were told that the account is busy',
    count(statuses, 486),
  );
  await hangUpAll(quiet.tenant.agentApi);
}

async function endlessDialling(greedy: Line, quiet: Line, notes: Notes): Promise<void> {
  notes.act(`one account places ${PLACED} calls, and ends none`);
  const statuses: number[] = [];
  for (let n = 0; n < PLACED; n++) statuses.push((await dial(greedy)).status);
  notes.see(`they were answered: ${tally(statuses)}`);
  const odd = statuses.filter((status) => status !== 200 && status !== 503).length;
  notes.demand(odd === 0 && count(statuses, 503) > 0, 'calls placed', tally(statuses));
  demandRoom(notes, 'meanwhile', await ring(quiet, 1_000), (await dial(quiet)).status);
  notes.demand((await ring(greedy, 1_000)) === 0, 'a caller of the account that placed them', 'rings');
  for (const { tenant } of [greedy, quiet]) await hangUpAll(tenant.agentApi);
}

/** Somebody who has no calls gets one either way. */
function demandRoom(notes: Notes, when: string, rang: number, placed: number): void {
  notes.demand(rang === 0, `a caller of another account ${when}`, rang === 0 ? 'rings' : rang);
  notes.demand(placed === 200, `a call that another account places ${when}`, placed);
}

async function allRecognizers(
  { target, greedy, quiet }: { target: Target; greedy: Line; quiet: Line },
  notes: Notes,
): Promise<void> {
  notes.act(`${LISTENED} calls of one account are listened to by the local recognizer`);
  await Promise.all(Array.from({ length: LISTENED }, () => answered(greedy)));
  // As long as a call waits for a recognizer.
  await pause(4_000);
  const before = await recognizers(target);
  await answered(quiet);
  await pause(2_000);
  const after = await recognizers(target);
  notes.see(`recognizers of the ${LISTENED} calls: ${before}`);
  notes.demand(after > before, 'recognizers with one call of another account', after);
}

async function allVoices(greedy: Line, quiet: Line, notes: Notes): Promise<void> {
  const [calls, [call]] = [await callsOf(greedy), await callsOf(quiet)];
  notes.act(`${calls.length} calls of one account say ${TEXTS} long texts each, by the local voice`);
  const { agentApi } = greedy.tenant;
  for (let n = 0; n < TEXTS; n++)
    await Promise.all(
      calls.map(({ call_id: id }) => agentApi.post(`/api/call/${id}/say`, { text: LONG_TEXT })),
    );
  const agent = await Agent.join(call!.audio.stream_url, quiet.tenant.agentKey, {
    sampleRateHz: 8_000,
    receive: false,
  });
  const beganMs = performance.now();
  const { body } = await quiet.tenant.agentApi.post(`/api/call/${call!.call_id}/say`, { text: 'Hello.' });
  await agent.waitFor('utterance', { utterance_id: body.utterance_id, state: 'started' });
  const tookMs = Math.round(performance.now() - beganMs);
  notes.demand(tookMs < SPOKEN_WITHIN_MS, 'ms until another account is heard', tookMs);
  await agent.close();
  for (const { tenant } of [greedy, quiet]) await hangUpAll(tenant.agentApi);
}

async function answered({ provider, user }: Line): Promise<void> {
  const status = await provider.call(user, ANSWERS, DEAF_PORT, 5_000);
  if (status !== 200) throw new Error(`a call that should be answered: ${status}`);
}

interface ShownCall {
  readonly call_id: string;
  readonly audio: { readonly stream_url: string };
}

async function callsOf({ tenant }: Line): Promise<ShownCall[]> {
  return (await tenant.agentApi.get('/api/calls')).body.calls;
}

async function hangUpAll(api: GatewayApi): Promise<void> {
  const { calls } = (await api.get('/api/calls')).body;
  for (const { call_id: id } of calls) await api.delete(`/api/call/${id}`);
}

async function recognizers({ baseUrl }: Target): Promise<number> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  return Number(/^svc_shared_in_use\{resource="local_recognizers"\} (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
}

function count(statuses: readonly number[], status: number): number {
  return statuses.filter((each) => each === status).length;
}

function tally(statuses: readonly number[]): string {
  const kinds = [...new Set(statuses)].sort();
  return kinds.map((status) => `${count(statuses, status)} × ${status}`).join(', ');
}

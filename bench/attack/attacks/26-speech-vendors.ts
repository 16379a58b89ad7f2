import { Agent } from '../../../test/support/agent.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { audioSdp } from '../../sip-text.ts';
import { activeCall } from '../active-call.ts';
import { type Attack, PROVIDER_HOST } from '../attack.ts';
import { HostilePlatforms } from '../hostile-platforms.ts';
import { demandQuiet } from '../meanwhile.ts';
import { leave, newTenant, type Tenant } from '../member.ts';
import type { Notes } from '../notes.ts';
import { ScriptedProvider } from '../scripted-provider.ts';

const NUMBER = 26;
const LASTS_MS = 4_000;
const CALLS = 5;
const DEAF_PORT = 40_000;
/** Bridge threads read the vendors. */
const MAX_CPU_SHARE = 0.3;
const SPOKEN_WITHIN_MS = 3_000;
/** A vendor that hangs up is tried again after 8 s at most. */
const RECONNECT_MS = 12_000;

const DOORS = {
  'empty results': { text: '{}' },
  'results with lists of nothing': { text: `{"type":"Results","channel":[${'[],'.repeat(7_000)}0]}` },
  pings: { pings: true },
} as const;

/** Vendors of speech that send as much as is read, to the calls of one account. */
export const speechVendors: Attack = {
  number: NUMBER,
  name: 'streams of speech vendors',
  async run(target, notes, mails) {
    const platforms = await HostilePlatforms.open();
    const provider = await ScriptedProvider.open(target.sipPort);
    provider.answer = () => ({ status: '200 OK', sdp: audioSdp(PROVIDER_HOST, DEAF_PORT) });
    const [greedy, quiet] = [
      await newTenant(target, mails, NUMBER, 1),
      await newTenant(target, mails, NUMBER, 2),
    ];
    for (const kind of ['stt', 'tts'])
      await preset(greedy, { provider: 'deepgram', kind, api_key: 'a'.repeat(40) });
    await preset(quiet, { provider: 'local', kind: 'tts' });
    const callId = await activeCall(quiet, provider.port);
    for (let n = 0; n < CALLS; n++) await activeCall(greedy, provider.port);
    for (const [what, flood] of Object.entries(DOORS)) {
      notes.act(`${what} for ${CALLS} calls of one account, as fast as they are read`);
      await waitFor('the calls to be at the vendor', () => platforms.connections > 0, RECONNECT_MS);
      const before = platforms.sentBytes;
      const meanwhile = { what, quiet, lastsMs: LASTS_MS, mostShare: MAX_CPU_SHARE };
      await demandQuiet(target, notes, meanwhile, () => {
        platforms.flood = flood;
      });
      await isHeard(notes, { tenant: quiet, callId, what });
      platforms.flood = null;
      platforms.hangUp();
      const sent = platforms.sentBytes - before;
      notes.demand(sent > 65_536, `bytes of ${what} that the vendor has sent`, sent);
    }
    platforms.close();
    for (const tenant of [greedy, quiet]) await leave(tenant);
    provider.close();
  },
};

async function preset({ settingsApi }: Tenant, wanted: Readonly<Record<string, string>>): Promise<void> {
  const { status, body } = await settingsApi.post('/api/voice-configs', wanted);
  if (status >= 300) throw new Error(`a preset: ${status} ${JSON.stringify(body)}`);
}

interface Spoken {
  readonly tenant: Tenant;
  readonly callId: string;
  readonly what: string;
}

async function isHeard(notes: Notes, { tenant, callId, what }: Spoken): Promise<void> {
  const { body: call } = await tenant.agentApi.get(`/api/call/${callId}`);
  const agent = await Agent.join(call.audio.stream_url, tenant.agentKey, {
    sampleRateHz: 8_000,
    receive: false,
  });
  const beganMs = performance.now();
  const { body } = await tenant.agentApi.post(`/api/call/${callId}/say`, { text: 'Hello.' });
  await agent.waitFor('utterance', { utterance_id: body.utterance_id, state: 'started' });
  const tookMs = Math.round(performance.now() - beganMs);
  notes.demand(tookMs < SPOKEN_WITHIN_MS, `ms until another account is heard during ${what}`, tookMs);
  await agent.close();
}

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../../test/support/child.ts';
import { claimSignalingPorts } from '../../test/support/free-ports.ts';
import { Gateway } from '../../test/support/gateway.ts';
import { GatewayApi } from '../../test/support/gateway-api.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { SipAnswerer } from '../generator/sip-answerer.ts';
import { writeFixture } from './fixture.ts';

/** A server that knows one call. */
export interface Contender {
  readonly pid: number;
  readonly baseUrl: string;
}

export interface Contenders {
  readonly gateway: Contender;
  readonly fastify: Contender;
  readonly key: string;
  readonly callId: string;
  /** Ends both. */
  stop(): Promise<void>;
}

/** The call's far end sends nothing, and shall not be given up for it. */
const MEDIA_TIMEOUT_S = '3600';

/** The gateway in a live call with a SIP phone, and Fastify with a copy of what the gateway says of that call. */
export async function startContenders(prefix: readonly string[]): Promise<Contenders> {
  const claim = await claimSignalingPorts(2);
  const folder = mkdtempSync(join(tmpdir(), 'rest-'));
  await answerCalls(claim.first);
  const gateway = await Gateway.start({ prefix, env: { SVC_MEDIA_TIMEOUT_S: MEDIA_TIMEOUT_S } });
  await gateway.putTrunk({ host: '127.0.0.1', port: claim.first });
  const { call_id: callId } = await gateway.placeCall(`sip:1@127.0.0.1:${claim.first}`);
  await gateway.waitForState(callId, 'active');
  const { body: call } = await gateway.agentApi.get(`/api/call/${callId}`);
  const fixture = join(folder, 'fixture.json');
  writeFixture(fixture, gateway.agentKey, call);
  const fastify = await startFastify(prefix, claim.first + 1, fixture);
  const anchor = { pid: fastify.pid, baseUrl: `http://127.0.0.1:${claim.first + 1}` };
  await assertSameAnswers(new GatewayApi(anchor.baseUrl, gateway.agentKey), gateway.agentApi, callId);
  return {
    gateway,
    fastify: anchor,
    key: gateway.agentKey,
    callId,
    async stop() {
      await Promise.all([gateway.stop(), fastify.stop()]);
      claim.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A telephone in this process that answers at once and listens without a word. */
async function answerCalls(sipPort: number): Promise<void> {
  const rtp = createSocket('udp4').unref();
  rtp.bind(0, '127.0.0.1');
  await once(rtp, 'listening');
  await new SipAnswerer('127.0.0.1', sipPort, () => rtp.address().port).listen();
}

async function startFastify(prefix: readonly string[], port: number, fixture: string): Promise<Child> {
  const server = join(import.meta.dirname, 'fastify-calls.mjs');
  const [program = '', ...args] = [...prefix, process.execPath, server, `${port}`, fixture];
  const child = new Child(program, args);
  await waitFor('Fastify to listen', async () => {
    if (!child.running) throw new Error(child.output);
    return (await fetch(`http://127.0.0.1:${port}/`).catch(() => null)) !== null;
  });
  return child;
}

/** Nothing would be compared if they did not say the same. */
async function assertSameAnswers(anchor: GatewayApi, gateway: GatewayApi, callId: string): Promise<void> {
  const path = `/api/call/${callId}`;
  const ask = async (api: GatewayApi) => {
    const { body: call } = await api.get(path);
    const refused = await api.post(`${path}/say`, { text: 'hello' });
    const invalid = await api.post(`${path}/say`, { text: '' });
    const missing = await api.get('/api/call/none');
    return JSON.stringify([call, refused.status, refused.body, invalid.status >= 400, missing.status]);
  };
  const [ours, theirs] = [await ask(gateway), await ask(anchor)];
  if (ours !== theirs) throw new Error(`the anchor answers otherwise:\n${ours}\n${theirs}`);
}

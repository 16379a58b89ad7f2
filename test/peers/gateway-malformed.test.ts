import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import { PhoneLine } from '../support/phone-line.ts';
import { requirePeer } from '../support/require-peer.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { analyzeTone } from '../support/tone-analysis.ts';
import { tortureMessages } from '../support/torture-messages.ts';
import { within } from '../support/wait-for.ts';
import { ScriptedPeer } from '../unit/connectors/sip/signaling/scripted-peer.ts';

const NUMBER = '+33100000001';
const TRUNK = '127.0.0.1';
const STRANGER = '127.0.0.2';

const retry = retryAudio();

describe.skipIf(requirePeer('baresip'))('malformed SIP messages', { retry }, () => {
  let line: PhoneLine;

  beforeAll(async () => {
    line = await PhoneLine.start();
    await line.listNumber(NUMBER, false);
  });
  afterAll(() => line?.stop());

  const uri = () => `sip:${NUMBER}@127.0.0.1:${line.gateway.sipPort}`;

  const sipEvents = (event: string) => line.gateway.metric(`svc_sip_events_total{event="${event}"}`);

  /** The gateway still works: it answers its trunk, and an agent hears the phone. */
  async function expectAlive(): Promise<void> {
    const trunk = await ScriptedPeer.start(TRUNK);
    trunk.facing(line.gateway.sipPort);
    trunk.send('OPTIONS', uri(), { callId: `alive-${trunk.port}`, cseq: 1 });
    await trunk.response(200, 'OPTIONS');
    trunk.stop();
    expect(line.gateway.running).toBe(true);
    expect(line.gateway.output).not.toMatch(/"level":"(error|fatal)"/);
    const { gateway, phone } = line;
    const call = await line.talk();
    const agent = await Agent.join(call.audio.stream_url, gateway.agentKey, { sampleRateHz: 8_000 });
    expect(analyzeTone((await agent.hear(75)).subarray(4_000), 8_000, 440).snrDb).toBeGreaterThan(30);
    await gateway.agentApi.delete(`/api/call/${call.call_id}`);
    await phone.waitFor('CALL_CLOSED');
  }

  /** Sends each by UDP, one after the other, from an address. */
  async function sendDatagrams(host: string): Promise<ScriptedPeer> {
    const sender = await ScriptedPeer.start(host);
    sender.facing(line.gateway.sipPort);
    for (const { bytes } of tortureMessages(uri(), sender.port)) {
      sender.sendText(bytes);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return sender;
  }

  it('over UDP from the trunk leave the gateway working', async () => {
    const before = (await sipEvents('malformed_message')) ?? 0;
    const trunk = await sendDatagrams(TRUNK);
    await expectAlive();
    expect(await sipEvents('malformed_message')).toBeGreaterThan(before + 10);
    expect((await sipEvents('core_error')) ?? 0).toBe(0);
    // Requests that can be answered are.
    const statuses = new Set(trunk.received.flatMap(({ message }) => message.status ?? []));
    expect([...statuses].sort()).toEqual(expect.arrayContaining([400, 420, 481, 483]));
    trunk.stop();
  });

  it('over UDP from a stranger leave the gateway working and silent', async () => {
    const stranger = await sendDatagrams(STRANGER);
    await expectAlive();
    expect(stranger.received).toEqual([]);
    stranger.stop();
    expect(await sipEvents('scanner_dropped')).toBeGreaterThan(0);
  });

  it.each([
    ['the trunk', TRUNK],
    ['a stranger', STRANGER],
  ])('over TCP from %s leave the gateway working', async (_who, host) => {
    const port = line.gateway.sipPort;
    const messages = tortureMessages(uri(), 5_060).map(({ bytes }) => bytes);
    const answers = await Promise.all(messages.map((bytes) => sendOverTcp(host, port, bytes)));
    // All on one connection: what follows a message that cannot be delimited is lost, and nothing else.
    answers.push(await sendOverTcp(host, port, Buffer.concat(messages)));
    await expectAlive();
    if (host === STRANGER) expect(answers.filter((text) => text !== '')).toEqual([]);
    else expect(answers.some((text) => text.startsWith('SIP/2.0 4'))).toBe(true);
  });
});

/** Sends bytes on a connection of their own, hangs up, and returns what came back until the gateway did so too. */
async function sendOverTcp(localAddress: string, port: number, bytes: Buffer): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  let answer = '';
  socket.on('data', (data) => {
    answer += data.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.end(bytes);
  await within('the gateway to close a connection', closed);
  return answer;
}

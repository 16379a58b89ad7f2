import { connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../../../support/wait-for.ts';
import { ScriptedPeer, sdp } from './scripted-peer.ts';
import { ConnectorUnderTest, NUMBER, TOKEN, trunkTo } from './start-connector.ts';

/** Two tenants at one provider; both list the first one's number. */
const OTHER_TOKEN = 'fedcba9876543210'.repeat(2);
const TENANT = { ofOperator: false } as const;
const OTHER = { ...TENANT, accountId: 'acc_2', username: 'second', inboundToken: OTHER_TOKEN } as const;
const LOOPBACK = { trunkAllow: ['127.0.0.0/8'] } as const;

describe('the account of an inbound call', () => {
  let gateway: ConnectorUnderTest;
  let provider: ScriptedPeer;
  const stops: (() => unknown)[] = [];

  async function start(options: Parameters<typeof ConnectorUnderTest.start>[0] = LOOPBACK): Promise<void> {
    gateway = await ConnectorUnderTest.start(options);
    stops.push(() => gateway.stop());
    provider.facing(gateway.connector.port!);
  }

  async function peerAt(host: string): Promise<ScriptedPeer> {
    const peer = await ScriptedPeer.start(host);
    stops.push(() => peer.stop());
    peer.facing(gateway.connector.port!);
    return peer;
  }

  beforeEach(async () => {
    provider = await ScriptedPeer.start();
    stops.push(() => provider.stop());
  });

  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  /** Server addresses are looked up in the background. */
  async function knows(peer: ScriptedPeer): Promise<void> {
    let cseq = 0;
    await waitFor('an answer to OPTIONS', () => {
      peer.send('OPTIONS', `sip:${gateway.uri}`, { callId: 'probe', cseq: ++cseq });
      return peer.statuses('OPTIONS').includes(200);
    });
  }

  function numberOf(accountId: string, number: string = NUMBER.number): void {
    gateway.connector.putNumber({ ...NUMBER, didId: `did_${accountId}_${number}`, accountId, number });
  }

  function invite(peer: ScriptedPeer, user: string, to = `sip:${NUMBER.number}@provider.example`): void {
    const callId = `c${gateway.answerer.calls.length}-${user}`;
    peer.send('INVITE', `sip:${user}@${gateway.uri}`, { callId, cseq: 1, body: sdp(), to });
  }

  function rung(): string[] {
    return gateway.answerer.calls.map(({ call }) => call.accountId);
  }

  it('is not found by the provider’s address and a number, in any form', async () => {
    await start();
    gateway.connector.putTrunk(trunkTo(provider.port, TENANT));
    gateway.connector.putTrunk(trunkTo(provider.port, OTHER));
    for (const account of ['acc_2', 'acc_1']) numberOf(account);
    await knows(provider);
    for (const user of ['+33123456789', '0033123456789', '33123456789', '0123456789', 'second', 'gateway']) {
      invite(provider, user);
      await provider.response(404, 'INVITE');
    }
    expect(rung()).toEqual([]);
    expect(gateway.counted('unmatched_call')).toBe(6);
  });

  it('is found by the registered Contact, even if others list the number', async () => {
    await start();
    gateway.connector.putTrunk(trunkTo(provider.port, OTHER));
    numberOf('acc_2');
    gateway.connector.putTrunk(trunkTo(provider.port, { ...TENANT, register: true }));
    numberOf('acc_1');
    const register = await provider.request('REGISTER');
    provider.answer(register, 200);
    const contact = (register.headers.contact as { uri: string }[])[0]!.uri;
    expect(contact).toMatch(/^sip:[0-9a-f]{32}@/);
    provider.send('INVITE', contact, {
      callId: 'owner',
      cseq: 1,
      body: sdp(),
      to: 'sip:0123456789@x.example',
    });
    await gateway.answerer.next();
    expect(rung()).toEqual(['acc_1']);
  });

  it.each([
    ['the number in To', TOKEN, `sip:${NUMBER.number}@provider.example`],
    ['the number after the token', `${TOKEN}.${NUMBER.number}`, 'sip:somebody@provider.example'],
    [
      'the number after the token, also in To',
      `${TOKEN}.0123456789`,
      `sip:${TOKEN}.0123456789@gateway.example`,
    ],
    ['no number where only one is listed', TOKEN, `sip:${TOKEN}@gateway.example`],
  ])('is found by the inbound URI, from any address: %s', async (_how, user, to) => {
    await start();
    gateway.connector.putTrunk(trunkTo(provider.port, OTHER));
    gateway.connector.putTrunk(trunkTo(provider.port, TENANT));
    for (const account of ['acc_2', 'acc_1']) numberOf(account);
    await waitFor(
      'the inbound URI',
      () => gateway.connector.inboundUri('acc_1') === `sip:${TOKEN}@${gateway.uri}`,
    );
    const elsewhere = await peerAt('127.0.0.9');
    invite(elsewhere, user, to);
    await gateway.answerer.next();
    expect(rung()).toEqual(['acc_1']);
  });

  it('is not found when the number is not on the trunk in the URI', async () => {
    await start();
    gateway.connector.putTrunk(trunkTo(provider.port, OTHER));
    gateway.connector.putTrunk(trunkTo(provider.port, TENANT));
    numberOf('acc_1');
    numberOf('acc_2', '+33199999999');
    invite(provider, TOKEN, 'sip:+33199999999@provider.example');
    await provider.response(404, 'INVITE');
    expect(rung()).toEqual([]);
  });

  it('is not found by the Contact of another call, which its parties know', async () => {
    await start();
    gateway.connector.putTrunk(trunkTo(provider.port, TENANT));
    numberOf('acc_1');
    gateway.answerer.answersAtOnce = true;
    invite(provider, TOKEN);
    const { headers } = await provider.response(200, 'INVITE');
    const [contact] = headers.contact as { uri: string }[];
    const caller = await peerAt('127.0.0.9');
    caller.send('INVITE', contact!.uri, {
      callId: 'again',
      cseq: 1,
      body: sdp(),
      to: `sip:${NUMBER.number}@x`,
    });
    await waitFor('it to be dropped', () => gateway.counted('scanner_dropped') === 1);
    expect(caller.received).toEqual([]);
    // Nor as a request of an unknown call.
    const tagged = { callId: 'tagged', cseq: 1, toTag: 'made-up', body: sdp(), to: `sip:${NUMBER.number}@x` };
    caller.send('INVITE', contact!.uri, tagged);
    await caller.response(481, 'INVITE');
    expect(gateway.answerer.calls).toHaveLength(1);
  });

  it('is not found by the token of a trunk that was removed or has a new one', async () => {
    await start();
    gateway.connector.putTrunk(trunkTo(provider.port, TENANT));
    numberOf('acc_1');
    gateway.connector.putTrunk(trunkTo(provider.port, { ...TENANT, inboundToken: OTHER_TOKEN }));
    const elsewhere = await peerAt('127.0.0.9');
    invite(elsewhere, TOKEN);
    await waitFor('the former token to be dropped', () => gateway.counted('scanner_dropped') === 1);
    invite(elsewhere, OTHER_TOKEN);
    await gateway.answerer.next();
    gateway.connector.removeTrunk('acc_1');
    invite(elsewhere, OTHER_TOKEN);
    await waitFor('the removed token to be dropped', () => gateway.counted('scanner_dropped') === 2);
    expect(rung()).toEqual(['acc_1']);
  });

  it('is found by the operator’s binding, the most specific one', async () => {
    await start({
      ...LOOPBACK,
      trunkBindings: [
        { account: 'acc_2', subnet: '127.0.0.0/24' },
        { account: 'acc_1', subnet: '127.0.0.9' },
        { account: 'operator', subnet: '127.0.0.10' },
      ],
    });
    gateway.connector.putTrunk(trunkTo(provider.port, OTHER));
    gateway.connector.putTrunk(trunkTo(provider.port, TENANT));
    gateway.connector.putTrunk(trunkTo(provider.port, { accountId: 'acc_0', inboundToken: '0'.repeat(32) }));
    for (const account of ['acc_0', 'acc_1', 'acc_2']) numberOf(account);
    for (const [host, account] of [
      ['127.0.0.9', 'acc_1'],
      ['127.0.0.8', 'acc_2'],
      ['127.0.0.10', 'acc_0'],
      // The operator's own trunk is there too, but the binding is explicit.
      ['127.0.0.1', 'acc_2'],
    ] as const) {
      invite(await peerAt(host), '0123456789');
      await gateway.answerer.next(gateway.answerer.calls.length);
      expect([host, rung().at(-1)]).toEqual([host, account]);
    }
    // A secret takes precedence over an address.
    invite(await peerAt('127.0.0.8'), TOKEN);
    await gateway.answerer.next(4);
    expect(rung().at(-1)).toBe('acc_1');
  });

  it('is the operator’s at the addresses of the operator’s own trunk, even if others name them', async () => {
    await start();
    gateway.connector.putTrunk(trunkTo(provider.port, OTHER));
    numberOf('acc_2');
    await knows(provider);
    invite(provider, '+33123456789');
    await provider.response(404, 'INVITE');
    gateway.connector.putTrunk(trunkTo(provider.port));
    numberOf('acc_1');
    gateway.connector.putTrunk(trunkTo(provider.port, OTHER));
    await waitFor('a call', () => {
      provider.send('INVITE', `sip:0123456789@${gateway.uri}`, {
        callId: `o${performance.now()}`,
        cseq: 1,
        body: sdp(),
      });
      return rung().length > 0;
    });
    expect(new Set(rung())).toEqual(new Set(['acc_1']));
  });

  it('is that of the trunk whose own connection the call uses', async () => {
    await start();
    const opened = Promise.withResolvers<Socket>();
    const server = createServer((socket) => opened.resolve(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stops.push(() => server.close());
    const { port } = server.address() as { port: number };
    gateway.connector.putTrunk(trunkTo(port, { ...OTHER, transport: 'tcp' }));
    gateway.connector.putTrunk(trunkTo(port, { ...TENANT, transport: 'tcp', register: true }));
    for (const account of ['acc_2', 'acc_1']) numberOf(account);
    const socket = await opened.promise;
    stops.push(() => socket.destroy());
    let heard = '';
    socket.on('data', (bytes) => {
      heard += bytes.toString();
    });
    const lines = [
      `INVITE sip:0123456789@${gateway.uri} SIP/2.0`,
      `Via: SIP/2.0/TCP 127.0.0.1:${port};branch=z9hG4bKflow;rport`,
      'From: <sip:+33611111111@127.0.0.1>;tag=peer',
      'To: <sip:0123456789@127.0.0.1>',
      'Call-ID: flow',
      'CSeq: 1 INVITE',
      `Contact: <sip:peer@127.0.0.1:${port}>`,
      'Content-Type: application/sdp',
      `Content-Length: ${sdp().length}`,
      '',
      sdp(),
    ];
    socket.write(lines.join('\r\n'));
    await waitFor('ringing', () => heard.includes('SIP/2.0 180'));
    expect(rung()).toEqual(['acc_1']);
  });

  it('is none, without an answer, when the account of the token may not reach the caller', async () => {
    await start({});
    gateway.connector.putTrunk(trunkTo(provider.port, TENANT));
    numberOf('acc_1');
    invite(provider, TOKEN);
    await waitFor('it to be dropped', () => gateway.counted('scanner_dropped') === 1);
    expect([provider.received, rung()]).toEqual([[], []]);
  });

  it('may use 32 connections per address, so that no account uses up all', async () => {
    await start({ ...LOOPBACK, trunkBindings: [{ account: 'acc_1', subnet: '127.0.0.8' }] });
    gateway.connector.putTrunk(trunkTo(provider.port, TENANT));
    await waitFor('the server', () => gateway.connector.inboundUri('acc_1') !== null);
    const connectFrom = (localAddress: string): Socket => {
      const socket = connect({ port: gateway.connector.port!, host: '127.0.0.1', localAddress });
      stops.push(() => socket.destroy());
      return socket.on('error', () => {});
    };
    /** Resolves with whether the gateway answers an empty line, as in RFC 5626. */
    const isServed = (socket: Socket): Promise<boolean> =>
      new Promise((resolve) => {
        socket.once('data', () => resolve(true)).once('close', () => resolve(false));
        socket.write('\r\n\r\n');
      });
    const first = Array.from({ length: 32 }, () => connectFrom('127.0.0.1'));
    expect(await Promise.all(first.map(isServed))).toEqual(first.map(() => true));
    expect(await isServed(connectFrom('127.0.0.1'))).toBe(false);
    expect(await isServed(connectFrom('127.0.0.8'))).toBe(true);
    first[0]!.destroy();
    await waitFor('a place', () => isServed(connectFrom('127.0.0.1')));
  });
});

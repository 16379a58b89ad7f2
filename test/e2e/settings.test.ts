import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newApiKey } from '../../src/base/ids.ts';
import { Agent } from '../support/agent.ts';
import type { Child } from '../support/child.ts';
import { claimSignalingPorts, type PortClaim } from '../support/free-ports.ts';
import { GatewayApi } from '../support/gateway-api.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { bannerOf, spawnGateway } from '../support/gateway-process.ts';
import { waitFor, within } from '../support/wait-for.ts';

/** sysexits.h: EX_UNAVAILABLE, EX_CONFIG. */
const EXIT_UNAVAILABLE = 69;
const EXIT_CONFIG = 78;
const DEFAULT_SIP_PORT = 5060;
const GENERATED_KEY = /svc_[\w-]{43}/g;

describe('a gateway as its operator starts it', () => {
  let ports: PortClaim;
  let dataDir: string;
  const started: Child[] = [];

  beforeAll(async () => {
    ports = await claimSignalingPorts(8);
  });
  afterAll(() => ports?.release());
  afterEach(async () => {
    await Promise.all(started.splice(0).map((gateway) => gateway.stop()));
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
  });

  /** Settings on free ports and an empty data folder; `undefined` leaves a variable out. */
  function settings(others: Record<string, string | undefined> = {}): Record<string, string> {
    dataDir = others.SVC_DATA_DIR ?? mkdtempSync(join(tmpdir(), 'gateway-'));
    const all = {
      SVC_PORT: `${ports.first}`,
      SVC_SIP_HOST: '127.0.0.1',
      SVC_SIP_PORT: `${ports.first + 1}`,
      SVC_DATA_DIR: dataDir,
      ...others,
    };
    return Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  }

  function start(variables: Record<string, string>): Child {
    const gateway = spawnGateway(variables);
    started.push(gateway);
    return gateway;
  }

  const baseUrl = () => `http://127.0.0.1:${ports.first}`;

  it('reports all mistakes in its settings at once', async () => {
    const gateway = start(
      settings({
        SVC_PORT: '70000',
        SVC_SIP_HOST: 'everywhere',
        SVC_RTP_PORT_MIN: '30000',
        SVC_RTP_PORT_MAX: '20000',
        SVC_BOOTSTRAP_AGENT_KEY: 'svc_short',
        SVC_PUBLIC_URL: 'ftp://gateway.example',
        SVC_LOG_LEVEL: 'chatty',
        SVC_SIP_PROT: '5070',
      }),
    );
    expect(await within('the gateway to give up', gateway.exited)).toBe(EXIT_CONFIG);
    const wrong = [
      'SVC_PORT',
      'SVC_SIP_HOST',
      'SVC_RTP_PORT_MAX',
      'SVC_BOOTSTRAP_AGENT_KEY',
      'SVC_PUBLIC_URL',
    ];
    for (const name of [...wrong, 'SVC_LOG_LEVEL', 'SVC_SIP_PROT'])
      expect(gateway.output).toContain(`  ${name}: `);
    expect(gateway.output).toContain('did you mean SVC_SIP_PORT?');
    expect(gateway.output).not.toContain('svc_short');
    expect(gateway.output).not.toContain('    at ');
  });

  it('is alone on its data directory, prints working keys on its first start only, and finds a SIP port', async () => {
    const socket = createSocket('udp4');
    // The port is taken, by this socket or by another process.
    const bound = new Promise<void>((resolve) => {
      socket.once('error', () => resolve());
      socket.bind(DEFAULT_SIP_PORT, '127.0.0.1', resolve);
    });
    await bound;
    const first = start(settings({ SVC_SIP_PORT: undefined }));
    const banner = await bannerOf(first);
    socket.close();
    const [, sipPort] =
      /SIP {4}127\.0\.0\.1:(\d+) over UDP and TCP \(port 5060 is in use\)/.exec(banner) ?? [];
    expect(Number(sipPort)).toBeGreaterThan(DEFAULT_SIP_PORT);
    expect(banner).toContain(`HTTP   ${baseUrl()}`);
    const [agentKey, settingsKey] = banner.match(GENERATED_KEY) ?? [];
    expect(banner).toContain(`curl -H 'X-API-Key: ${agentKey}' ${baseUrl()}/api/calls`);
    expect((await new GatewayApi(baseUrl(), agentKey!).get('/api/calls')).status).toBe(200);
    expect((await new GatewayApi(baseUrl(), settingsKey!).get('/api/sip/dids')).status).toBe(200);

    const other = start(settings({ SVC_PORT: '0', SVC_SIP_PORT: '0', SVC_DATA_DIR: dataDir }));
    expect(await within('the second gateway to give up', other.exited)).toBe(EXIT_UNAVAILABLE);
    expect(other.output).toContain('another gateway is running on this data directory');
    expect((await new GatewayApi(baseUrl(), null).get('/readyz')).status).toBe(200);
    expect(await first.stop()).toBe(0);

    const second = start(settings({ SVC_DATA_DIR: dataDir }));
    expect((await bannerOf(second)).match(GENERATED_KEY)).toBeNull();
    expect((await new GatewayApi(baseUrl(), agentKey!).get('/api/calls')).status).toBe(200);
  });

  it('accepts keys from its settings and never prints them, and uses its public address in URLs', async () => {
    const [agentKey, settingsKey] = [newApiKey(), newApiKey()];
    const gateway = start(
      settings({
        SVC_BOOTSTRAP_AGENT_KEY: agentKey,
        SVC_BOOTSTRAP_SETTINGS_KEY: settingsKey,
        SVC_LOG_LEVEL: 'trace',
        SVC_PUBLIC_URL: 'https://voice.example/gateway/',
      }),
    );
    await bannerOf(gateway);
    const [agent, operator] = [agentKey, settingsKey].map((key) => new GatewayApi(baseUrl(), key));
    expect((await operator!.get('/api/calls')).status).toBe(403);
    const trunk = { host: '127.0.0.1', port: 9, username: 'trunk', password: 'x', register: false };
    expect((await operator!.put('/api/sip/trunk', trunk)).status).toBe(200);
    const call = { platform: 'sip', meeting_url: 'sip:+33123456789@127.0.0.1' };
    const { body } = await agent!.post('/api/call', call);
    expect(body.audio.stream_url).toBe(`wss://voice.example/gateway/api/call/${body.call_id}/stream`);
    expect(body.text_ws_url).toBe(body.audio.stream_url);
    expect(gateway.output.match(GENERATED_KEY)).toBeNull();
  });
});

describe('stopping a gateway', () => {
  let pair: GatewayPair;

  beforeAll(async () => {
    pair = await GatewayPair.start();
  });
  afterAll(() => pair?.stop());

  it('disconnects every call, notifies its agents, and exits with 0', async () => {
    const active = await pair.connect();
    const ringing = await pair.ring();
    const agent = await Agent.connect(active.outbound.audio.stream_url, pair.caller.agentKey, 8000);
    expect(await pair.caller.stop()).toBe(0);
    expect(await agent.closed).toBe(1001);
    expect(agent.events.map(({ type, state, code }) => [type, state ?? code])).toEqual([
      ['call_state', 'active'],
      ['call_error', 'bridge_disconnected'],
      ['call_state', 'disconnected'],
    ]);
    const remote = async () => (await pair.callee.agentApi.get('/api/calls')).body.calls;
    await waitFor('BYE and CANCEL at the far end', async () => (await remote()).length === 0);
    const { body } = await pair.callee.agentApi.get(`/api/call/${ringing.inbound.call_id}`);
    expect(body.state).toBe('missed');
    expect((await pair.callee.agentApi.get(`/api/call/${active.inbound.call_id}`)).status).toBe(404);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelClient } from '../../../src/models/model-client.ts';
import type { ModelFault, ModelFaultKind } from '../../../src/models/model-fault.ts';
import type { FakeModelVendor } from '../../fakes/model-vendor/fake-model-vendor.ts';
import type { Refusal } from '../../fakes/model-vendor/vendor-fault.ts';
import { HALF_A_REPLY, quickestAbortMs } from './aborted-turn.ts';
import { faultOf, loopbackHttp, NEVER, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';
import { connect, VENDORS } from './vendors-under-test.ts';

const BEARER = 'internal-bearer-0123456789';
const TOOLS = { url: 'https://gateway.example/mcp', bearer: BEARER };
const WRONG_KEY = 'sk-proj-WrongKey0123456789abcdef';

const REFUSALS: readonly (readonly [Refusal, ModelFaultKind])[] = [
  ['bad_key', 'key_rejected'],
  ['no_access', 'no_access'],
  ['quota', 'quota'],
  ['rate_limited', 'rate_limited'],
  ['overloaded', 'overloaded'],
  ['server_error', 'overloaded'],
];

const PAGES: readonly (readonly [number, ModelFaultKind])[] = [
  [302, 'bad_endpoint'],
  [403, 'no_access'],
  [404, 'bad_endpoint'],
  [503, 'overloaded'],
];

let fake: FakeModelVendor;
let http: TestHttp;

afterEach(async () => {
  http.close();
  await fake.stop();
});

describe.each(VENDORS)('a fault of $name', (vendor) => {
  let client: ModelClient;

  beforeEach(async () => {
    fake = await vendor.newFake().start();
    http = loopbackHttp();
    client = connect(vendor, fake, { http });
  });

  const turnFault = (parts = {}): Promise<ModelFault> =>
    faultOf(client.turn(turnOf('Hello', parts), new NotedTurn()));

  it.each(REFUSALS)('%s is %s for turns, probes and lists', async (why, kind) => {
    const status = vendor.statuses[why];
    fake.fault = { kind: 'refuse', why, retryAfterS: 7 };
    const retryAfterMs = vendor.waits.includes(why) ? 7_000 : null;
    expect(await turnFault()).toMatchObject({ kind, status, retryAfterMs });
    expect(await faultOf(client.probe(NEVER))).toMatchObject({ kind, status, retryAfterMs });
    const isListed = vendor.listIsOptional !== true || why === 'bad_key';
    if (isListed) expect(await faultOf(client.browse(NEVER))).toMatchObject({ kind, status, retryAfterMs });
    fake.fault = { kind: 'refuse', why };
    expect((await faultOf(client.probe(NEVER))).retryAfterMs).toBeNull();
  });

  it.each(PAGES)('is a page with %i that is not the API: %s', async (status, kind) => {
    fake.fault = { kind: 'answer', status, body: '<h1>Nothing here</h1>' };
    expect(await turnFault()).toMatchObject({ kind, status, message: expect.stringContaining(`${status}`) });
    expect(await faultOf(client.probe(NEVER))).toMatchObject({ kind, status });
    if (!vendor.listIsOptional) expect(await faultOf(client.browse(NEVER))).toMatchObject({ kind, status });
  });

  it('is another server, which answers everything with its page', async () => {
    fake.fault = { kind: 'answer', status: 200, body: '<h1>Welcome</h1>' };
    // An endpoint of somebody's own may stream in many ways, or have no list.
    const isOpen = vendor.name === 'custom';
    expect(await faultOf(client.probe(NEVER))).toMatchObject({ kind: isOpen ? 'cut' : 'bad_endpoint' });
    if (!isOpen) expect(await faultOf(client.browse(NEVER))).toMatchObject({ kind: 'bad_endpoint' });
  });

  it('is a server that is not there', async () => {
    await fake.stop();
    expect(await turnFault()).toMatchObject({ kind: 'unreachable', isDoubtful: false });
  });

  it.each([
    [0, 'unreachable'],
    [3, 'cut'],
  ])('is a reply that is cut after %i chunks: %s', async (afterChunks, kind) => {
    const turn = afterChunks === 0 ? 'absent' : 'answered';
    fake.failNext({ kind: 'cut', afterChunks, turn }, vendor.replies);
    expect(await turnFault()).toMatchObject({ kind, isDoubtful: true });
  });

  it.each(['hang', 'drip'] as const)('cannot outlast the deadline of the turn: %s', async (kind) => {
    fake.fault = { kind };
    const signal = AbortSignal.timeout(100);
    await expect(client.turn(turnOf('Hello', { signal }), new NotedTurn())).rejects.toThrow('timeout');
  });

  it('is an answer without end', async () => {
    fake.fault = { kind: 'flood' };
    expect(await turnFault()).toMatchObject({ kind: 'cut' });
  });

  it('has no secret among its words, on one line of at most 300 characters', async () => {
    const message = `no ${fake.key}\n${vendor.takesBearer === null ? '' : BEARER} ${'x'.repeat(500)}`;
    const body = { error: { message, code: 'invalid_request' }, message };
    fake.failNext({ kind: 'answer', status: 400, body }, vendor.takesBearer ?? undefined);
    const words = (await turnFault({ tools: TOOLS })).message;
    expect(words).toHaveLength(300);
    expect(words).not.toMatch(new RegExp(`${fake.key}|${BEARER}|[\r\n]`));
    const stranger = connect(vendor, fake, { http, key: WRONG_KEY });
    const fault = await faultOf(stranger.probe(NEVER));
    expect(fault).toMatchObject({ kind: 'key_rejected' });
    expect(fault.message).not.toMatch(/WrongKey|abcdef/);
  });

  it('leaves no key in a URL', async () => {
    await client.turn(turnOf('Hello'), new NotedTurn());
    await client.browse(NEVER);
    for (const { path, query } of fake.requests) expect(`${path}?${query}`).not.toContain(fake.key);
  });

  it('is none within 20 ms of an interruption, which closes the connection', { retry: 2 }, async () => {
    fake.reply = HALF_A_REPLY;
    expect(await quickestAbortMs(client, () => fake.openRequests === 0)).toBeLessThan(20);
    expect(fake.abortedRequests).toBeGreaterThan(0);
  });
});

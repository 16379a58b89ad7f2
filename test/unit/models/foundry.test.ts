import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/time.ts';
import { foundry } from '../../../src/models/foundry/foundry.ts';
import type { ModelClient } from '../../../src/models/model-client.ts';
import { CLIENT_ID, CLIENT_SECRET, TENANT_ID } from '../../fakes/foundry/entra.ts';
import { FakeFoundry, FILTERED_PROMPT } from '../../fakes/foundry/fake-foundry.ts';
import { HALF_A_REPLY, quickestAbortMs } from './aborted-turn.ts';
import { faultOf, loopbackHttp, NEVER, NotedTurn, type TestHttp, turnOf } from './turn-parts.ts';

const TURN = /POST .*\/responses/;
const TOOLS = { url: 'https://gateway.example/mcp', bearer: 'svc_bearer_0123456789' };

let vendor: FakeFoundry;
let http: TestHttp;

beforeEach(async () => {
  vendor = await new FakeFoundry().start();
  http = loopbackHttp();
});

afterEach(async () => {
  http.close();
  await vendor.stop();
});

function connect(config: Record<string, string>, secrets: Record<string, string>): ModelClient {
  const deps = { http, clock: systemClock, urls: { foundry: vendor.url } };
  return foundry.connect({ config, secrets }, deps);
}

function ofResource(config: Record<string, string> = {}): ModelClient {
  const all = { endpoint: vendor.resourceUrl, model: 'gpt-6-luna', ...config };
  return connect(all, { api_key: vendor.key });
}

const APPLICATION = { tenant_id: TENANT_ID, client_id: CLIENT_ID };

function ofProject(config: Record<string, string>): ModelClient {
  const all = { endpoint: vendor.projectUrl, ...APPLICATION, ...config };
  return connect(all, { client_secret: CLIENT_SECRET });
}

describe('a model of a Foundry resource', () => {
  it('answers with a memory, by API key', async () => {
    const client = ofResource();
    const noted = new NotedTurn();
    const first = await client.turn(turnOf('Remember this word: aspen', { tools: TOOLS }), noted);
    const second = await client.turn(turnOf('Which word?', { memory: first.memory }), noted);
    expect(second.text).toBe('aspen');
    expect(vendor.requests.every(({ headers }) => headers['api-key'] === vendor.key)).toBe(true);
    expect(vendor.turns[0]!.tools).toHaveLength(1);
    expect(vendor.offences).toEqual([]);
  });

  it.each(['', '/', '/openai/v1', '/openai/v1/responses', '/openai/v1/responses?api-version=preview'])(
    'is found at the endpoint with %j',
    async (path) => {
      await ofResource({ endpoint: `${vendor.url}${path}` }).probe(NEVER);
      const [first] = vendor.requests;
      expect(first!.path).toBe('/openai/v1/conversations');
      expect(first!.query.toString()).toBe(path.split('?')[1] ?? '');
      expect(vendor.stored.ids).toEqual([]);
    },
  );

  it('answers an application as well', async () => {
    const config = { ...APPLICATION, endpoint: vendor.resourceUrl, model: 'my-deployment' };
    const reply = await connect(config, { client_secret: CLIENT_SECRET }).turn(turnOf('Hi'), new NotedTurn());
    expect(reply.text).toBe('You said: Hi');
  });

  it('lists what can be deployed, and says so', async () => {
    const { models, notice } = await ofResource().browse(NEVER);
    expect(models.map(({ id }) => id)).toEqual(['gpt-6-luna', 'my-deployment']);
    expect(notice).toContain('deployment');
  });

  it.each([
    [FILTERED_PROMPT, 'refused'],
    [
      { kind: 'answer', status: 404, body: { error: { code: '404', message: 'Resource not found' } } },
      'not_found',
    ],
    [
      { kind: 'answer', status: 404, body: { error: { code: 'DeploymentNotFound', message: 'No.' } } },
      'not_found',
    ],
    [
      { kind: 'answer', status: 401, body: { error: { code: 'PermissionDenied', message: 'No.' } } },
      'no_access',
    ],
    [{ kind: 'refuse', why: 'rate_limited', retryAfterS: 1 }, 'rate_limited'],
    [
      { kind: 'answer', status: 400, body: { error: { code: 'content_size_exceeded', message: '' } } },
      'too_long',
    ],
  ] as const)('reports %j as %s', async (fault, kind) => {
    vendor.failNext(fault, TURN);
    expect(await faultOf(ofResource().turn(turnOf('Hi'), new NotedTurn()))).toMatchObject({ kind });
  });

  it('is stopped by a filter in the middle of the stream', async () => {
    vendor.reply = () => [{ kind: 'text', text: 'Well' }, { kind: 'filtered' }];
    expect(await faultOf(ofResource().turn(turnOf('Hi'), new NotedTurn()))).toMatchObject({
      kind: 'refused',
    });
    vendor.reply = () => [{ kind: 'failure', code: 'content_filter', message: 'Filtered.' }];
    expect(await faultOf(ofResource().turn(turnOf('Hi'), new NotedTurn()))).toMatchObject({
      kind: 'refused',
    });
  });
});

describe.each(['support-agent', 'container-agent'])('the agent %s of a Foundry project', (agent_id) => {
  it('answers with a memory, and is told the instructions once', async () => {
    const told: string[] = [];
    vendor.reply = ({ model, instructions, history }) => {
      told.push(`${model}: ${instructions}`);
      return `${history.length} before`;
    };
    const client = ofProject({ agent_id });
    const history = [
      { role: 'user', text: 'Hello' },
      { role: 'assistant', text: 'Hello to you' },
    ] as const;
    const first = await client.turn(
      turnOf('One', { history, instructions: 'A', tools: TOOLS }),
      new NotedTurn(),
    );
    const second = await client.turn(
      turnOf('Two', { memory: first.memory, instructions: 'A' }),
      new NotedTurn(),
    );
    const third = await client.turn(
      turnOf('Three', { memory: second.memory, instructions: 'B' }),
      new NotedTurn(),
    );
    const fourth = await client.turn(
      turnOf('Four', { memory: third.memory, instructions: 'B' }),
      new NotedTurn(),
    );
    expect([first, second, third, fourth].map(({ text }) => text)).toEqual([
      '2 before',
      '4 before',
      '6 before',
      '8 before',
    ]);
    expect(told).toEqual([`${agent_id}: A`, `${agent_id}: A`, `${agent_id}: A\nB`, `${agent_id}: A\nB`]);
    expect(JSON.stringify(vendor.requests)).not.toContain(TOOLS.bearer);
    expect(vendor.offences).toEqual([]);
  });

  it('is found by the probe, which leaves nothing behind', async () => {
    await ofProject({ agent_id }).probe(NEVER);
    expect([vendor.turns.length, vendor.stored.ids]).toEqual([1, []]);
  });

  it('has its doubtful turns reconciled', async () => {
    const client = ofProject({ agent_id });
    vendor.failNext({ kind: 'cut', afterChunks: 4, turn: 'answered' }, TURN);
    const noted = new NotedTurn();
    const turn = turnOf('Hi [delivery-1]');
    expect(await faultOf(client.turn(turn, noted))).toMatchObject({ kind: 'cut', isDoubtful: true });
    const memory = noted.memories[0]!;
    expect(await client.reconcile({ ...turn, memory })).toMatchObject({ kind: 'answered' });
    vendor.stored.loseAll();
    expect(await faultOf(client.turn({ ...turn, memory }, noted))).toMatchObject({ kind: 'lost_memory' });
    await client.forget(memory, NEVER);
  });

  it('stops within 20 ms of an interruption', async () => {
    vendor.reply = HALF_A_REPLY;
    const ms = await quickestAbortMs(ofProject({ agent_id }), () => vendor.openRequests === 0);
    expect(ms).toBeLessThan(20);
  });
});

describe('an agent of a Foundry project', () => {
  it('that does not exist is told by the probe', async () => {
    const fault = await faultOf(ofProject({ agent_id: 'nobody' }).probe(NEVER));
    expect(fault).toMatchObject({ kind: 'not_found', status: 404 });
  });

  it('that waits for an approval is told', async () => {
    vendor.reply = () => [{ kind: 'approval', name: 'delete_all' }];
    const client = ofProject({ agent_id: 'support-agent' });
    const fault = await faultOf(client.turn(turnOf('Hi'), new NotedTurn()));
    expect(fault).toMatchObject({ kind: 'bad_request' });
    expect(fault.message).toContain('mcp_approval_request');
  });

  it('is listed beside the deployments', async () => {
    const { models, agents } = await ofProject({}).browse(NEVER);
    expect(models.map(({ name }) => name)).toEqual(['gpt-6-luna', 'my-deployment (gpt-6-luna)']);
    expect(agents.map(({ id, name }) => [id, name])).toEqual([
      ['support-agent', 'support-agent (prompt)'],
      ['container-agent', 'container-agent (hosted)'],
    ]);
  });

  it('is listed from many pages', async () => {
    vendor.pageSize = 1;
    for (let count = 0; count < 150; count++) vendor.agents.set(`agent-${count}`, 'prompt');
    const { models, agents } = await ofProject({}).browse(NEVER);
    expect([models.length, agents.length]).toEqual([2, 152]);
  });

  it('is asked for by version', async () => {
    await ofProject({ agent_id: 'support-agent:3' }).turn(turnOf('Hi'), new NotedTurn());
    expect(vendor.turns[0]!.agent_reference).toEqual({
      type: 'agent_reference',
      name: 'support-agent',
      version: '3',
    });
  });
});

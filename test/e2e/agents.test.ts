import { afterAll, beforeAll, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import type { AnyJson } from '../support/any-json.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { McpCaller } from '../support/mcp-caller.ts';
import { waitFor } from '../support/wait-for.ts';

const REVOKED = 1008;

let pair: GatewayPair;

beforeAll(async () => {
  pair = await GatewayPair.start();
});
afterAll(() => pair?.stop());

const settings = () => pair.caller.settingsApi;
const newAgent = async (name: string): Promise<string> =>
  (await settings().post('/api/agents', { name })).body.id;
const newKey = async (agentId: string): Promise<{ id: string; key: string }> =>
  (await settings().post(`/api/agents/${agentId}/keys`, { name: 'n' })).body;

it('closes the call WebSockets of a revoked key at once; the call continues', async () => {
  const [home] = (await settings().get('/api/agents')).body.agents;
  const { id, key } = await newKey(home.id);
  const { outbound } = await pair.connect();
  const url = outbound.audio.stream_url;
  const revoked = await Agent.join(url, key, { sampleRateHz: 8000 });
  const other = await Agent.join(url, pair.caller.agentKey, { sampleRateHz: 8000 });

  expect((await settings().delete(`/api/api-keys/${id}`)).status).toBe(200);
  expect(await revoked.closed).toBe(REVOKED);
  expect((await pair.caller.api(key).get('/api/calls')).status).toBe(401);
  await expect(Agent.connect(url, key, 8000)).rejects.toThrow('401');

  await other.hear(5);
  expect((await pair.caller.agentApi.get(`/api/call/${outbound.call_id}`)).body.state).toBe('active');
  await other.close();
});

it('shows a key only the calls of its own agents', async () => {
  const [home] = (await settings().get('/api/agents')).body.agents;
  const sibling = await newAgent('Sibling');
  const { id, key } = await newKey(sibling);
  const api = pair.caller.api(key);
  const { outbound } = await pair.connect();
  const path = `/api/call/${outbound.call_id}`;
  const url = outbound.audio.stream_url;
  expect((await api.get('/api/calls')).body).toEqual({ calls: [] });
  expect((await api.get(path)).status).toBe(404);
  expect((await api.delete(path)).status).toBe(404);
  await expect(Agent.connect(url, key, 8000)).rejects.toThrow('404');

  const membership = `/api/agents/${home.id}/keys/${id}`;
  expect((await settings().post(membership)).status).toBe(200);
  expect((await api.get(path)).body.state).toBe('active');
  const agent = await Agent.join(url, key, { sampleRateHz: 8000 });
  expect((await settings().delete(membership)).status).toBe(200);
  expect(await agent.closed).toBe(REVOKED);
  expect((await api.get(path)).status).toBe(404);
});

it('gives calls to a number to its agent, and ends them when the agent is deleted', async () => {
  const { settingsApi, agentApi } = pair.callee;
  const { id: agentId } = (await settingsApi.post('/api/agents', { name: 'Desk' })).body;
  const { id: keyId, key } = (await settingsApi.post(`/api/agents/${agentId}/keys`)).body;
  const [home] = (await settingsApi.get('/api/agents')).body.agents;
  const number = await pair.listNumber(false);
  const { dids } = (await settingsApi.get('/api/sip/dids')).body;
  const did = dids.find((one: { number: string }) => one.number === number).did_id;
  const member = { account_type: 'sip_number', account_id: did };
  expect((await settingsApi.post(`/api/agents/${agentId}/accounts`, member)).status).toBe(200);
  expect((await settingsApi.delete(`/api/agents/${home.id}/accounts/sip_number/${did}`)).status).toBe(200);

  await pair.caller.placeCall(pair.uriOf(number));
  const desk = pair.callee.api(key);
  const calls = async () => (await desk.get('/api/calls')).body.calls;
  await waitFor('the call to ring at the desk', async () => (await calls()).length === 1);
  const [call] = await calls();
  expect((await agentApi.get(`/api/call/${call.call_id}`)).status).toBe(404);
  expect((await desk.post(`/api/call/${call.call_id}/accept`)).status).toBe(200);
  const agent = await Agent.join(call.audio.stream_url, key, { sampleRateHz: 8000 });

  expect((await settingsApi.delete(`/api/agents/${agentId}`)).status, 'the last one of both').toBe(400);
  expect((await settingsApi.post(`/api/agents/${home.id}/accounts`, member)).status).toBe(200);
  expect((await settingsApi.post(`/api/agents/${home.id}/keys/${keyId}`)).status).toBe(200);
  expect((await settingsApi.delete(`/api/agents/${agentId}`)).status).toBe(200);
  await agent.waitFor('call_state', { state: 'ended' });
  expect(await agent.closed).toBe(1000);
  expect((await calls()).map((one: { call_id: string }) => one.call_id)).not.toContain(call.call_id);
  // A request for a call waits until its record is written.
  expect((await agentApi.get(`/api/call/${call.call_id}`)).status).toBe(404);
  expect(pair.callee.output).not.toContain('a write to the database failed');
});

it('the internal bearer reads what its agent may by MCP, and nothing else', async () => {
  const [home] = (await settings().get('/api/agents')).body.agents;
  const { bearer } = (await settings().get(`/api/agents/${home.id}/internal-bearer`)).body;
  pair.caller.secrets.add(bearer);
  const { outbound } = await pair.connect();
  const api = pair.caller.api(bearer);
  const path = `/api/call/${outbound.call_id}`;
  for (const answer of [
    await api.get(path),
    await api.get('/api/inbox'),
    await api.get('/api/account'),
    await api.delete(path),
    await api.post(`${path}/say`, { text: 'x' }),
    await api.post('/api/dm/chat', { platform: 'telegram', text: 'x' }),
    await api.get('/api/agents'),
  ])
    expect(answer.status).toBe(403);
  await expect(Agent.connect(outbound.audio.stream_url, bearer, 8000)).rejects.toThrow('403');

  const mcp = new McpCaller(`${pair.caller.baseUrl}/mcp/`, { authorization: `Bearer ${bearer}` });
  const { tools } = (await mcp.ask('tools/list')).result;
  const hints = tools.map(({ annotations }: AnyJson) => annotations.readOnlyHint);
  expect(new Set(hints)).toEqual(new Set([true]));
  const status = (client: McpCaller) => client.call('svc_call_status', { call_id: outbound.call_id });
  expect((await mcp.call('svc_inbox')).result.isError).not.toBe(true);
  expect((await status(mcp)).result.structuredContent.state).toBe('active');
  const sibling = await newAgent('Model of another');
  const other = (await settings().get(`/api/agents/${sibling}/internal-bearer`)).body.bearer;
  pair.caller.secrets.add(other);
  const stranger = new McpCaller(`${pair.caller.baseUrl}/mcp/`, { authorization: `Bearer ${other}` });
  expect((await status(stranger)).result).toMatchObject({ isError: true });
});

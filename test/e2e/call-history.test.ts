import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endedCall } from '../support/ended-call.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { waitFor } from '../support/wait-for.ts';

describe('the history of calls', () => {
  let pair: GatewayPair;

  beforeAll(async () => {
    pair = await GatewayPair.start();
  });
  afterAll(() => pair?.stop());

  it('has a call once it is over, with how it ended, and GET /api/call still has not', async () => {
    const { agentApi } = pair.caller;
    const call = await pair.connect();
    const id = call.outbound.call_id;
    expect((await agentApi.get(`/api/calls/history/${id}`)).status).toBe(404);
    expect((await agentApi.get('/api/calls?state=ended')).body).toEqual({ calls: [], next_cursor: null });

    await pair.hangUp(call);
    await endedCall(pair.caller, id);
    expect((await agentApi.get(`/api/call/${id}`)).status).toBe(404);
    const past = {
      ...call.outbound,
      state: 'ended',
      direction: 'outbound',
      caller: '',
      created_at: expect.any(String),
      answered_at: expect.any(String),
      ended_at: expect.any(String),
      termination: { result: 'completed', reason: expect.any(String) },
    };
    const { body } = await agentApi.get(`/api/calls/history/${id}`);
    expect(body).toEqual({ ...past, transcript: [], turns: [], next_line: null });
    expect((await agentApi.get('/api/calls?state=ended')).body).toEqual({ calls: [past], next_cursor: null });
    expect((await agentApi.get('/api/calls')).body).toEqual({ calls: [] });
  });

  it('tells the status with which a call was refused', async () => {
    const { agentApi } = pair.caller;
    const { outbound, inbound } = await pair.ring();
    await pair.callee.agentApi.post(`/api/call/${inbound.call_id}/refuse`);
    await waitFor('the refusal', async () => {
      return (await agentApi.get(`/api/calls/history/${outbound.call_id}`)).status === 200;
    });
    const { body } = await agentApi.get('/api/calls?state=ended&result=refused&limit=1');
    expect(body.calls).toMatchObject([
      {
        call_id: outbound.call_id,
        answered_at: null,
        termination: { reason: expect.stringMatching(/^(486|603)/) },
      },
    ]);
  });

  it('is closed to other accounts, and refuses what is no cursor', async () => {
    const { body } = await pair.caller.agentApi.get('/api/calls?state=ended&limit=1');
    const id = body.calls[0].call_id;
    expect((await pair.callee.agentApi.get(`/api/calls/history/${id}`)).status).toBe(404);
    expect((await pair.caller.agentApi.get('/api/calls?state=ended&cursor=yesterday')).status).toBe(422);
    const next = encodeURIComponent(body.next_cursor);
    expect((await pair.caller.agentApi.get(`/api/calls?state=ended&cursor=${next}`)).body.calls).toHaveLength(
      1,
    );
  });
});

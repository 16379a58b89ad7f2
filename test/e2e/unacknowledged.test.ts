import { expect, onTestFinished, test } from 'vitest';
import { Gateway } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';
import { ScriptedPeer, sdp } from '../unit/connectors/sip/signaling/scripted-peer.ts';

const NUMBER = '+33123456789';

test('Accepting a call that the caller never acknowledges fails with the reason', async () => {
  const peer = await ScriptedPeer.start();
  onTestFinished(() => peer.stop());
  const gateway = await Gateway.start();
  onTestFinished(async () => {
    await gateway.stop();
  });
  peer.facing(gateway.sipPort);
  await gateway.putTrunk({ host: '127.0.0.1', port: peer.port });
  await gateway.settingsApi.post('/api/sip/dids', { number: NUMBER });
  const uri = `sip:${NUMBER}@127.0.0.1:${gateway.sipPort}`;
  let cseq = 1;
  await waitFor('the trunk', () => {
    peer.send('OPTIONS', uri, { callId: 'probe', cseq: ++cseq });
    return peer.statuses('OPTIONS').includes(200);
  });
  peer.send('INVITE', uri, { callId: 'unacknowledged', cseq: 1, body: sdp() });
  const [call] = await waitFor('the call', async () => {
    const { calls } = (await gateway.agentApi.get('/api/calls')).body;
    return calls.length > 0 && calls;
  });
  const path = `/api/call/${call.call_id}`;
  // The API of other tests gives up sooner.
  const accepted = await fetch(`${gateway.baseUrl}${path}/accept`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.agentKey },
  });
  expect([accepted.status, await accepted.json()]).toEqual([
    502,
    {
      detail: 'The call could not be accepted: the caller did not acknowledge the answer within 32 s',
      code: 'platform_failed',
    },
  ]);
  expect((await gateway.agentApi.get(path)).body.state).toBe('disconnected');
  expect((await gateway.agentApi.get('/api/calls')).body.calls).toEqual([]);
  peer.answer(await peer.request('BYE'), 200);
});

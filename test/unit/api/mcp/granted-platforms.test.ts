import { expect, test } from 'vitest';
import type { Principal } from '../../../../src/api/auth/principal.ts';
import { TranscriptResource } from '../../../../src/api/mcp/transcript-resource.ts';
import { lineOf } from '../../../support/speech/recognized-line.ts';
import { ToolWorld } from './tool-world.ts';

/** An agent with a call and a message, and a client that was granted one platform. */
async function granted(platform: 'telegram' | 'sip') {
  const world = await ToolWorld.open();
  await world.outbound.heard(await world.outbound.conversation());
  const call_id = world.ring();
  const client: Principal = { ...world.agent, kind: 'oauth', platforms: new Set([platform]) };
  return { world, call_id, as: client };
}

test('a client that was granted telegram neither sees nor controls a call', async () => {
  const { world, call_id, as } = await granted('telegram');
  expect(await world.ask('svc_call_list', {}, { as })).toEqual({ calls: [] });
  for (const name of ['status', 'accept', 'refuse', 'leave', 'stop_speaking', 'typing'])
    expect(await world.fault(`svc_call_${name}`, { call_id }, { as })).toBe('404 Call not found');
  const phone = { platform: 'sip', meeting_url: 'sip:+331@127.0.0.1' };
  expect(await world.fault('svc_call_join', phone, { as })).toMatch(/^403 /);
  expect((await world.ask('svc_call_list')).calls).toMatchObject([{ call_id, state: 'ringing' }]);
  expect((await world.ask('svc_inbox', {}, { as })).conversations).toHaveLength(1);
});

test('a client that was granted telegram gets no transcript of a call', async () => {
  const { world, call_id, as } = await granted('telegram');
  const resource = new TranscriptResource(world.calls.domain);
  const heard: string[] = [];
  resource.watch(as, (uri) => heard.push(uri));
  resource.watchList(as, () => heard.push('list'));
  world.calls.domain.registry.find(call_id)!.transcribed(lineOf('+331', 'Hello'));
  await world.ask('svc_call_leave', { call_id });
  expect([resource.list(as), heard]).toEqual([[], []]);
  await expect(resource.read(as, `svc://calls/${call_id}/transcript`)).rejects.toMatchObject({
    code: 'call_not_found',
  });
});

test('a client that was granted calls cannot read or write messages', async () => {
  const { world, as } = await granted('sip');
  expect((await world.ask('svc_inbox', {}, { as })).conversations).toEqual([]);
  expect(await world.fault('svc_dm_chat', { platform: 'telegram', text: 'Hi' }, { as })).toMatch(/^40[34] /);
  expect(world.outbound.messenger.asked).toEqual([]);
});

test('an account shows each client its own grants, whoever asked before', async () => {
  const { world, as } = await granted('sip');
  const statuses = async (who: Principal) => {
    const { platforms } = await world.ask('svc_account', {}, { as: who });
    return [platforms.telegram.status, platforms.sip.status];
  };
  const all = ['This gateway has no connector for telegram', 'not_configured'];
  expect(await statuses(world.agent)).toEqual(all);
  expect(await statuses(as)).toEqual(['not_granted', 'not_configured']);
  expect(await statuses(world.agent)).toEqual(all);
});

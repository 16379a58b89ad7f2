import { expect, it } from 'vitest';
import { PLATFORM_TRAITS } from '../../../src/base/platform.ts';
import { type ActionContext, scopeOfAgent } from '../../../src/inline/actions/action-context.ts';
import { requireCallable } from '../../../src/inline/actions/policy.ts';
import type { InlineDomain } from '../../../src/inline/inline-domain.ts';
import { InlineWorld } from './inline-world.ts';
import { SpokenCall } from './spoken-call.ts';

const REFUSED = 'The policy of the agent does not have this number or address';

function contextOf(world: InlineWorld, place: ActionContext['place'], knowsNumbers = false): ActionContext {
  const { accountId, agentId } = world.messaging;
  const telegram = { ...PLATFORM_TRAITS.telegram, ...(knowsNumbers && { knowsNumbers }) };
  const domain = { ...world.deps, traits: { ...PLATFORM_TRAITS, telegram } } as unknown as InlineDomain;
  return { domain, scope: scopeOfAgent(accountId, agentId), place, turnId: 'dlv_1' };
}

it('a model may call back whoever calls, and nobody else', async () => {
  const spoken = new SpokenCall();
  const world = await InlineWorld.start(spoken.domain);
  world.model.otherwise = (turn) => world.model.says('Hm.', turn);
  await spoken.ring(world.messaging);
  const context = contextOf(world, { kind: 'call', callId: spoken.callId, isInvite: true });
  expect(await requireCallable(context, 'tel:+33 1 23 45 67 89')).toBe('+33123456789');
  await expect(requireCallable(context, '+33123456780')).rejects.toThrow(REFUSED);
  // The call may be over by then.
  const gone = contextOf(world, { kind: 'call', callId: 'call_gone', isInvite: false });
  await expect(requireCallable(gone, '+33123456789')).rejects.toThrow(REFUSED);
});

it('nobody is called by the name that a caller or a writer has chosen', async () => {
  const world = await InlineWorld.start();
  const call = {
    platform: 'nctalk',
    direction: 'inbound',
    caller: '+19005550123',
    meetingUrl: 'https://cloud.example/call/abc',
  };
  const registry = { find: () => ({ snapshot: () => call }) };
  const context = contextOf(world, { kind: 'call', callId: 'call_1', isInvite: true });
  const named = { ...context, domain: { ...context.domain, calls: { registry } } as unknown as InlineDomain };
  await expect(requireCallable(named, call.caller)).rejects.toThrow(REFUSED);
  expect(await requireCallable(named, call.meetingUrl)).toBe(call.meetingUrl);
  await world.says('+19005550123', 'Hi');
  await world.idle();
  const { conversation_id } = (await world.deliveries())[0]!.payload;
  const place = { kind: 'conversation', platform: 'telegram', conversationId: `${conversation_id}` } as const;
  await expect(requireCallable(contextOf(world, place), call.caller)).rejects.toThrow(REFUSED);
});

it('a model may call who writes where people are known by their numbers', async () => {
  const world = await InlineWorld.start();
  await world.says('33123456789', 'Hi');
  await world.idle();
  const { conversation_id } = (await world.deliveries())[0]!.payload;
  const place = {
    kind: 'conversation',
    platform: 'telegram',
    conversationId: conversation_id as string,
  } as const;
  expect(await requireCallable(contextOf(world, place, true), '+33123456789')).toBe('+33123456789');
  await expect(requireCallable(contextOf(world, place, true), '+33123456780')).rejects.toThrow(REFUSED);
  // Elsewhere, the same digits are no number.
  await expect(requireCallable(contextOf(world, place), '+33123456789')).rejects.toThrow(REFUSED);
});

it('a model calls whom the policy of the agent has', async () => {
  const world = await InlineWorld.start();
  await world.setPolicy({ callsTo: ['+3312*', 'zoom.us'] });
  const context = contextOf(world, { kind: 'test' });
  expect(await requireCallable(context, 'sip:+33123456789@evil.example')).toBe('+33123456789');
  expect(await requireCallable(context, 'https://zoom.us/j/8')).toBe('https://zoom.us/j/8');
  await expect(requireCallable(context, 'https://evil.example/j/8')).rejects.toThrow(REFUSED);
  expect(world.refused).toEqual(['call_join']);
});

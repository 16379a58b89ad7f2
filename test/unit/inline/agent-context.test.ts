import { expect, test } from 'vitest';
import { PLATFORM_TRAITS, type PlatformTable } from '../../../src/base/platform.ts';
import type { CallActor } from '../../../src/calls/call-actor.ts';
import type { CallDomain } from '../../../src/calls/call-domain.ts';
import { CallRegistry } from '../../../src/calls/call-registry.ts';
import type { InlineDomain } from '../../../src/inline/inline-domain.ts';
import { agentContext } from '../../../src/inline/turn/agent-context.ts';
import type { TurnPlace } from '../../../src/inline/turn/open-turn.ts';
import { messagingWorld, write } from '../messaging/messaging-world.ts';

const CALL_ID = 'call_1';
const DAY_MS = 86_400_000;

/** An agent whose bot on Telegram was written to, and which is on a call. */
async function agent(parts: Partial<PlatformTable['telegram']> = {}) {
  const world = await messagingWorld();
  await write(world, '42', { text: 'hello' });
  const { store, clock, scope, accountId, agentId, received } = world;
  const traits: PlatformTable = { ...PLATFORM_TRAITS, telegram: { ...PLATFORM_TRAITS.telegram, ...parts } };
  const call = { callId: CALL_ID, accountId, agentId, platform: 'sip', state: 'active' };
  const snapshot = () => ({ ...call, capabilities: ['audio_in', 'audio_out'] });
  const registry = new CallRegistry();
  registry.add({ identity: call, snapshot } as unknown as CallActor);
  const calls = { registry } as unknown as CallDomain;
  const voices = { find: () => ({ isHosted: true }) };
  const outbound = { messengers: new Map([['telegram', { maxText: 4_096 }]]) };
  const domain = { store, clock, calls, traits, voices, outbound } as unknown as InlineDomain;
  const { conversationId } = received[0]!;
  const here: TurnPlace = { kind: 'conversation', platform: 'telegram', conversationId };
  const facts = (place: TurnPlace) => agentContext({ domain, scope, place, turnId: 'dlv_1' });
  return { ...world, conversationId, facts, here };
}

test('the model is told of its accounts and its calls', async () => {
  const { facts, botId, clock } = await agent();
  expect(await facts({ kind: 'test' })).toEqual({
    delivery: 'dlv_1',
    agent: expect.any(String),
    now: clock.nowIso(),
    accounts: [{ account_id: botId, platform: 'telegram' }],
    active_calls: [{ call_id: CALL_ID, platform: 'sip', state: 'active' }],
  });
});

test.each([true, false])(
  'the model is told whether this gateway has files on the platform: %s',
  async (files) => {
    const { facts, here, conversationId } = await agent({ files });
    expect((await facts(here)).here).toEqual({
      conversation_id: conversationId,
      platform: 'telegram',
      files,
      max_characters: 4_096,
    });
  },
);

test('the model is told whether its messages must wait', async () => {
  const { facts, here, clock } = await agent({ windowMs: DAY_MS });
  expect((await facts(here)).here).toMatchObject({ window_open: true });
  clock.advance(2 * DAY_MS);
  expect((await facts(here)).here).toMatchObject({ window_open: false });
});

test('the model is told what its call can do', async () => {
  const { facts } = await agent();
  expect((await facts({ kind: 'call', callId: CALL_ID, isInvite: false })).here).toEqual({
    call_id: CALL_ID,
    platform: 'sip',
    capabilities: ['audio_in', 'audio_out'],
    text_is: 'spoken',
  });
});

import { expect, test } from 'vitest';
import { removeBot } from '../../../../src/accounts/logins/bot-tokens.ts';
import { PLATFORM_TRAITS } from '../../../../src/base/platform.ts';
import { budgetsOf } from '../../../support/budgets.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { MeetingWorld } from '../../calls/meeting-world.ts';
import { FakeDirectory } from '../fake-directory.ts';
import { connectionsOf } from '../test-connections.ts';

test('deleting a bot ends its calls with a reason, those of another account’s bot go on', async () => {
  const world = await MeetingWorld.open();
  await world.bot('a', 'bot_a');
  await world.bot('b', 'bot_b');
  const call = await world.place();
  const { leg } = world.meetings;
  leg.observer.answered();
  const foreign = await world.place({}, world.scope('b'));
  const { store, clock, domain: calls } = world;
  const domain = {
    store,
    directory: new FakeDirectory(),
    clock,
    traits: PLATFORM_TRAITS,
    calls,
    connections: connectionsOf(store),
    budgets: await budgetsOf(store, clock),
  };
  const actor = (name: string) =>
    ({ accountId: `acc_${name}`, kind: 'settings', credentialId: 'key_1' }) as const;
  await expect(removeBot(domain, actor('b'), 'bot_a')).rejects.toMatchObject({ code: 'bot_token_not_found' });
  expect(call.isOver).toBe(false);
  await removeBot(domain, actor('a'), 'bot_a');
  expect(call.snapshot()).toMatchObject({
    state: 'ended',
    termination: { result: 'completed', reason: 'the bot was deleted' },
  });
  expect([leg.hungUp, foreign.isOver]).toEqual([1, false]);
  const row = await waitFor('its record', async () => {
    const found = await calls.recorder.find(call.identity.callId);
    return found?.endedAt && found;
  });
  expect(row.terminationReason).toBe('the bot was deleted');
});

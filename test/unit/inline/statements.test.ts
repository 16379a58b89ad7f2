import { expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { InlineWorld } from './inline-world.ts';
import { SpokenCall } from './spoken-call.ts';

/** A caller waits meanwhile. */
const MAX_BEFORE_REQUEST = 11;
/** With one sentence, and what was used of the budgets. */
const MAX_WHOLE_TURN = 21;

it('takes few statements for a turn on a call', async () => {
  const call = new SpokenCall();
  const world = await InlineWorld.start(call.domain);
  call.begin(world.messaging);
  const turn = async (line: string, nth: number): Promise<void> => {
    await call.hears(world.messaging, line);
    await waitFor('the sentence', () => call.said.length === nth);
    await world.idle();
  };
  world.model.will('Good morning, this is the bakery.');
  await turn('Hello?', 1);
  const start = world.counted.count();
  let requested = 0;
  world.model.will((asked, observer) => {
    requested = world.counted.count();
    observer.text('Yes, we have bread and cake.');
    return world.model.says('Yes, we have bread and cake.', asked);
  });
  await turn('Do you have bread?', 2);
  expect(requested - start).toBeGreaterThan(0);
  expect(requested - start).toBeLessThanOrEqual(MAX_BEFORE_REQUEST);
  expect(world.counted.count() - start).toBeLessThanOrEqual(MAX_WHOLE_TURN);
});

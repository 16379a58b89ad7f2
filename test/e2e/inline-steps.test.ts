import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FakePerson } from '../fakes/telegram/fake-person.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { InlineGateway } from '../support/inline-gateway.ts';
import { waitFor } from '../support/wait-for.ts';
import { stepsOf, type WriteStep, WriteSteps } from '../support/write-steps.ts';

/** Every so manieth step is tried. All of them: `INLINE_STEPS=1`. */
const SHARE = Number(process.env.INLINE_STEPS ?? 17);
/** How many writes a message takes depends on what the gateway does besides. */
const LEAST_REACHED = 0.9;

let world: InlineGateway;
let steps: WriteSteps;
let person: FakePerson;

beforeEach(async () => {
  steps = new WriteSteps();
  world = await InlineGateway.start({ ...steps.env, SVC_DM_TIMEOUT_TEXT: 'off' });
  person = world.bot.person({ id: 1_000, first_name: 'Jane' });
  world.openai.reply = ({ text }) => {
    const token = text.match(/\bmark-\d+\b/g)?.at(-1);
    return `<write>one ${token}</write><write>two ${token}</write>`;
  };
});
afterEach(async () => {
  await world?.stop();
  steps?.remove();
});

interface ActionRow {
  readonly text: string;
  readonly status: string;
  readonly message: string | null;
}

function actionsAbout(token: string): ActionRow[] {
  return readGatewayRows<ActionRow>(
    world.gateway.dataFolder,
    `select detail ->> '$.text' as text, delivery_actions.status, messages.status as message
      from delivery_actions left join messages on messages.id = message_id
      where detail ->> '$.text' like ? order by position`,
    `%${token}`,
  );
}

/** Says something, and resolves with the number of writes that it takes. */
async function countWrites(n: number): Promise<number> {
  steps.arm();
  person.says(`mark-${n}`);
  await world.settled(n + 1);
  expect(expectOnce(`mark-${n}`)).toBe(0);
  return steps.disarm().length;
}

/** Resolves with whether the gateway came as far as to the step. */
async function died(): Promise<boolean> {
  return await waitFor('the gateway to die', () => !world.gateway.running, 8_000).catch(() => false);
}

/** Every write is noted once, and a text arrives once, or it is unknown whether it has. */
function expectOnce(token: string): number {
  const actions = actionsAbout(token);
  expect(actions.map(({ text }) => text)).toEqual([`one ${token}`, `two ${token}`]);
  for (const { text, status, message } of actions) {
    const arrived = person.received.filter((one) => one.text === text).length;
    if (status === 'done') expect([text, arrived]).toEqual([text, 1]);
    else expect([status, message, arrived > 1]).toEqual(['unknown', 'unknown', false]);
  }
  return actions.filter(({ status }) => status === 'unknown').length;
}

it('carries out a direct message once, at whichever of its writes the gateway dies', async () => {
  // The first message makes the conversation as well.
  await countWrites(0);
  const writes = await countWrites(1);
  const planned = stepsOf(writes, SHARE);
  let unknown = 0;
  let reached = 0;
  const log: string[] = [];
  const kill = async (step: WriteStep, n: number): Promise<void> => {
    const token = `mark-${n}`;
    steps.arm(step);
    person.says(token);
    if (await died()) reached += 1;
    else await world.gateway.killHard();
    log.push(`${step.when} ${step.nth}: ${steps.disarm().at(-1)}`);
    await world.gateway.restart();
    const deliveries = await world.settled(n + 1);
    expect(deliveries.length).toBe(n + 1);
    expect(deliveries.at(-1)?.status).toBe('delivered');
    unknown += expectOnce(token);
  };
  for (const [i, step] of planned.entries()) await kill(step, i + 2);
  expect(reached).toBeGreaterThanOrEqual(planned.length * LEAST_REACHED);
  console.log(
    `${log.join('\n')}\n${reached} of ${planned.length} steps of ${writes} writes reached: ${unknown} actions unknown`,
  );
}, 3_600_000);

import { afterEach, beforeEach, expect, it } from 'vitest';
import { DeepgramTtsSocket } from '../fakes/deepgram/tts-socket.ts';
import { VOCABULARY } from '../fakes/tone-speech.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { InlineCalls } from '../support/inline-calls.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { waitFor } from '../support/wait-for.ts';
import { stepsOf, type WriteStep, WriteSteps } from '../support/write-steps.ts';

/** Every so manieth step is tried. All of them: `INLINE_STEPS=1`. */
const SHARE = Number(process.env.INLINE_STEPS ?? 33);

const retry = retryAudio();

let calls: InlineCalls;
let steps: WriteSteps;
let sentences: readonly [string, string];

beforeEach(async () => {
  steps = new WriteSteps();
  calls = await InlineCalls.start({}, steps.env);
  calls.openai.reply = ({ text }) => {
    if (text.includes('Accept or refuse it.')) return '<accept/>';
    return sentences.join(' ');
  };
});
afterEach(async () => {
  await calls?.stop();
  steps?.remove();
});

/** Two sentences that no other call has. */
function sentencesOf(n: number): [string, string] {
  const word = (i: number): string => VOCABULARY[i % VOCABULARY.length]!;
  const [outer, inner] = [word(Math.floor(n / VOCABULARY.length)), word(n)];
  return [`Bravo ${outer} ${inner} kilo lima.`, `Mike ${outer} ${inner} oscar papa.`];
}

/** What text-to-speech was asked for, of these sentences. */
function asked(): string[] {
  const { texts } = calls.speech.part(DeepgramTtsSocket);
  return texts.filter((text) => sentences.includes(text.trim())).map((text) => text.trim());
}

interface ActionRow {
  readonly text: string;
  readonly status: string;
}

function rows<Row>(sql: string): Row[] {
  return readGatewayRows<Row>(calls.gateway.dataFolder, sql);
}

const UNDER_WAY = `select id from deliveries where status in ('queued', 'sent', 'answered')`;
const SAID = `select detail ->> '$.text' as text, status from delivery_actions where kind = 'say'`;

/** A person calls, and speaks once the call is answered. Resolves with the end of the call. */
async function speak(n: number, arm: () => void): Promise<() => Promise<unknown>> {
  sentences = sentencesOf(n);
  const { person, outboundId } = await calls.connect();
  arm();
  person.says('alpha');
  return () => calls.pair.caller.agentApi.delete(`/api/call/${outboundId}`);
}

async function countWrites(): Promise<number> {
  const hangUp = await speak(0, () => steps.arm());
  await waitFor('the sentences', () => asked().length === 2);
  await waitFor('the turn to end', () => rows(UNDER_WAY).length === 0);
  const writes = steps.disarm().length;
  await hangUp();
  return writes;
}

/** Resolves with whether the gateway came as far. */
async function kill(step: WriteStep, n: number): Promise<boolean> {
  const hangUp = await speak(n, () => steps.arm(step));
  const isDead = await waitFor('the gateway to die', () => !calls.gateway.running, 8_000).catch(() => false);
  steps.disarm();
  if (!isDead) await calls.gateway.killHard();
  const before = asked();
  await calls.gateway.restart();
  await waitFor('the turns to end', () => rows(UNDER_WAY).length === 0);
  expect(asked()).toEqual(before);
  await hangUp();
  return isDead;
}

it('speaks each sentence once, and notes it before, at whichever of its writes the gateway dies', {
  retry,
  timeout: 3_600_000,
}, async () => {
  const writes = await countWrites();
  const planned = stepsOf(writes, SHARE);
  let reached = 0;
  for (const [i, step] of planned.entries()) {
    if (await kill(step, i + 1)) reached += 1;
    const spoken = asked();
    expect(spoken).toEqual([...new Set(spoken)]);
    const noted = rows<ActionRow>(SAID).map(({ text }) => text);
    expect(spoken.filter((text) => !noted.includes(text))).toEqual([]);
  }
  const said = rows<ActionRow>(SAID);
  expect(said.filter(({ status }) => status === 'claimed' || status === 'planned')).toEqual([]);
  expect(reached).toBeGreaterThan(planned.length / 2);
  const unknown = said.filter(({ status }) => status === 'unknown').length;
  console.log(
    `${reached} of ${planned.length} steps of ${writes} writes reached: ${said.length} sentences noted, ${unknown} unknown`,
  );
});

import { expect, it, onTestFinished } from 'vitest';
import type { ModelClient } from '../../../src/models/model-client.ts';
import type { FakeModelVendor } from '../../fakes/model-vendor/fake-model-vendor.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  DIALECTS,
  type Dialect,
  type Outcome,
  RECORDED,
  recording,
  SECOND,
} from '../models/recorded-streams.ts';
import { loopbackHttp } from '../models/turn-parts.ts';
import { connect, VENDORS } from '../models/vendors-under-test.ts';
import { InlineWorld } from './inline-world.ts';

/** Splits events, lines and characters. */
const PIECE_BYTES = 7;

interface Reached {
  readonly fake: FakeModelVendor;
  readonly client: ModelClient;
  /** The requests whose answers are the replies. */
  readonly replies: RegExp;
}

async function reach(dialect: Dialect): Promise<Reached> {
  const vendor = VENDORS[DIALECTS.indexOf(dialect)]!;
  const fake = await vendor.newFake().start();
  fake.reply = () => SECOND;
  const http = loopbackHttp();
  onTestFinished(async () => {
    http.close();
    await fake.stop();
  });
  return { fake, client: connect(vendor, fake, { http }), replies: vendor.replies };
}

/** A person writes, and the model answers with the recorded stream. Returns what becomes of that. */
async function outcomeOf(
  world: InlineWorld,
  { fake, replies }: Reached,
  { file, source, fault, asked = 1, isConstant }: Outcome,
) {
  const recorded = recording(file, PIECE_BYTES);
  for (let i = 0; i < (isConstant ? asked : 1); i++) fake.failNext(recorded, replies);
  await world.says('A', 'Hi');
  await waitFor('the delivery to end', () => {
    world.messaging.clock.advance(Math.min(world.messaging.clock.restMs, 1_000));
    return world.runner.lanes === 0;
  });
  const turns = fake.requests.filter(({ method, path }) => replies.test(`${method} ${path}`));
  const { status, errorType, error } = (await world.deliveries()).at(-1)!;
  const words = fault?.[1] ?? '';
  return {
    stream: `${file} (${source})`,
    texts: [...world.messenger.texts],
    asked: turns.length,
    delivery: [status, errorType, error?.includes(words) === true ? words : error],
  };
}

it.each(RECORDED)(
  'the recorded stream $file of $dialect ends as a text or as a fault with its reason',
  async (outcome) => {
    const { dialect, file, source, text, fault, asked = 1 } = outcome;
    const world = await InlineWorld.start();
    const reached = await reach(dialect);
    world.model.otherwise = (turn, observer) => reached.client.turn(turn, observer);
    expect(await outcomeOf(world, reached, outcome)).toEqual({
      stream: `${file} (${source})`,
      texts: text === null ? [] : [text],
      asked,
      delivery: fault ? ['failed', ...fault] : ['delivered', null, null],
    });
    expect(world.failures).toEqual([]);
  },
);

import type { Settled } from '../../../../src/messaging/outbox/outbox.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { Outbound } from '../outbound-harness.ts';

export const WITHIN_MS = 25_000;
export const LATER = { kind: 'later', reason: 'Too Many Requests', afterMs: 3_000 } as const;

/** An outbox over a real database, with a conversation and a messenger with set answers. */
export async function outbox(options: Parameters<typeof Outbound.open>[0] = {}) {
  const outbound = await Outbound.open(options);
  await outbound.bot();
  const conversation = await outbound.conversation();
  const send = async (text: string) =>
    outbound.domain.outbox.deliver(await outbound.outgoing(conversation, text), WITHIN_MS);
  /** Sends one message and lets time pass until it is settled. */
  const settle = async (text: string, stepMs = 1_000): Promise<Settled> => {
    let settled: Settled | null = null;
    let failure: unknown = null;
    send(text).then(
      (known) => {
        settled = known;
      },
      (error) => {
        failure = error;
      },
    );
    return await waitFor('it to be settled', async () => {
      if (failure !== null) throw failure;
      await outbound.store.db.selectFrom('facts').select('name').execute();
      if (settled === null) outbound.clock.advance(stepMs);
      return settled as Settled | null;
    });
  };
  const last = async () => (await outbound.messages()).at(-1)!;
  return { outbound, conversation, send, settle, last, messenger: outbound.messenger };
}

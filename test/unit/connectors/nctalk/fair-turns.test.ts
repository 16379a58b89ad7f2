import { expect, it } from 'vitest';
import { FairTurns } from '../../../../src/connectors/nctalk/messages/fair-turns.ts';

/** Everything that follows without waiting for anything else has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Work that a test ends. */
function works(turns: FairTurns, order: string[]) {
  const running = new Map<string, () => void>();
  const begin = (owner: string, name: string) =>
    turns.run(owner, async () => {
      order.push(name);
      await new Promise<void>((end) => running.set(name, end));
    });
  const end = async (name: string) => {
    running.get(name)!();
    await settled();
  };
  return { begin, end };
}

it('lets owners take turns, however much one of them has to do', async () => {
  const order: string[] = [];
  const { begin, end } = works(new FairTurns(2, 1), order);
  for (let n = 0; n < 5; n++) void begin('busy', `busy ${n}`);
  void begin('other', 'other');
  void begin('third', 'third');
  await settled();
  expect(order).toEqual(['busy 0', 'other']);
  await end('busy 0');
  // Whoever has come last has waited for one turn of each.
  await end('busy 1');
  await end('other');
  expect(order).toEqual(['busy 0', 'other', 'busy 1', 'third', 'busy 2']);
});

it('goes on after work that fails', async () => {
  const turns = new FairTurns(1, 1);
  const failing = turns.run('one', async () => await Promise.reject(new Error('it failed')));
  await expect(failing).rejects.toThrow('it failed');
  expect(await turns.run('one', async () => 'done')).toBe('done');
});

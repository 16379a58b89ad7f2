import { PlayoutBudget, type QueueBudget } from '../../../src/threads/playout-budget.ts';

/** The memory of a queue in a process that has plenty. */
export function roomyQueue(): QueueBudget {
  const plenty = Number.MAX_SAFE_INTEGER;
  return new PlayoutBudget({ totalBytes: plenty, accountBytes: plenty, onFull() {} }).queueOf('acc_1');
}

import { ModelFault } from './model-fault.ts';

/** Waits for a deletion at a provider. What is gone already is no fault. */
export async function unlessGone(deletion: Promise<void>): Promise<void> {
  try {
    await deletion;
  } catch (fault) {
    if (!(fault instanceof ModelFault) || fault.kind !== 'not_found') throw fault;
  }
}

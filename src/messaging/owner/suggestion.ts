import { GatewayError, SuggestedRemedy } from '../../base/errors.ts';
import type { Remedy } from '../../connectors/contract/messenger.ts';

/** Runs a function. A platform's refusal that one of its remedies helps against is thrown with the suggestion. */
export async function suggesting<T>(remedies: readonly Remedy[], run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'send_failed') throw error;
    const remedy = remedies.find(({ words }) => words.test(error.message));
    throw remedy === undefined ? error : new SuggestedRemedy(error, remedy.suggestion);
  }
}

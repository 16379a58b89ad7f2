/**
 * Runs `action` after the last messages of a call or transport whose task has ended. They were posted before the
 * outcome, but through another port that this thread may read later. The second turn of the event loop starts after
 * every port has been read.
 */
export function afterMessages(action: () => void): void {
  setImmediate(() => setImmediate(action));
}

import type { Platform } from '../../base/platform.ts';
import type { ConnectionDeps } from './connection-deps.ts';

/** Calls a connector. One that throws affects nothing else; `fault`: what the operator reads then. */
export function tellConnector(
  { onFailure }: Pick<ConnectionDeps, 'onFailure'>,
  platform: Platform,
  fault: string,
  call: () => void,
): void {
  try {
    call();
  } catch (error) {
    onFailure(platform, fault, `${error}`);
  }
}

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { within } from '../../test/support/wait-for.ts';
import type { LoadAnswer, LoadRequest } from './load-protocol.ts';

/** A child process of the load generator, as its parent sees it. */
export class LoadProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Starts `<name>.ts` of this folder and waits until it is ready. */
  static async start(name: 'phones' | 'agents', args: readonly string[] = []): Promise<LoadProcess> {
    const child = fork(fileURLToPath(new URL(`${name}.ts`, import.meta.url)), args);
    const started = new LoadProcess(child);
    await started.#answer('ready', 10_000);
    return started;
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  tell(request: LoadRequest): void {
    this.#child.send(request);
  }

  /** Sends a request and waits for an answer of this type. */
  ask<T extends LoadAnswer['type']>(
    request: LoadRequest,
    type: T,
    deadlineMs: number,
  ): Promise<Extract<LoadAnswer, { type: T }>> {
    const answer = this.#answer(type, deadlineMs);
    this.tell(request);
    return answer;
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #answer<T extends LoadAnswer['type']>(
    type: T,
    deadlineMs: number,
  ): Promise<Extract<LoadAnswer, { type: T }>> {
    const answer = new Promise<Extract<LoadAnswer, { type: T }>>((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`the child process ended with ${code}`));
      const onMessage = (message: unknown) => {
        if ((message as LoadAnswer).type !== type) return;
        this.#child.off('message', onMessage).off('exit', onExit);
        resolve(message as Extract<LoadAnswer, { type: T }>);
      };
      this.#child.on('message', onMessage).once('exit', onExit);
    });
    return within(`"${type}" from a child process`, answer, deadlineMs);
  }
}

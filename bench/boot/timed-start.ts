import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Child } from '../../test/support/child.ts';
import { cpuSeconds, residentBytes } from '../process-usage.ts';

const READY_DEADLINE_MS = 20_000;

/** A process that answers `GET /readyz` on this port sooner or later. */
export interface Startable {
  readonly command: readonly string[];
  readonly port: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Start {
  /** From the process' start to the first 200 of `/readyz`. */
  readonly readyMs: number;
  /** All threads, until then. */
  readonly cpuMs: number;
  readonly residentMb: number;
}

/** Starts a process, waits until it is ready, and ends it in good order. */
export async function timedStart({ command, port, env }: Startable): Promise<Start> {
  const [program = '', ...args] = command;
  const startedMs = performance.now();
  const child = new Child(program, args, { env: { ...process.env, ...env } });
  try {
    while (!(await isReady(port))) {
      if (!child.running || performance.now() - startedMs > READY_DEADLINE_MS) throw new Error(child.output);
      await pause(1);
    }
    const readyMs = performance.now() - startedMs;
    return {
      readyMs,
      cpuMs: cpuSeconds(child.pid) * 1_000,
      residentMb: residentBytes(child.pid) / 1_048_576,
    };
  } finally {
    await child.stop();
  }
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200));
    });
    request.on('error', () => resolve(false));
  });
}

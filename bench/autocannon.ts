import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROGRAM = fileURLToPath(import.meta.resolve('autocannon'));

/** A request that is sent repeatedly. */
export interface HttpLoad {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Each has one request in flight: the gateway closes a connection that pipelines. */
  readonly connections: number;
  readonly seconds: number;
}

export interface HttpLoadResult {
  /** Answered requests by first digit of their status. */
  readonly '2xx': number;
  readonly '4xx': number;
  readonly '5xx': number;
  readonly errors: number;
  readonly timeouts: number;
  /** Actual duration in seconds. */
  readonly duration: number;
  /** In milliseconds. */
  readonly latency: { readonly p50: number; readonly p99: number };
}

/** Runs autocannon in its own process, which `prefix` may pin to a core. */
export async function hammer(prefix: readonly string[], load: HttpLoad): Promise<HttpLoadResult> {
  const headers = Object.entries(load.headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const body = load.body === undefined ? [] : ['-b', load.body];
  const amount = ['-c', `${load.connections}`, '-d', `${load.seconds}`];
  const command = [
    ...prefix,
    process.execPath,
    PROGRAM,
    '-j',
    '-n',
    '-m',
    load.method,
    ...amount,
    ...headers,
    ...body,
  ];
  const [program = '', ...args] = [...command, load.url];
  const { stdout } = await promisify(execFile)(program, args, { timeout: (load.seconds + 20) * 1_000 });
  return JSON.parse(stdout) as HttpLoadResult;
}

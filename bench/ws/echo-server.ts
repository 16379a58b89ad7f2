import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Child } from '../../test/support/child.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { BenchContext } from '../bench.ts';
import { cpuSeconds } from '../process-usage.ts';

export const CONNECTIONS = 100;

/** A server in a process of its own that gives every binary message back. */
export interface EchoServer {
  readonly child: Child;
  readonly port: number;
}

/** Frames each way. */
export interface FrameRate {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/** Starts a program of this folder: its file, and its arguments after the port. */
export async function startEchoServer(
  { cores }: BenchContext,
  [file, ...options]: readonly [string, ...string[]],
  port: number,
): Promise<EchoServer> {
  const [command = '', ...args] = [
    ...cores.gateway,
    process.execPath,
    join(import.meta.dirname, file),
    `${port}`,
    ...options,
  ];
  const child = new Child(command, args);
  await waitFor(`${file} to listen`, async () => {
    if (!child.running) throw new Error(child.output);
    return (await fetch(`http://127.0.0.1:${port}/`).catch(() => null)) !== null;
  });
  return { child, port };
}

/** Exchanges 640-byte frames with the server for one or three seconds. */
export async function exchangeFrames(
  { cores, quick }: BenchContext,
  { child, port }: EchoServer,
): Promise<FrameRate> {
  const client = join(import.meta.dirname, 'frame-client.ts');
  const load = [`${port}`, `${CONNECTIONS}`, quick ? '1' : '3'];
  const [program = '', ...args] = [...cores.generators, process.execPath, client, ...load];
  const before = cpuSeconds(child.pid);
  const { stdout } = await promisify(execFile)(program, args, { timeout: 30_000 });
  const usedSeconds = cpuSeconds(child.pid) - before;
  const { frames, seconds } = JSON.parse(stdout) as { frames: number; seconds: number };
  return { perSecond: frames / seconds, perCpuSecond: frames / usedSeconds };
}

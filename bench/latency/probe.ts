import { join } from 'node:path';
import { compileFolder } from '../compile.ts';
import type { LoadedGateway, ProbedCall } from '../loaded-gateway.ts';
import { MeasuringProgram } from '../measuring-program.ts';

/** Observations of the probe, in microseconds of the machine's monotonic clock. */
export interface Sightings {
  /** Impulses of the telephone at the agent, with the times of sending and arrival. */
  readonly heard: readonly Passage[];
  /** The first sample of utterances at the telephone. */
  readonly said: readonly Passage[];
  /** Impulses of one telephone at the other. */
  readonly crossed: readonly Passage[];
  /** The last packet with the agent's voice after each `clear`. */
  readonly cleared: readonly Passage[];
  /** Every audio message at the agent. */
  readonly framesUs: readonly number[];
  /** Every packet at the telephone. */
  readonly packetsUs: readonly number[];
}

export interface Passage {
  readonly sentUs: number;
  readonly cameUs: number;
}

const MICROSECONDS = 1_000;

/** Sends impulses through a call for some seconds, or speaks and clears. */
export async function probeCall(
  what: 'talk' | 'clear',
  { gateway }: LoadedGateway,
  { rtpPort, remote, streamUrl }: ProbedCall,
  { prefix, seconds }: { readonly prefix: readonly string[]; readonly seconds: number },
): Promise<Sightings> {
  const media = [`${rtpPort}`, remote.host, `${remote.port}`];
  const server = [streamUrl.port, streamUrl.pathname, gateway.agentKey];
  return run(prefix, [what, `${seconds}`, ...media, ...server], seconds);
}

/** Sends impulses from one telephone to another. Each has its own port and a remote port. */
export async function probePhones(
  from: { readonly port: number; readonly remote: number },
  to: { readonly port: number; readonly remote: number },
  prefix: readonly string[],
  seconds: number,
): Promise<Sightings> {
  const ends = [from, to].flatMap(({ port, remote }) => [`${port}`, '127.0.0.1', `${remote}`]);
  return run(prefix, ['phones', `${seconds}`, ...ends], seconds);
}

export function takesMs(passages: readonly Passage[]): number[] {
  return passages.map(({ sentUs, cameUs }) => (cameUs - sentUs) / MICROSECONDS);
}

async function run(prefix: readonly string[], args: readonly string[], seconds: number): Promise<Sightings> {
  const program = compileFolder(join(import.meta.dirname, 'probe'), 'latency-probe');
  return readSightings(await new MeasuringProgram([...prefix, program, ...args], seconds).lines);
}

export function readSightings(lines: readonly string[]): Sightings {
  const rows = lines.map((line) => line.split(' '));
  const passages = (word: string): Passage[] =>
    rows
      .filter(([first]) => first === word)
      .map(([, sent, came]) => ({ sentUs: Number(sent), cameUs: Number(came) }));
  const times = (word: string): number[] =>
    rows.filter(([first]) => first === word).map(([, came]) => Number(came));
  return {
    heard: passages('heard'),
    said: passages('said'),
    crossed: passages('crossed'),
    cleared: passages('cleared'),
    framesUs: times('frame'),
    packetsUs: times('packet'),
  };
}

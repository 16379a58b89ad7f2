import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { claimRtpPorts } from '../../test/support/free-ports.ts';
import { within } from '../../test/support/wait-for.ts';

const READY_DEADLINE_MS = 10_000;

/** A room of two telephones, by the ports on which the telephones hear. */
export type PhonePair = readonly [number, number];

/** Something that lets pairs of telephones talk to each other. */
export interface Bridge {
  readonly name: string;
  /** Where the telephones of each pair send to. */
  readonly ports: readonly PhonePair[];
  stop(): Promise<void>;
}

/** Our engine with two platform legs per room, in its own process. */
export async function startOurBridge(
  prefix: readonly string[],
  pairs: readonly PhonePair[],
): Promise<Bridge> {
  const claim = await claimRtpPorts(pairs.length * 4);
  const portOf = (leg: number) => claim.first + 2 * leg;
  const ports = pairs.map((_, room): PhonePair => [portOf(2 * room), portOf(2 * room + 1)]);
  const rooms = pairs.map((pair, room) =>
    pair.map((remotePort, leg) => ({ rtpPort: ports[room]?.[leg], remotePort })),
  );
  const [command = process.execPath, ...args] = [...prefix, process.execPath];
  const script = join(import.meta.dirname, 'phone-bridge.ts');
  const child = fork(script, [JSON.stringify(rooms)], { execPath: command, execArgv: args });
  await within('the bridge to be ready', once(child, 'message'), READY_DEADLINE_MS);
  const stop = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    claim.release();
  };
  return { name: 'the engine with two telephones in a room', ports, stop };
}

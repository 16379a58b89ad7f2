import type { TalkSignal } from '../../../../../src/connectors/nctalk/voice/talk-protocol.ts';
import type { Bridges, TransportObserver } from '../../../../../src/media/transport.ts';

/** The media of calls as their signaling sees them: connections come about once they are answered. */
export class PlayedMedia {
  /** Commands so far: name and arguments. */
  readonly commands: (readonly [string, ...unknown[]])[] = [];
  opened = 0;
  /** What the last transport was opened with. */
  open: unknown = null;
  closed = 0;
  /** Whether connections come about. */
  connects = true;
  /** Reports something of the transport that is open. */
  signal: (signal: TalkSignal) => void = () => undefined;
  lose: (reason: string) => void = () => undefined;

  readonly command = async (name: string, ...args: readonly unknown[]): Promise<never> => {
    this.commands.push([name, ...args]);
    const connection = name === 'subscribe' ? String(args[0]) : '';
    const isAnswered = name === 'subscribe' || name === 'answered';
    if (isAnswered && this.connects) queueMicrotask(() => this.signal({ type: 'connected', connection }));
    return `sdp of ${name}` as never;
  };

  /** Names of the commands, with the person. */
  get names(): string[] {
    return this.commands.map(([name, person]) =>
      name === 'answered' ? name : [name, person].join(' ').trim(),
    );
  }

  get bridges(): Bridges {
    return {
      packetRings: () => ({}) as never,
      pcmRings: () => ({}) as never,
      open: async (_protocol, open, observer) => {
        this.opened++;
        this.open = open;
        const heard = observer as TransportObserver<unknown>;
        this.signal = (signal) => heard.signal(signal);
        this.lose = (reason) => heard.lost(reason);
        return { command: this.command, close: async () => void this.closed++ } as never;
      },
    };
  }
}

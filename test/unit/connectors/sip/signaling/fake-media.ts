import { createSocket, type Socket } from 'node:dgram';
import type { MediaControl, OpenMedia } from '../../../../../src/media/media-control.ts';
import type { MediaEvent } from '../../../../../src/media/media-leg.ts';
import type { MediaProtocol } from '../../../../../src/media/media-protocol.ts';
import type { RtpCommands, RtpConfig, RtpOpen } from '../../../../../src/rtp/rtp-protocol.ts';

/** A media half that records its calls, and sends and counts plain RTP on a real socket. */
export class FakeMedia implements MediaControl {
  readonly opens: RtpOpen[] = [];
  readonly configs: RtpConfig[] = [];
  readonly commands: unknown[] = [];
  packetsHeard = 0;
  mayOpen: Promise<void> = Promise.resolve();
  onEvent: (event: MediaEvent) => void = () => {};
  #socket: Socket | null = null;
  #timer: NodeJS.Timeout | null = null;
  #sequence = 0;

  get config(): RtpConfig | undefined {
    return this.configs.at(-1);
  }

  async open<Open, Config, Commands, Signal>(
    _protocol: MediaProtocol<Open, Config, Commands, Signal>,
    open: Open,
    onEvent: (event: MediaEvent<Signal>) => void,
  ): Promise<OpenMedia<Config, Commands>> {
    this.opens.push(open as RtpOpen);
    await this.mayOpen;
    const { bindHost, rtpPort } = open as RtpOpen;
    const socket = createSocket('udp4');
    socket.on('message', () => {
      this.packetsHeard += 1;
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ address: bindHost, port: rtpPort, exclusive: true }, resolve);
    });
    this.onEvent = onEvent;
    this.#socket = socket;
    this.#timer = setInterval(() => this.#send(), 20);
    return this as unknown as OpenMedia<Config, Commands>;
  }

  async configure(config: RtpConfig): Promise<void> {
    this.configs.push(config);
  }

  async command(name: keyof RtpCommands, ...args: readonly unknown[]): Promise<void> {
    this.commands.push([name, ...args]);
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#socket?.close();
    this.#socket = null;
    this.#timer = null;
  }

  #send(): void {
    const { config } = this;
    if (config === undefined || !config.sending || config.srtp !== null || config.remoteHost === null) return;
    const packet = Buffer.alloc(172, config.codec === 'PCMU' ? 0xff : 0xd5);
    packet.writeUInt16BE(0x8000 | config.payloadType, 0);
    packet.writeUInt16BE(this.#sequence & 0xffff, 2);
    packet.writeUInt32BE((this.#sequence * 160) >>> 0, 4);
    packet.writeUInt32BE(0x1234, 8);
    this.#sequence += 1;
    this.#socket?.send(packet, config.remotePort, config.remoteHost);
  }
}

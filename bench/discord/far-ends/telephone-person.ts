import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { DaveClient } from '../../../test/fakes/discord/voice/dave-client.ts';
import type { MediaFrame } from '../../../test/fakes/discord/voice/rtp-datagram.ts';
import type { Participant, VoiceCall } from '../../../test/fakes/discord/voice/voice-call.ts';

const HOST = '127.0.0.1';
const HEADER_BYTES = 12;
const VERSION = 0x80;
const PAYLOAD_TYPE = 120;

/**
 * A person in a voice channel whose mouth and ears are a telephone of the generator: plain RTP with Opus on one side, the
 * end-to-end encryption on the other. Nothing is encoded or decoded here.
 */
export class TelephonePerson implements Participant {
  readonly userId: string;
  readonly ssrc: number;
  readonly isBot = false;
  readonly hasDave = true;
  /** From the beginning, so that bots learn whose stream it is when they come. */
  readonly isSpeaking = true;
  readonly #call: VoiceCall;
  readonly #dave: DaveClient;
  readonly #socket: Socket;
  /** Frames of the bot that could not be decrypted, or were not encrypted. */
  undecryptable = 0;

  private constructor(call: VoiceCall, userId: string, ssrc: number, socket: Socket) {
    this.#call = call;
    this.userId = userId;
    this.ssrc = ssrc;
    this.#dave = new DaveClient(userId, call.channelId, call.dave);
    this.#socket = socket;
    socket.on('message', (packet) => this.#say(packet));
    // The telephone is gone.
    socket.on('error', () => undefined);
    call.join(this);
    call.startMedia(this);
  }

  static async enter(
    call: VoiceCall,
    { userId, ssrc, phonePort }: { userId: string; ssrc: number; phonePort: number },
  ): Promise<TelephonePerson> {
    const socket = createSocket('udp4').bind(0, HOST);
    await once(socket, 'listening');
    socket.connect(phonePort, HOST);
    await once(socket, 'connect');
    return new TelephonePerson(call, userId, ssrc, socket);
  }

  /** Where the telephone sends to. */
  get port(): number {
    return this.#socket.address().port;
  }

  hear({ ssrc, sequence, timestamp, bytes }: MediaFrame, fromUserId: string): void {
    const received = this.#dave.decrypt(fromUserId, bytes);
    if (received.kind !== 'opus' && received.kind !== 'silence') {
      this.undecryptable += 1;
      return;
    }
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt8(VERSION, 0);
    header.writeUInt8(PAYLOAD_TYPE, 1);
    header.writeUInt16BE(sequence, 2);
    header.writeUInt32BE(timestamp, 4);
    header.writeUInt32BE(ssrc, 8);
    this.#socket.send([header, received.bytes]);
  }

  tell(op: number, data: object): void {
    this.#dave.told(op, data);
  }

  tellBinary(op: number, payload: Uint8Array): void {
    this.#dave.toldBinary(op, Buffer.from(payload));
  }

  #say(packet: Buffer): void {
    const bytes = this.#dave.encrypt(packet.subarray(HEADER_BYTES));
    if (!bytes) return;
    this.#call.forward(this.userId, {
      ssrc: this.ssrc,
      sequence: packet.readUInt16BE(2),
      timestamp: packet.readUInt32BE(4),
      bytes,
    });
  }
}

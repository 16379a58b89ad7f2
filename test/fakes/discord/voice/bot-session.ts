import type { VoiceSession } from '../voice-host.ts';
import { BotMedia } from './bot-media.ts';
import { HEARTBEAT, readData, SELECT_PROTOCOL, SPEAKING, TRANSITION } from './client-messages.ts';
import { type CloseCode, VoiceRefusal } from './close-codes.ts';
import type { MediaSocket } from './media-socket.ts';
import { OP } from './opcodes.ts';
import { Outgoing } from './outgoing.ts';
import type { MediaFrame } from './rtp-datagram.ts';
import type { SessionSocket } from './session-socket.ts';
import { TRANSPORT_MODES, type TransportMode } from './transport-cipher.ts';
import type { Participant, VoiceCall } from './voice-call.ts';

export interface BotSessionOptions {
  readonly stay: VoiceSession;
  readonly call: VoiceCall;
  readonly media: MediaSocket;
  readonly ssrc: number;
  readonly modes: readonly TransportMode[];
  /** The session is over: it was closed or could not be resumed any more. */
  readonly onEnd: (session: BotSession) => void;
}

/** Without a socket a session can be resumed for so long. */
const RESUME_MS = 15_000;

/** A bot's session with the voice gateway, from Identify to its end, over one or more sockets. */
export class BotSession implements Participant {
  readonly stay: VoiceSession;
  readonly media: BotMedia;
  readonly hasDave = true;
  readonly isBot = true;
  /** The bot's opcodes 5, on the clock of `performance.now()`. */
  readonly speaking: { readonly atMs: number; readonly speaking: number }[] = [];
  /** What no client of Discord sends. */
  readonly offences: string[] = [];
  mode: TransportMode | null = null;
  readonly #options: BotSessionOptions;
  readonly #outgoing = new Outgoing();
  #socket: SessionSocket | null = null;
  #resumeTimer: NodeJS.Timeout | null = null;
  #isOver = false;

  constructor(options: BotSessionOptions) {
    this.#options = options;
    this.stay = options.stay;
    this.media = new BotMedia(options.media, options.ssrc, (frame) => this.#forward(frame));
  }

  /** Where its audio goes. */
  get server(): MediaSocket {
    return this.#options.media;
  }

  get userId(): string {
    return this.stay.userId;
  }

  get ssrc(): number {
    return this.media.ssrc;
  }

  get isSpeaking(): boolean {
    return (this.speaking.at(-1)?.speaking ?? 0) !== 0;
  }

  /** Answers Identify. */
  start(socket: SessionSocket): void {
    this.#socket = socket;
    const { ssrc, modes, media, call } = this.#options;
    const ready = { ssrc, ip: '127.0.0.1', port: media.port, modes, experiments: [], streams: [] };
    socket.send(JSON.stringify({ op: OP.ready, d: ready }));
    call.join(this);
  }

  /** Answers Resume: what the client missed follows. */
  resume(socket: SessionSocket, sequence: number): void {
    const missed = this.#outgoing.after(sequence);
    if (!missed) throw new VoiceRefusal(4006, `resumes at ${sequence} of ${this.#outgoing.lastSequence}`);
    if (this.#resumeTimer) clearTimeout(this.#resumeTimer);
    this.#socket?.release(4014);
    this.#socket = socket;
    socket.send(JSON.stringify({ op: OP.resumed, d: null }));
    for (const message of missed) socket.send(message);
  }

  /** Its socket is gone. */
  disconnected(socket: SessionSocket, isFinal: boolean): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    if (isFinal) this.end();
    else this.#resumeTimer = setTimeout(() => this.end(), RESUME_MS);
  }

  /** Closes the socket with a code of Discord's. After 4015 the bot may resume. */
  close(code: CloseCode): void {
    if (code === 4015) this.#socket?.close(code);
    else this.end(code);
  }

  /** Breaks the connection without a word; the bot may resume. */
  cut(): void {
    this.#socket?.cut();
  }

  end(code: CloseCode = 4014): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#resumeTimer) clearTimeout(this.#resumeTimer);
    this.#socket?.release(code);
    this.#socket = null;
    this.media.close();
    this.#options.onEnd(this);
  }

  tell(op: number, data: object): void {
    this.#send(this.#outgoing.json(op, data));
  }

  tellBinary(op: number, payload: Uint8Array): void {
    this.#send(this.#outgoing.binary(op, payload));
  }

  hear(frame: MediaFrame): void {
    this.media.send(frame);
  }

  received(op: number, data: unknown): void {
    const { dave } = this.#options.call;
    switch (op) {
      case OP.identify:
      case OP.resume:
        throw new VoiceRefusal(4005, 'identifies twice');
      case OP.selectProtocol:
        this.#select(readData(SELECT_PROTOCOL, data));
        return;
      case OP.heartbeat:
        this.#heartbeat(readData(HEARTBEAT, data));
        return;
      case OP.speaking:
        this.#speak(readData(SPEAKING, data));
        return;
      case OP.transitionReady:
        this.#settle(dave.ready(this.userId, readData(TRANSITION, data).transition_id));
        return;
      case OP.invalidCommit:
        readData(TRANSITION, data);
        this.#settle(dave.invalid(this.userId));
        return;
      default:
        throw new VoiceRefusal(4001, `opcode ${op}`);
    }
  }

  receivedBinary(message: Buffer): void {
    const { dave } = this.#options.call;
    const op = message.at(0);
    if (op === OP.keyPackage) this.#settle(dave.keyPackage(this.userId, message.subarray(1)));
    else if (op === OP.commitWelcome) this.#settle(dave.commit(this.userId, message.subarray(1)));
    else throw new VoiceRefusal(4001, `binary opcode ${op}`);
  }

  #select({ protocol, data }: { protocol: string; data: { address: string; port: number; mode: string } }) {
    if (protocol !== 'udp') throw new VoiceRefusal(4012, protocol);
    const mode = TRANSPORT_MODES.find((known) => known === data.mode && this.#options.modes.includes(known));
    if (!mode) throw new VoiceRefusal(4016, data.mode);
    const { address } = this.media;
    if (address?.address !== data.address || address.port !== data.port) {
      throw new VoiceRefusal(4020, `selects ${data.address}:${data.port}, which is not its address`);
    }
    this.mode = mode;
    const key = this.media.start(mode);
    this.tell(OP.sessionDescription, {
      mode,
      secret_key: [...key],
      dave_protocol_version: this.#options.call.dave.version,
      audio_codec: 'opus',
      media_session_id: this.stay.sessionId,
    });
    this.#options.call.startMedia(this);
  }

  #heartbeat({ t, seq_ack: sequence }: { t: number; seq_ack: number }): void {
    if (sequence > this.#outgoing.lastSequence) {
      this.offences.push(`acknowledges ${sequence} of ${this.#outgoing.lastSequence}`);
    }
    this.#socket?.send(JSON.stringify({ op: OP.heartbeatAck, d: { t } }));
  }

  #speak({ speaking, ssrc }: { speaking: number; ssrc: number }): void {
    if (ssrc !== this.ssrc) throw new VoiceRefusal(4020, `speaks as SSRC ${ssrc}`);
    this.speaking.push({ atMs: performance.now(), speaking });
    this.#options.call.speaking(this, speaking);
  }

  /** Discord forwards no audio of an SSRC that never announced itself by opcode 5. */
  #forward(frame: MediaFrame): void {
    if (this.speaking.length > 0) this.#options.call.forward(this.userId, frame);
  }

  #send(message: string | Buffer): void {
    this.#socket?.send(message);
  }

  /** A refusal that comes later ends the connection as well. */
  #settle(work: Promise<void>): void {
    const socket = this.#socket;
    work.catch((error) => socket?.refuse(error));
  }
}

import { z } from 'zod';
import type { DaveGroup } from './dave-group.ts';
import { FrameEncryptor, SILENCE } from './frame-cipher.ts';
import { FrameReceiver, type ReceivedFrame } from './frame-receiver.ts';
import { KeyRatchet } from './key-ratchet.ts';
import { MlsMember } from './mls-member.ts';
import { vectorContent } from './mls-vector.ts';
import { OP } from './opcodes.ts';
import { splitMessages, splitRefs } from './proposal-payload.ts';

const TRANSITION = z.object({ transition_id: z.number(), protocol_version: z.number().optional() });

/** How a person sends once a transition is executed. */
type Outbound = FrameEncryptor | 'plain';

/** A person's half of DAVE: what an official client of Discord does with opcodes 21 to 31, and with audio frames. */
export class DaveClient {
  readonly #userId: string;
  readonly #group: DaveGroup;
  readonly #member: MlsMember;
  readonly #receivers = new Map<string, FrameReceiver>();
  readonly #pending = new Map<number, Outbound>();
  #work: Promise<unknown> = Promise.resolve();
  #outbound: Outbound | null = null;
  /** What the person could not process. */
  readonly failures: string[] = [];

  constructor(userId: string, channelId: string, group: DaveGroup) {
    this.#userId = userId;
    this.#group = group;
    this.#member = new MlsMember(userId, channelId);
    if (group.version === 0) this.#outbound = 'plain';
    else this.#next(() => this.#sendKeyPackage());
  }

  get epoch(): bigint {
    return this.#member.epoch;
  }

  /** Null while the person has no key to send with: then an official client sends nothing. Silence stays as it is. */
  encrypt(frame: Buffer): Buffer | null {
    if (this.#outbound === 'plain' || frame.equals(SILENCE)) return frame;
    return this.#outbound?.encrypt(frame) ?? null;
  }

  decrypt(senderId: string, frame: Buffer): ReceivedFrame {
    return this.#receiver(senderId).receive(frame);
  }

  told(op: number, data: object): void {
    this.#next(async () => {
      if (op === OP.prepareEpoch) {
        await this.#sendKeyPackage();
      } else if (op === OP.prepareTransition) {
        this.#prepare(TRANSITION.parse(data));
      } else if (op === OP.executeTransition) {
        this.#execute(TRANSITION.parse(data).transition_id);
      }
    });
  }

  toldBinary(op: number, payload: Buffer): void {
    this.#next(async () => {
      if (op === OP.externalSender) await this.#member.setExternalSender(payload);
      else if (op === OP.proposals) await this.#takeProposals(payload);
      else if (op === OP.announceCommit)
        await this.#change(payload, (body) => this.#member.applyCommit(body));
      else if (op === OP.welcome) await this.#change(payload, (body) => this.#member.applyWelcome(body));
    });
  }

  #next(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: Error) => this.failures.push(error.message));
  }

  async #sendKeyPackage(): Promise<void> {
    const keyPackage = await this.#member.newKeyPackage();
    // Not awaited: the gateway answers by more messages, which wait for this one.
    void this.#group.keyPackage(this.#userId, Buffer.from(keyPackage));
  }

  async #takeProposals(payload: Buffer): Promise<void> {
    const list = vectorContent(payload.subarray(1));
    if (payload.readUInt8(0) === 0) await this.#member.propose(splitMessages(list));
    else this.#member.revoke(splitRefs(list));
    if (!this.#group.isCommitting(this.#userId)) return;
    const commit = await this.#member.commit();
    if (commit) void this.#group.commit(this.#userId, commit);
  }

  /** Takes a commit or a Welcome, and reports whether that worked. */
  async #change(payload: Buffer, apply: (body: Buffer) => Promise<void>): Promise<void> {
    const id = payload.readUInt16BE(0);
    try {
      await apply(payload.subarray(2));
    } catch (error) {
      this.failures.push((error as Error).message);
      void this.#group.invalid(this.#userId);
      await this.#sendKeyPackage();
      return;
    }
    await this.#takeKeys(id);
    if (id === 0) this.#execute(0);
    else void this.#group.ready(this.#userId, id);
  }

  /** Everybody's keys of the new epoch: those of others at once, the own one when the transition is executed. */
  async #takeKeys(transitionId: number): Promise<void> {
    for (const userId of this.#member.users) {
      const secret = await this.#member.senderSecret(userId);
      if (userId === this.#userId)
        this.#pending.set(transitionId, new FrameEncryptor(new KeyRatchet(secret)));
      else this.#receiver(userId).addKey(secret);
    }
  }

  #prepare({ transition_id: id, protocol_version: version }: z.infer<typeof TRANSITION>): void {
    if (version !== 0) return;
    for (const receiver of this.#receivers.values()) receiver.allowPlain();
    this.#pending.set(id, 'plain');
    if (id === 0) this.#execute(0);
    else void this.#group.ready(this.#userId, id);
  }

  #execute(id: number): void {
    this.#outbound = this.#pending.get(id) ?? this.#outbound;
    this.#pending.delete(id);
  }

  #receiver(senderId: string): FrameReceiver {
    const known = this.#receivers.get(senderId);
    if (known) return known;
    const receiver = new FrameReceiver();
    this.#receivers.set(senderId, receiver);
    return receiver;
  }
}

import { judge } from './commit-check.ts';
import { CommitTurns } from './commit-turns.ts';
import { commitPayload, welcomePayload } from './dave-payloads.ts';
import { GroupRoster, type RosterMember } from './group-roster.ts';
import { readKeyPackage } from './key-package.ts';
import { snowflakeBytes } from './mls-suite.ts';
import { OP, type VoiceClient } from './opcodes.ts';
import { Proposer } from './proposer.ts';
import { readCommit, type SentCommit } from './sent-commit.ts';
import { Transitions } from './transitions.ts';

export type DaveVersion = 0 | 1;

/**
 * The voice gateway's half of DAVE in one channel: it proposes who comes and goes, picks a commit, and has everybody
 * change keys together. It holds no keys of the group.
 */
export class DaveGroup {
  /** What no client of Discord sends. */
  readonly offences: string[] = [];
  /** When commits were announced, on the clock of `performance.now()`. */
  readonly commits: { readonly atMs: number; readonly userId: string }[] = [];
  readonly #groupId: Uint8Array;
  readonly #roster = new GroupRoster();
  readonly #proposer: Proposer;
  readonly #turns = new CommitTurns((userId, commit) => void this.#next(() => this.#take(userId, commit)));
  readonly #transitions = new Transitions();
  #work: Promise<unknown> = Promise.resolve();
  #queued = 0;
  #epoch = 0n;
  #version: DaveVersion = 1;
  #wantedVersion: DaveVersion = 1;
  /** Nobody has sent under another version before, so the first keys count at once. */
  #isFresh = true;
  #spoilFor: string | null = null;

  constructor(channelId: string) {
    this.#groupId = snowflakeBytes(channelId);
    this.#proposer = new Proposer(channelId, this.#roster);
  }

  /** 0 is without DAVE. */
  get version(): DaveVersion {
    return this.#version;
  }

  /** The users who share the group's keys. */
  get users(): readonly string[] {
    return this.#roster.leaves.users;
  }

  /** Whether no change is on its way. */
  get isSettled(): boolean {
    if (this.#queued > 0 || this.#wantedVersion !== this.#version || this.#transitions.isUnderWay)
      return false;
    return this.#version === 0 || this.#roster.isComplete;
  }

  /** Only one of the people commits; the others would only lose. */
  isCommitting(userId: string): boolean {
    return this.#roster.committers.find(({ client }) => !client.isBot)?.client.userId === userId;
  }

  /** The user gets the next commit, or the next Welcome, in a state that nobody can use. */
  spoilFor(userId: string): void {
    this.#spoilFor = userId;
  }

  join(client: VoiceClient): Promise<void> {
    return this.#next(async () => {
      const member = this.#roster.connect(client);
      if (this.#version === 1) await this.#introduce(member);
    });
  }

  leave(userId: string): Promise<void> {
    return this.#next(async () => {
      if (!this.#roster.disconnect(userId)) return;
      this.#proposer.withdraw(userId);
      this.#transitions.release(userId);
      await this.#settle();
    });
  }

  keyPackage(userId: string, bytes: Buffer): Promise<void> {
    return this.#next(async () => {
      const keyPackage = await readKeyPackage(userId, bytes);
      const member = this.#roster.get(userId);
      if (!member || this.#version === 0) return;
      this.#proposer.withdraw(userId);
      member.keyPackage = keyPackage;
      await this.#settle();
    });
  }

  commit(userId: string, payload: Buffer): Promise<void> {
    return this.#next(async () => {
      const commit = readCommit(payload);
      const isBot = this.#roster.get(userId)?.client.isBot ?? false;
      const hasOthers = this.#roster.committers.some(({ client }) => client.isBot !== isBot);
      if (!(await this.#isGood(userId, commit))) return;
      if (hasOthers && !this.#turns.isTurnOf(isBot)) this.#turns.hold(userId, commit);
      else await this.#take(userId, commit);
    });
  }

  ready(userId: string, transitionId: number): Promise<void> {
    return this.#next(() => {
      const isKnown = this.#transitions.ready(userId, transitionId);
      if (!isKnown) this.offences.push(`${userId}: ready for ${transitionId}`);
    });
  }

  /** The user could not use a commit or a Welcome, and starts again with its next key package. */
  invalid(userId: string): Promise<void> {
    return this.#next(async () => {
      const member = this.#roster.get(userId);
      if (!member) return;
      this.#proposer.withdraw(userId);
      member.keyPackage = null;
      member.isStale = this.#roster.leaves.leafOf(userId) !== null;
      this.#transitions.release(userId);
      await this.#settle();
    });
  }

  /** Has everybody change to this version of the protocol. */
  want(version: DaveVersion): Promise<void> {
    return this.#next(async () => {
      this.#wantedVersion = version;
      await this.#settle();
    });
  }

  close(): void {
    this.#transitions.cancel();
    this.#turns.clear();
  }

  /** One thing after the other, in the order of arrival. */
  #next(work: () => Promise<void> | void): Promise<void> {
    this.#queued += 1;
    const done = this.#work.then(work).finally(() => {
      this.#queued -= 1;
    });
    this.#work = done.catch(() => undefined);
    return done;
  }

  async #introduce(member: RosterMember): Promise<void> {
    if (member.knowsSender) return;
    member.knowsSender = true;
    await this.#proposer.introduce(member.client);
  }

  /** Does what is due, unless everybody is busy with a transition. */
  async #settle(): Promise<void> {
    if (this.#transitions.isUnderWay) return;
    if (this.#wantedVersion !== this.#version) await this.#changeVersion();
    if (this.#version === 0 || this.#transitions.isUnderWay) return;
    if (this.#roster.isEstablished && this.#roster.inGroup.length < 2) this.#startOver();
    await this.#proposer.propose(this.#epoch);
  }

  /** A group of one is none: its last member gets ready for a new one. */
  #startOver(): void {
    this.#forgetGroup();
    this.#isFresh = true;
    for (const member of this.#roster.members.filter(({ keyPackage }) => !keyPackage)) this.#restart(member);
  }

  #restart({ client }: RosterMember): void {
    client.tell(OP.prepareEpoch, { protocol_version: this.#version, epoch: 1 });
    if (this.#isFresh) {
      client.tell(OP.prepareTransition, { protocol_version: this.#version, transition_id: 0 });
    }
  }

  #forgetGroup(): void {
    this.#epoch = 0n;
    this.#roster.leaves.clear();
    this.#proposer.list.clear();
    this.#turns.clear();
    for (const member of this.#roster.members) member.isStale = false;
  }

  async #changeVersion(): Promise<void> {
    if (this.#wantedVersion === 0) {
      const id = this.#transitions.newId();
      for (const { client } of this.#roster.members) {
        client.tell(OP.prepareTransition, { protocol_version: 0, transition_id: id });
      }
      this.#begin(id, this.#roster.members, () => {
        this.#version = 0;
        this.#forgetGroup();
        for (const member of this.#roster.members) member.keyPackage = null;
      });
      return;
    }
    this.#version = 1;
    this.#isFresh = this.#roster.members.length < 2;
    for (const member of this.#roster.members) {
      this.#restart(member);
      await this.#introduce(member);
    }
  }

  /** False for commits that come too late, and for those that are wrong. */
  async #isGood(userId: string, commit: SentCommit): Promise<boolean> {
    if (this.#transitions.isUnderWay || commit.epoch !== this.#epoch) return false;
    const { list } = this.#proposer;
    const verdict = await judge(commit, { userId, groupId: this.#groupId, roster: this.#roster, list });
    if (verdict.is === 'wrong') this.offences.push(`${userId}: ${verdict.why}`);
    return verdict.is === 'good';
  }

  /** Announces a commit, unless it has become too late while it waited. */
  async #take(userId: string, commit: SentCommit): Promise<void> {
    if (!(await this.#isGood(userId, commit))) return;
    this.#turns.clear();
    const id = !this.#roster.isEstablished && this.#isFresh ? 0 : this.#transitions.newId();
    const proposals = commit.refs.flatMap((ref) => this.#proposer.list.byRef(ref) ?? []);
    const { stayed, added } = this.#roster.apply(userId, proposals);
    for (const { client } of stayed) this.#hand(client, OP.announceCommit, commitPayload(id, commit.bytes));
    for (const { client, keyPackage } of added) {
      if (!commit.welcome) continue;
      this.#hand(client, OP.welcome, await welcomePayload(id, commit.welcome, keyPackage));
    }
    this.commits.push({ atMs: performance.now(), userId });
    this.#epoch += 1n;
    this.#proposer.list.clear();
    this.#turns.pass();
    if (id > 0) this.#begin(id, this.#roster.inGroup);
    else await this.#settle();
  }

  #hand(client: VoiceClient, op: number, payload: Buffer): void {
    if (this.#spoilFor === client.userId) {
      this.#spoilFor = null;
      payload.writeUInt8(payload.readUInt8(payload.length - 1) ^ 1, payload.length - 1);
    }
    client.tellBinary(op, payload);
  }

  #begin(id: number, members: readonly RosterMember[], after?: () => void): void {
    this.#transitions.begin(id, members, () => {
      after?.();
      void this.#next(() => this.#settle());
    });
  }
}

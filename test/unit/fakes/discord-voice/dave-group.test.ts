import { generateKeyPackage } from 'ts-mls';
import { encodeKeyPackage } from 'ts-mls/keyPackage.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DaveGroup } from '../../../fakes/discord/voice/dave-group.ts';
import { MlsMember } from '../../../fakes/discord/voice/mls-member.ts';
import { basicCredential, mlsSuite } from '../../../fakes/discord/voice/mls-suite.ts';
import { vectorContent } from '../../../fakes/discord/voice/mls-vector.ts';
import { OP, type VoiceClient } from '../../../fakes/discord/voice/opcodes.ts';
import { splitMessages } from '../../../fakes/discord/voice/proposal-payload.ts';
import { readCommit } from '../../../fakes/discord/voice/sent-commit.ts';
import { Transition } from '../../../fakes/discord/voice/transition.ts';
import { waitFor } from '../../../support/wait-for.ts';

const CHANNEL = '222222222222222222';
const WHOLE_SPAN = { notBefore: 0n, notAfter: 2n ** 64n - 1n };

/** A bot whose messages the test answers by hand. */
class Client implements VoiceClient {
  readonly isBot = true;
  readonly userId: string;
  readonly member: MlsMember;
  readonly #told: { readonly op: number; readonly payload: Buffer }[] = [];

  constructor(userId: string) {
    this.userId = userId;
    this.member = new MlsMember(userId, CHANNEL);
  }

  tell(): void {}

  tellBinary(op: number, payload: Uint8Array): void {
    this.#told.push({ op, payload: Buffer.from(payload) });
  }

  next(op: number): Promise<Buffer> {
    return waitFor(`opcode ${op}`, () => this.#told.find((message) => message.op === op)?.payload);
  }

  async join(group: DaveGroup): Promise<void> {
    await group.join(this);
    await this.member.setExternalSender(await this.next(OP.externalSender));
    await group.keyPackage(this.userId, Buffer.from(await this.member.newKeyPackage()));
  }

  async commit(): Promise<Buffer> {
    const list = vectorContent((await this.next(OP.proposals)).subarray(1));
    await this.member.propose(splitMessages(list));
    return (await this.member.commit())!;
  }
}

function newGroup(): DaveGroup {
  const group = new DaveGroup(CHANNEL);
  onTestFinished(() => group.close());
  return group;
}

async function keyPackage(userId: string, lifetime: typeof WHOLE_SPAN): Promise<Buffer> {
  const suite = await mlsSuite();
  const capabilities = {
    versions: ['mls10' as const],
    ciphersuites: [suite.name],
    extensions: [],
    proposals: [],
    credentials: ['basic' as const],
  };
  const { publicPackage } = await generateKeyPackage(
    basicCredential(userId),
    capabilities,
    lifetime,
    [],
    suite,
  );
  return Buffer.from(encodeKeyPackage(publicPackage));
}

test('a bare key package is as good as one in a message, if it is in order', async () => {
  const group = newGroup();
  await group.join(new Client('1'));
  const good = await keyPackage('1', WHOLE_SPAN);
  await group.keyPackage('1', good);
  const forged = Buffer.from(good);
  forged[forged.length - 1]! ^= 1;
  const week = { notBefore: 0n, notAfter: 604_800n };
  await expect(group.keyPackage('1', forged)).rejects.toThrow('a wrong signature');
  await expect(group.keyPackage('1', await keyPackage('2', WHOLE_SPAN))).rejects.toThrow("another user's");
  await expect(group.keyPackage('1', await keyPackage('1', week))).rejects.toThrow('the whole span');
  await expect(group.keyPackage('1', Buffer.concat([good, good]))).rejects.toThrow('no key package');
});

test('the first good commit counts, and what comes later counts for nothing', async () => {
  const group = newGroup();
  const [first, second] = [new Client('1'), new Client('2')];
  await first.join(group);
  await second.join(group);
  const late = await second.commit();
  await group.commit('1', await first.commit());
  await group.commit('2', late);
  expect(group.users).toEqual(['1', '2']);
  const announced = (await first.next(OP.announceCommit)).subarray(2);
  await first.member.applyCommit(announced);
  await second.member.applyWelcome((await second.next(OP.welcome)).subarray(2));
  const secrets = await Promise.all([first, second].map(({ member }) => member.senderSecret('1')));
  expect(secrets[0]).toEqual(secrets[1]);
  expect([group.commits.map(({ userId }) => userId), group.offences]).toEqual([['1'], []]);
});

test('a commit of what nobody proposed is an offence and has no effect', async () => {
  const [group, foreign] = [newGroup(), newGroup()];
  await new Client('1').join(group);
  await new Client('2').join(group);
  const [first, second] = [new Client('1'), new Client('3')];
  await first.join(foreign);
  await second.join(foreign);
  await group.commit('1', await first.commit());
  expect(group.offences).toEqual(['1: a commit of a proposal that nobody made']);
  expect(group.users).toEqual([]);
});

test('a commit whose Welcome is missing, or which is no commit, is refused', async () => {
  const group = newGroup();
  const [first, second] = [new Client('1'), new Client('2')];
  await first.join(group);
  await second.join(group);
  const commit = await first.commit();
  await expect(group.commit('1', commit.subarray(0, -1))).rejects.toThrow();
  await expect(group.commit('1', (await second.next(OP.proposals)).subarray(3))).rejects.toThrow();
  await group.commit('1', readCommit(commit).bytes);
  expect(group.offences).toEqual(['1: a Welcome for others than those whom the commit adds']);
});

test('a transition is executed once: when all are ready, or after two seconds', () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const all = vi.fn();
  const ready = new Transition(1, ['1', '2'], all);
  ready.ready('1');
  expect(all).not.toHaveBeenCalled();
  ready.ready('2');
  const some = vi.fn();
  new Transition(2, ['1', '2'], some).ready('2');
  vi.advanceTimersByTime(1_999);
  expect(some).not.toHaveBeenCalled();
  vi.advanceTimersByTime(10_000);
  expect([all.mock.calls.length, some.mock.calls.length]).toEqual([1, 1]);
});

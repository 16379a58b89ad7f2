import * as z from 'zod';
import type { Address } from '../../../base/address.ts';
import { LimitedMap } from '../../../base/limited-map.ts';
import type {
  OutboundFile,
  OutboundMessage,
  OutboundReaction,
  SendOutcome,
} from '../../contract/messenger.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { CallOptions } from '../../kit/platform-http.ts';
import { outcomeOf, type SendRules, sendParts } from '../../kit/sending.ts';
import { failureOf } from '../client.ts';
import { cardOf } from './buttons.ts';
import {
  callOf,
  isAddressGone,
  type OutboundActivity,
  type PostTarget,
  postActivity,
  type TargetDeps,
  targetOf,
  textActivity,
} from './posting.ts';
import { typeOfEmoji } from './reactions.ts';
import type { Streams } from './streams.ts';

const DEADLINE_MS = 20_000;

export interface SendDeps extends TargetDeps {
  readonly pauses: ThrottlePauses;
  /** Offers a file to the person of a chat and returns the id of the card. Rejects with a PlatformFailure. */
  offer(file: FileToOffer, target: PostTarget, options: CallOptions): Promise<string>;
  /** Reports a failed request. */
  failed(failure: PlatformFailure): void;
}

/** A file of a message to a person. */
export interface FileToOffer {
  readonly file: OutboundFile;
  readonly index: number;
  readonly messageId: string;
  readonly personId: string;
}

/** Sends a message: its text and each file are activities of their own. Platform errors are outcomes. */
export async function sendMessage(
  deps: SendDeps,
  streams: Pick<Streams, 'complete'>,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { api, pauses } = deps;
  const { to, text, attachments, messageId, choices, shownId } = message;
  const { id: spaceId } = to.space;
  const options = { deadlineMs: DEADLINE_MS, signal };
  const rules: SendRules = {
    retryMs: 0,
    isGone: isAddressGone,
    pauseMs: ({ afterMs }) => pauses.next(spaceId, afterMs || null),
  };
  const failed = (error: unknown, sentIds: readonly string[], isShown = true): SendOutcome => {
    const failure = failureOf(error);
    deps.failed(failure);
    return outcomeOf(failure, sentIds, rules, isShown);
  };
  try {
    const target = await targetOf(deps, to, options);
    checkFiles(to, attachments);
    const offer = (file: OutboundFile, index: number) =>
      deps.offer({ file, index, messageId, personId: spaceId }, target, options);
    const say = async () =>
      shownId === undefined
        ? await postActivity(api, target, textActivity(text), options)
        : await streams.complete({ target, spaceId, streamId: shownId }, text, options);
    const words = text === '' ? [] : [say];
    // Teams splits an activity with text and card into two, and does not tell their ids.
    const card = choices ? [() => postActivity(api, target, cardActivity(choices), options)] : [];
    const parts = [...words, ...card, ...attachments.map((file, index) => () => offer(file, index))];
    const outcome = await sendParts({ parts, send: async (post) => [await post()], failed });
    if (outcome.kind === 'sent') pauses.succeeded(spaceId);
    return outcome;
  } catch (error) {
    // Opening a chat twice is harmless.
    return failed(error, [], false);
  }
}

/** Throws a PlatformFailure if one of the files cannot be sent. */
function checkFiles({ space }: Address, files: readonly OutboundFile[]): void {
  if (files.length === 0) return;
  if (space.kind !== 'direct')
    throw new PlatformFailure('refused', 'Teams takes files of bots only in chats with one person');
  // An upload session cannot be given a range of no bytes (https://github.com/OneDrive/onedrive-api-docs/issues/53).
  const empty = files.find(({ sizeBytes }) => sizeBytes === 0);
  if (empty) throw new PlatformFailure('refused', `Teams takes no empty files: ${empty.name}`);
}

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
const MAX_CONVERSATIONS = 10_000;

/** How long to leave a conversation alone after Teams has asked for it, mostly without saying for how long. */
export class ThrottlePauses {
  readonly #random: () => number;
  /** Failures in a row. */
  readonly #failures = new LimitedMap<number>(MAX_CONVERSATIONS);

  /** `random`: 0 to 1. */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Returns the pause after another failure: what Teams says, or doubled each time, and up to half of it longer. */
  next(conversation: string, saidMs: number | null): number {
    const failures = this.#failures.get(conversation) ?? 0;
    this.#failures.set(conversation, failures + 1);
    if (saidMs !== null) return saidMs;
    const pauseMs = Math.min(FIRST_MS * 2 ** failures, LONGEST_MS);
    return Math.round(pauseMs * (1 + this.#random() / 2));
  }

  succeeded(conversation: string): void {
    this.#failures.delete(conversation);
  }
}

function cardActivity(choices: readonly string[]): OutboundActivity {
  return { type: 'message', attachments: [cardOf(choices)] };
}

/** Adds a reaction to a message, or takes it back. Rejects with a PlatformFailure. */
export async function react(
  deps: SendDeps,
  to: Address,
  { platformMessageId, emoji, isAdded }: OutboundReaction,
  signal: AbortSignal,
): Promise<void> {
  const options = { deadlineMs: DEADLINE_MS, signal };
  const target = await targetOf(deps, to, options);
  const message = callOf(target, undefined, platformMessageId);
  const path = `${message.path}/reactions/${encodeURIComponent(typeOfEmoji(emoji))}`;
  await deps.api.call({ ...message, method: isAdded ? 'PUT' : 'DELETE', path }, options, z.unknown());
}

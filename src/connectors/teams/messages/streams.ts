import * as z from 'zod';
import { LimitedMap } from '../../../base/limited-map.ts';
import type { LiveMessage, LiveOutcome, ShowsWriting } from '../../contract/live-message.ts';
import { liveOutcomeOf } from '../../kit/live-outcome.ts';
import type { PlatformFailure } from '../../kit/platform-failure.ts';
import type { CallOptions } from '../../kit/platform-http.ts';
import { failureOf, type TeamsApi } from '../client.ts';
import {
  callOf,
  isAddressGone,
  type PostTarget,
  postActivity,
  type TargetDeps,
  targetOf,
  textActivity,
} from './posting.ts';
import { toMarkdown } from './text.ts';

const DEADLINE_MS = 5_000;
const MAX_STREAMS = 5_000;
/** Of what stands in the progress bar. */
const MAX_INFORMATIVE = 1_000;

export interface StreamDeps extends TargetDeps {
  /** Reports a failed request. */
  failed(failure: PlatformFailure): void;
}

export interface OpenStream {
  readonly target: PostTarget;
  readonly spaceId: string;
  readonly streamId: string;
}

/** What this process has streamed. */
interface Stream {
  sequence: number;
  /** People read this, and what follows must begin with it. */
  text: string;
}

/**
 * Messages that Teams streams in chats with one person (https://learn.microsoft.com/microsoftteams/platform/bots/streaming-ux):
 * one at a time in each, for two minutes, a request a second at most. The first one is informative: it shows the first words in
 * a bar and leaves nothing behind, so nobody need know whether it has arrived.
 */
export class Streams implements ShowsWriting {
  readonly kind = 'message';
  readonly grows = true;
  readonly pace = { most: 20, updates: 6, withinMs: 1_000, everyMs: 1_500 };
  readonly #deps: StreamDeps;
  readonly #streams = new LimitedMap<Stream>(MAX_STREAMS);
  /** Streams by the people to whom they are. */
  readonly #openTo = new LimitedMap<string>(MAX_STREAMS);

  constructor(deps: StreamDeps) {
    this.#deps = deps;
  }

  shows({ space }: LiveMessage['to']): boolean {
    return space.kind === 'direct';
  }

  async show(message: LiveMessage, signal: AbortSignal): Promise<LiveOutcome> {
    const options = { deadlineMs: DEADLINE_MS, signal };
    const { shownId, unclearSince } = message;
    if (shownId === null && unclearSince !== null) return { kind: 'refused' };
    try {
      const target = await targetOf(this.#deps, message.to, options);
      if (shownId === null) {
        const streamId = await this.#begin(target, message.text, options);
        this.#openTo.set(message.to.space.id, streamId);
        return { kind: 'shown', shownId: streamId, isHint: true };
      }
      return (await this.#goOn(target, shownId, message.text, options))
        ? { kind: 'shown', shownId }
        : { kind: 'refused' };
    } catch (error) {
      const failure = failureOf(error);
      this.#deps.failed(failure);
      return liveOutcomeOf(failure);
    }
  }

  /** Whether a message to a person is being streamed. */
  isOpenTo(spaceId: string): boolean {
    return this.#openTo.get(spaceId) !== undefined;
  }

  async remove(to: LiveMessage['to'], streamId: string, signal: AbortSignal): Promise<void> {
    this.#openTo.delete(to.space.id);
    const options = { deadlineMs: DEADLINE_MS, signal };
    await targetOf(this.#deps, to, options)
      .then((target) => remove(this.#deps.api, target, streamId, options))
      .catch(() => {});
  }

  /**
   * Makes what is shown the whole message: at the end of its stream, or in place of what the stream has shown. Returns the id of
   * the message. Rejects with a PlatformFailure.
   */
  async complete(
    { target, spaceId, streamId }: OpenStream,
    text: string,
    options: CallOptions,
  ): Promise<string> {
    const { api } = this.#deps;
    this.#openTo.delete(spaceId);
    const whole = textActivity(text);
    const end = async (activity: typeof whole) => {
      const entities = [{ type: 'streaminfo', streamId, streamType: 'final' }];
      await api.call(callOf(target, { ...activity, entities }), options, z.unknown());
    };
    if (await taken(end(whole))) return streamId;
    // The time of the stream is over, its text has changed, or somebody has stopped it.
    const stream = this.#streams.get(streamId);
    if (stream?.text) await taken(end({ ...whole, text: stream.text }));
    const call = callOf(target, { ...whole, id: streamId }, streamId);
    if (await taken(api.call({ ...call, method: 'PUT' }, options, z.unknown()))) return streamId;
    await taken(remove(api, target, streamId, options));
    return await postActivity(api, target, whole, options);
  }

  async #begin(target: PostTarget, text: string, options: CallOptions): Promise<string> {
    const info = { type: 'streaminfo', streamType: 'informative', streamSequence: 1 } as const;
    const words = text.slice(0, MAX_INFORMATIVE).toWellFormed();
    const streamId = await postActivity(
      this.#deps.api,
      target,
      { type: 'typing', text: words, entities: [info] },
      options,
    );
    this.#streams.set(streamId, { sequence: 1, text: '' });
    return streamId;
  }

  /** Returns whether the stream goes on. */
  async #goOn(target: PostTarget, streamId: string, source: string, options: CallOptions): Promise<boolean> {
    const stream = this.#streams.get(streamId);
    const text = toMarkdown(source);
    if (!stream || !text.startsWith(stream.text)) return false;
    stream.sequence += 1;
    const info = {
      type: 'streaminfo',
      streamId,
      streamType: 'streaming',
      streamSequence: stream.sequence,
    } as const;
    const activity = { type: 'typing', text, textFormat: 'markdown', entities: [info] } as const;
    await this.#deps.api.call(callOf(target, activity), options, z.unknown());
    stream.text = text;
    return true;
  }
}

async function remove(api: TeamsApi, target: PostTarget, id: string, options: CallOptions): Promise<void> {
  const { serviceUrl, path } = callOf(target, undefined, id);
  await api.call({ method: 'DELETE', serviceUrl, path }, options, z.unknown());
}

/** False: Teams has refused it, but not to write to the person. Throws any other failure. */
async function taken(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind !== 'refused' || failure.isLoggedOut || isAddressGone(failure)) throw failure;
    return false;
  }
}

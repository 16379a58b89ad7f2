import { createSocket } from 'node:dgram';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError } from '../../../src/base/errors.ts';
import type { Termination } from '../../../src/base/termination.ts';
import type { LegObserver, PlatformLeg } from '../../../src/connectors/contract/call-leg.ts';
import type { InboundAnswerer, PlacesCalls } from '../../../src/connectors/contract/connector.ts';
import type { MediaControl } from '../../../src/media/media-control.ts';
import { replacing } from './replacing.ts';
import type { Violation } from './violation.ts';

const FAILED: Termination = { result: 'failed', reason: 'made up' };
const NO_LEG: PlatformLeg = { accept() {}, refuse() {}, hangUp() {}, released: Promise.resolve() };
/** Nothing can be bound to it. */
const NOWHERE = '192.0.2.1';

/** At least one for each rule of the call suite. */
export const CALL_VIOLATIONS: readonly Violation[] = [
  {
    rule: 'what cannot be called is refused, and nothing is tried',
    does: 'finds out too late what it cannot call',
    at: {
      calls: (inner) => ({
        prepare: (request) => {
          try {
            return inner.prepare(request);
          } catch {
            return { capabilities: [], sampleRateHz: 8_000 };
          }
        },
        dial: (request, media, observer) => {
          try {
            return inner.dial(request, media, observer);
          } catch {
            queueMicrotask(() => observer.ended('lost', FAILED));
            return NO_LEG;
          }
        },
      }),
    },
  },
  {
    rule: 'a call is connecting until it is answered, then both sides hear each other and not themselves',
    does: 'reports a call as answered before it is',
    at: {
      calls: dialing((_leg, observer) => {
        queueMicrotask(() => observer.answered());
        return {};
      }),
    },
  },
  {
    rule: 'a call is connecting until it is answered, then both sides hear each other and not themselves',
    does: 'sends no audio',
    at: {
      calls: (inner) => ({
        dial: (request, media, observer) => inner.dial(request, silenced(media), observer),
      }),
    },
  },
  {
    rule: 'keys go both ways',
    does: 'drops the first key',
    at: {
      calls: dialing((leg) => ({
        dtmf: { sendDtmf: (digits) => leg.dtmf!.sendDtmf(digits.slice(1)) },
      })),
    },
  },
  {
    rule: 'the far end hangs up: the call has ended',
    does: 'does not report that the far end has hung up',
    at: { calls: observing((inner) => ({ ended: (by, why) => by === 'remote' || inner.ended(by, why) })) },
  },
  {
    rule: 'the agent hangs up: the far end is told',
    does: 'hangs up without a word',
    at: { calls: dialing((leg, _observer, isAnswered) => ({ hangUp: () => isAnswered() || leg.hangUp() })) },
  },
  {
    rule: 'the agent hangs up before the answer: the far end is told',
    does: 'lets the far end ring on',
    at: { calls: dialing((leg, _observer, isAnswered) => ({ hangUp: () => !isAnswered() || leg.hangUp() })) },
  },
  {
    rule: 'a call that the far end does not take is disconnected, with the reason',
    does: 'reports every end as a failure',
    at: { calls: observing((inner) => ({ ended: (by) => inner.ended(by, FAILED) })) },
  },
  {
    rule: 'a caller rings, is accepted and heard',
    does: 'refuses whom it should accept',
    at: { answerer: ringing((leg) => ({ accept: () => leg.refuse() })) },
  },
  {
    rule: 'a caller is refused',
    does: 'lets a refused caller wait',
    at: { answerer: ringing(() => ({ refuse: () => undefined })) },
  },
  {
    rule: 'a caller who gives up is missed',
    does: 'does not notice that a caller has given up',
    at: {
      answerer: (inner) => ({
        ring: (call) =>
          inner.ring(
            replacing(call, {
              take: (media, observer) => call.take(media, replacing(observer, { ended: () => undefined })),
            }),
          ),
      }),
    },
  },
  {
    rule: 'a call that waits to be admitted says so',
    does: 'keeps to itself that it waits',
    at: { calls: observing(() => ({ waiting: () => undefined })) },
  },
  {
    rule: 'the chat of a meeting goes both ways, and agents do not hear themselves',
    does: 'reports what the agent writes, too',
    at: {
      calls: dialing(({ chat }, observer) => ({
        chat: replacing(chat!, {
          send: async (message, signal) => {
            const id = `own-${message.text}`;
            observer.chat({
              id,
              sender: 'me',
              text: message.text,
              sentAt: new Date().toISOString(),
              files: [],
            });
            return await chat!.send(message, signal);
          },
        }),
      })),
    },
  },
  {
    rule: 'agents are seen typing in a meeting',
    does: 'does not show that agents type',
    at: { calls: dialing(() => ({ typing: { showTyping: async () => undefined } })) },
  },
  {
    rule: 'who takes part in a meeting is known',
    does: 'reports who takes part once',
    at: {
      calls: observing((inner) => {
        let isTold = false;
        return {
          participants: (list) => {
            if (!isTold) inner.participants(list);
            isTold = true;
          },
        };
      }),
    },
  },
  {
    rule: 'a call survives the end of its bridge thread',
    does: 'does not notice that a transport is lost',
    at: {
      bridges: (inner) => ({
        open: (protocol, open, observer) =>
          inner.open(protocol, open, replacing(observer, { lost: () => undefined })),
      }),
    },
  },
  {
    rule: 'two accounts neither see nor hear each other’s calls',
    does: 'calls with the login of whoever called first',
    at: {
      calls: (inner) => {
        let first: string | undefined;
        return {
          dial: (request, media, observer) => {
            first ??= request.accountId;
            return inner.dial({ ...request, accountId: first }, media, observer);
          },
        };
      },
    },
  },
  {
    rule: 'a call survives the end of its engine thread',
    does: 'forgets where its media was open',
    at: {
      calls: (inner) => ({
        dial: (request, media, observer) => inner.dial(request, forgetful(media), observer),
      }),
    },
  },
  {
    rule: 'a stopping gateway tells the far ends',
    does: 'stops without a word',
    at: {
      calls: dialing(() => ({ hangUp: () => undefined, released: Promise.resolve() })),
      life: () => ({ close: async () => undefined }),
    },
  },
  {
    rule: 'a killed gateway disconnects its calls when it starts again, and takes new ones',
    does: 'forgets its logins in a crash',
    at: {
      calls: (inner) => {
        const mark = join(process.env.SVC_DATA_DIR!, 'has-dialled');
        const hasCrashed = existsSync(mark);
        return {
          prepare: (request) => {
            if (hasCrashed) throw new GatewayError('no_sip_trunk');
            return inner.prepare(request);
          },
          dial: (...call) => {
            writeFileSync(mark, '');
            return inner.dial(...call);
          },
        };
      },
    },
  },
  {
    rule: 'calls leave nothing behind',
    does: 'leaves a socket open after each call',
    at: {
      calls: dialing(() => {
        createSocket('udp4').bind(0, '127.0.0.1').unref();
        return {};
      }),
    },
  },
];

type Dial = (inner: PlacesCalls) => Partial<PlacesCalls>;

/** Replaces members of outbound legs. */
function dialing(
  change: (leg: PlatformLeg, observer: LegObserver, isAnswered: () => boolean) => Partial<PlatformLeg>,
): Dial {
  return (inner) => ({
    dial: (request, media, observer) => {
      let isAnswered = false;
      const answered = () => {
        isAnswered = true;
        observer.answered();
      };
      const leg = inner.dial(request, media, replacing(observer, { answered }));
      return replacing(
        leg,
        change(leg, observer, () => isAnswered),
      );
    },
  });
}

/** Replaces what outbound legs report. */
function observing(change: (inner: LegObserver) => Partial<LegObserver>): Dial {
  return (inner) => ({
    dial: (request, media, observer) => inner.dial(request, media, replacing(observer, change(observer))),
  });
}

/** Replaces members of inbound legs. */
function ringing(
  change: (leg: PlatformLeg) => Partial<PlatformLeg>,
): (inner: InboundAnswerer) => Partial<InboundAnswerer> {
  return (inner) => ({
    ring: (call) =>
      inner.ring(
        replacing(call, {
          take: (media, observer) => {
            const leg = call.take(media, observer);
            return replacing(leg, change(leg));
          },
        }),
      ),
  });
}

function silenced(media: MediaControl): MediaControl {
  return {
    open: async (protocol, open, onEvent) => {
      const opened = await media.open(protocol, open, onEvent);
      return replacing(opened, { configure: (config) => opened.configure({ ...config, sending: false }) });
    },
  };
}

/** What opens the leg on another thread is no longer what opened it. */
function forgetful(media: MediaControl): MediaControl {
  return {
    open: async (protocol, open, onEvent) => {
      const again = { ...open };
      const opened = await media.open(protocol, again, onEvent);
      Object.assign(again as object, { bindHost: NOWHERE });
      return opened;
    },
  };
}

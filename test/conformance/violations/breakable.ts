import type { MakeConnector } from '../../../src/assembly/platforms.ts';
import type { Connector, Provides } from '../../../src/connectors/contract/connector.ts';
import type { Messenger } from '../../../src/connectors/contract/messenger.ts';
import { CALL_VIOLATIONS } from './call-violations.ts';
import { MESSENGER_VIOLATIONS } from './messenger-violations.ts';
import { bound, replacing } from './replacing.ts';
import type { BotStates, Seams, Violation } from './violation.ts';

const VIOLATIONS = new Map(
  [...MESSENGER_VIOLATIONS, ...CALL_VIOLATIONS].map((violation) => [violation.does, violation]),
);

/** Wraps a seam: every access goes to the violation that is active then, or to the connector itself. */
export type Break = <Name extends keyof Seams>(name: Name, inner: Seams[Name]) => Seams[Name];

/** A connector with seams that can be broken. */
export function breakable(connector: Connector, broken: Break): Connector {
  const life = broken('life', connector);
  return replacing(connector, {
    provides: brokenProvides(connector, broken),
    start: () => life.start(),
    close: (deadlineMs) => life.close(deadlineMs),
  });
}

/** The same for the bridge threads that a connector is made with. */
export function withBreakableBridges(make: MakeConnector, broken: Break): MakeConnector {
  return (deps, sip) =>
    make({ ...deps, bridges: broken('bridges', deps.bridges) as typeof deps.bridges }, sip);
}

/** `active` returns what the violation does that is active. */
export function breaking(active: () => string): Break {
  return (name, inner) => {
    const made = new Map<Violation, object>();
    const differing = (): object => {
      const violation = VIOLATIONS.get(active());
      const make = violation?.at[name];
      if (violation === undefined || make === undefined) return inner;
      const known = made.get(violation) ?? make(inner);
      made.set(violation, known);
      return known;
    };
    return new Proxy(inner, {
      get: (_target, key) => {
        const different = differing();
        return bound(key in different ? different : inner, key);
      },
    });
  };
}

function brokenProvides({ provides }: Connector, broken: Break): Provides {
  const { messenger, webhooks, bots, calls, inboundCalls } = provides;
  return {
    ...provides,
    ...(messenger && { messenger: brokenMessenger(messenger, broken) }),
    ...(webhooks && { webhooks: broken('webhooks', webhooks) }),
    ...(calls && { calls: broken('calls', calls) }),
    ...(inboundCalls && {
      inboundCalls: {
        onInbound: (answerer) => inboundCalls.onInbound(broken('answerer', answerer)),
      },
    }),
    ...(bots && {
      bots: replacing(bots, {
        onBotState: (listener) => {
          const states: BotStates = broken('botStates', { changed: listener });
          bots.onBotState((botId, state) => states.changed(botId, state));
        },
      }),
    }),
  };
}

function brokenMessenger(messenger: Messenger, broken: Break): Messenger {
  const { typing, files, window, reactions } = messenger;
  return replacing(broken('messenger', messenger), {
    onMessages: (intake) => messenger.onMessages(broken('intake', intake)),
    ...(typing && { typing: broken('typing', replacing(typing, { typingRepeatMs: QUICK_TYPING_MS })) }),
    ...(files && { files: broken('files', files) }),
    ...(window && { window: broken('window', window) }),
    ...(reactions && { reactions: broken('reactions', reactions) }),
  });
}

/** Typing indicators are repeated sooner, so that the rules about them take less time. */
export const QUICK_TYPING_MS = 300;

import { setTimeout as wait } from 'node:timers/promises';
import type {
  InboundMessage,
  MessageIntake,
  Messenger,
  OutboundMessage,
  SendOutcome,
} from '../../../src/connectors/contract/messenger.ts';
import type { Violation } from './violation.ts';

const LATE_MS = 300;
const SENT: SendOutcome = { kind: 'sent', platformMessageIds: ['made up'] };

/** At least one for each rule of the messenger suite. */
export const MESSENGER_VIOLATIONS: readonly Violation[] = [
  {
    rule: 'what a person writes is in the inbox, and agents are told of it',
    does: 'forgets the name of a person',
    at: { intake: (inner) => receiving(inner, (message) => ({ ...message, remoteName: null })) },
  },
  {
    rule: 'what a person writes keeps its order',
    does: 'stores some messages late',
    at: {
      intake: (inner) => ({
        received: async (message) => {
          if (!message.text.endsWith('5')) return await inner.received(message);
          setTimeout(() => void inner.received(message), LATE_MS);
          return 'stored';
        },
      }),
    },
  },
  {
    rule: 'a message that the platform delivers again is stored once',
    does: 'makes up an id for each delivery',
    at: {
      intake: (inner) =>
        receiving(inner, (message) => ({ ...message, platformMessageId: `${Math.random()}` })),
    },
  },
  {
    rule: 'what agents write in Markdown is formatted as the platform does it, and every address is whole',
    does: 'escapes all marks',
    at: {
      messenger: (inner) => ({
        send: async ({ text, ...message }, signal) =>
          await inner.send({ ...message, text: text.replace(/[*_~`[]/g, '\\\\$&') }, signal),
      }),
    },
  },
  {
    rule: 'what is rare in Markdown means the same as what is common',
    does: 'takes underscores for marks wherever they stand',
    at: {
      messenger: (inner) => ({
        send: async ({ text, ...message }, signal) =>
          await inner.send({ ...message, text: text.replace(/_/g, '') }, signal),
      }),
    },
  },
  {
    rule: 'a person’s answer says what it answers',
    does: 'forgets what is answered',
    at: { intake: (inner) => receiving(inner, (message) => ({ ...message, replyTo: undefined })) },
  },
  {
    rule: 'an agent’s message shows what it answers',
    does: 'quotes nothing',
    at: {
      messenger: (inner) => ({
        send: async ({ replyTo: _answered, ...message }, signal) => await inner.send(message, signal),
      }),
    },
  },
  {
    rule: 'what a person picks of the choices is a message with a choice',
    does: 'shows no buttons',
    at: {
      messenger: (inner) => ({
        send: async ({ choices: _choices, ...message }, signal) => await inner.send(message, signal),
      }),
    },
  },
  {
    rule: 'a person’s reaction is an event, and so is taking it back',
    does: 'tells only of new reactions',
    at: {
      intake: (inner) => ({
        reacted: async (from, reaction) => {
          if (reaction.isAdded) await inner.reacted(from, reaction);
        },
      }),
    },
  },
  {
    rule: 'an agent reacts to a person’s message, and takes it back',
    does: 'keeps its reactions',
    at: {
      reactions: (inner) => ({
        react: async (to, reaction, signal) =>
          reaction.isAdded ? await inner.react(to, reaction, signal) : { kind: 'done' },
      }),
    },
  },
  {
    rule: 'a text that is too long is sent in parts, in order, if the agent wants',
    does: 'drops the second part',
    at: {
      messenger: (inner) => {
        let sent = 0;
        return {
          send: async (message, signal) => {
            if (message.text.startsWith('word')) sent += 1;
            return sent === 2 ? SENT : await inner.send(message, signal);
          },
        };
      },
    },
  },
  {
    rule: 'every kind of payload is seen by the agent, or counted as ignored',
    does: 'drops what has no words',
    at: {
      intake: (inner) => ({
        received: async (message) => (message.text === '' ? 'stored' : await inner.received(message)),
      }),
    },
  },
  {
    rule: 'an edit or a deletion that overtakes its message wins, also over the message’s retry',
    does: 'forgets early edits',
    at: { intake: () => ({ edited: async () => undefined }) },
  },
  {
    rule: 'an edited message shows its new text, and an edit that changes nothing is no event',
    does: 'ignores edits',
    at: { intake: () => ({ edited: async () => undefined }) },
  },
  {
    rule: 'what an agent sends reaches the person, and is known by the platform’s id',
    does: 'makes up the ids of sent messages',
    at: { messenger: (inner) => sending(inner, (outcome) => (outcome.kind === 'sent' ? SENT : outcome)) },
  },
  {
    rule: 'what agents send keeps its order',
    does: 'sends some messages after the next one',
    at: {
      messenger: (inner) => {
        let held: OutboundMessage | null = null;
        return {
          send: async (message, signal) => {
            if (message.text.endsWith('5')) {
              held = message;
              return SENT;
            }
            const outcome = await inner.send(message, signal);
            if (held) await inner.send(held, signal);
            held = null;
            return outcome;
          },
        };
      },
    },
  },
  {
    rule: 'the longest text arrives whole, and a longer one is refused before anything is sent',
    does: 'cuts what is too long',
    at: {
      messenger: (inner) => ({
        checkText: () => undefined,
        send: (message, signal) => inner.send({ ...message, text: message.text.slice(0, 4_096) }, signal),
      }),
    },
  },
  {
    rule: 'a refusal is reported in the platform’s words',
    does: 'reports a refused message as sent',
    at: { messenger: (inner) => sending(inner, (outcome) => (outcome.kind === 'refused' ? SENT : outcome)) },
  },
  {
    rule: 'a throttled message is sent again after the platform’s pause, and arrives once',
    does: 'sends a throttled message twice',
    at: {
      messenger: (inner) => ({
        send: async (message, signal) => {
          const outcome = await inner.send(message, signal);
          if (outcome.kind !== 'later') return outcome;
          await wait(outcome.afterMs);
          await inner.send(message, signal);
          return await inner.send(message, signal);
        },
      }),
    },
  },
  {
    rule: 'a throttled message is sent again after the platform’s pause, and arrives once',
    does: 'gives a throttled message up',
    at: {
      messenger: (inner) =>
        sending(inner, (outcome) =>
          outcome.kind === 'later'
            ? { kind: 'refused', reason: outcome.reason, isAddressGone: false }
            : outcome,
        ),
    },
  },
  {
    rule: 'a message whose answer is lost is unknown, and is not sent again',
    does: 'sends again what may have arrived',
    at: {
      messenger: (inner) =>
        sending(inner, (outcome) =>
          outcome.kind === 'unknown' ? { kind: 'later', reason: outcome.reason, afterMs: 1 } : outcome,
        ),
    },
  },
  {
    rule: 'a person who cannot be reached is not written to until they write again',
    does: 'ignores that a person cannot be reached',
    at: {
      intake: () => ({ reachable: async () => undefined }),
      messenger: (inner) =>
        sending(inner, (outcome) =>
          outcome.kind === 'refused' ? { ...outcome, isAddressGone: false } : outcome,
        ),
    },
  },
  {
    rule: 'a dead login shows the platform’s words, and recovers',
    does: 'never reports a change of its logins',
    outlastsItself: true,
    at: { botStates: () => ({ changed: () => undefined }) },
  },
  {
    rule: 'a person’s file has its bytes',
    does: 'loses the end of a file',
    at: {
      files: (inner) => ({
        fetchFile: async (...file) => {
          const parts: Uint8Array[] = [];
          for await (const part of await inner.fetchFile(...file)) parts.push(part);
          return (async function* () {
            yield Buffer.concat(parts).subarray(0, -1);
          })();
        },
      }),
    },
  },
  {
    rule: 'a file that is too large is named in the text',
    does: 'does not tell how large files are',
    at: {
      intake: (inner) =>
        receiving(inner, (message) => ({
          ...message,
          files: message.files.map((file) => ({ ...file, sizeBytes: null })),
        })),
    },
  },
  {
    rule: 'an agent’s files have their bytes and order, the first one the text',
    does: 'drops the second file',
    at: {
      messenger: (inner) => ({
        send: (message, signal) =>
          inner.send({ ...message, attachments: message.attachments.slice(0, 1) }, signal),
      }),
    },
  },
  {
    rule: 'the typing indicator is shown, repeated, and ended by the answer',
    does: 'shows the typing indicator once',
    at: {
      typing: (inner) => {
        const shown = new Set<string>();
        return {
          showTyping: async (to, signal) => {
            if (!shown.has(to.space.id)) await inner.showTyping(to, signal);
            shown.add(to.space.id);
          },
        };
      },
    },
  },
  {
    rule: 'a channel and its threads are conversations of their own, each answered where it is',
    does: 'loses the thread of a message',
    at: {
      intake: (inner) =>
        receiving(inner, (message) => ({ ...message, from: { ...message.from, thread: null } })),
    },
  },
  {
    rule: 'outside the window messages are queued, and sent when the person writes',
    does: 'reports what the window refuses as sent',
    at: {
      messenger: (inner) => sending(inner, (outcome) => (outcome.kind === 'window_closed' ? SENT : outcome)),
    },
  },
  {
    rule: 'a webhook is taken from the platform only',
    does: 'takes webhooks from anybody',
    at: {
      webhooks: (inner) => {
        const genuine = new Map<string, string>();
        return {
          refuses: () => null,
          webhook: async (request) => {
            const reply = await inner.webhook(request);
            if (reply.status === 200)
              for (const name of inner.headers) genuine.set(name, request.header(name));
            return reply.status === 401
              ? await inner.webhook({ ...request, header: (name) => genuine.get(name) ?? '' })
              : reply;
          },
        };
      },
    },
  },
  {
    rule: 'a webhook that is replayed stores nothing new',
    does: 'refuses a webhook that is repeated',
    at: {
      webhooks: (inner) => {
        const seen = new Set<string>();
        return {
          webhook: async (request) => {
            const body = Buffer.from(request.body).toString();
            if (seen.has(body)) return { status: 400, text: 'Seen before' };
            seen.add(body);
            return await inner.webhook(request);
          },
        };
      },
    },
  },
  {
    rule: 'a webhook survives 64 KB, deep nesting and other methods',
    does: 'fails at a webhook that is not JSON',
    at: {
      webhooks: (inner) => ({
        webhook: async (request) => {
          JSON.parse(Buffer.from(request.body).toString());
          return await inner.webhook(request);
        },
      }),
    },
  },
  {
    rule: 'kill -9 loses and doubles nothing that people write',
    does: 'acknowledges before it has stored',
    at: {
      intake: (inner) => ({
        received: async (message) => {
          setTimeout(() => void inner.received(message), LATE_MS);
          return 'stored';
        },
      }),
    },
  },
  {
    rule: 'kill -9 at each step of sending: nothing is sent twice, and unknown is only what may have arrived',
    does: 'claims that the platform drops duplicates',
    at: { messenger: () => ({ dropsDuplicatesForMs: Number.POSITIVE_INFINITY }) },
  },
];

function receiving(
  inner: MessageIntake,
  change: (message: InboundMessage) => InboundMessage,
): Partial<MessageIntake> {
  return { received: (message) => inner.received(change(message)) };
}

function sending(inner: Messenger, change: (outcome: SendOutcome) => SendOutcome): Partial<Messenger> {
  return {
    send: async (message: OutboundMessage, signal: AbortSignal) => change(await inner.send(message, signal)),
  };
}

import type { AgentRoster } from '../accounts/account/agent-roster.ts';
import type { AgentReplies } from '../accounts/keys/agent-replies.ts';
import type { InboxDomain } from '../api/rest/inbox.ts';
import type { Platform } from '../base/platform.ts';
import type { CallDomain } from '../calls/call-domain.ts';
import type { MessageIntake, Messenger } from '../connectors/contract/messenger.ts';
import type { FileDomain } from '../files/file-domain.ts';
import { keepInboundFiles } from '../files/keep-inbound-files.ts';
import { listedAttachments, listedFiles } from '../files/listed-attachments.ts';
import { attachedFiles, resolveAttachments, sentFile } from '../files/resolve-attachments.ts';
import { type DeltaQuestion, readDelta } from '../messaging/inbox/inbox-delta.ts';
import type { Reading } from '../messaging/inbox/inbox-view.ts';
import { AccountNews } from '../messaging/inbox/long-poll-account.ts';
import { LongPolls } from '../messaging/inbox/long-polls.ts';
import { Arrivals } from '../messaging/intake/arrivals.ts';
import { awaitReply } from '../messaging/intake/await-reply.ts';
import type { IntakeDomain } from '../messaging/intake/intake-domain.ts';
import { platformIntake } from '../messaging/intake/platform-intake.ts';
import type { VoiceNotes } from '../messaging/intake/voice-notes.ts';
import { openOutbound } from '../messaging/outbox/open-outbound.ts';
import type { OutboundDomain } from '../messaging/outbox/outbound-domain.ts';
import { recoverOutbox } from '../messaging/outbox/recover-outbox.ts';
import { SendingTurns } from '../messaging/outbox/sending-turns.ts';
import { confirmOwner, tellOfBots } from '../messaging/owner/write-to-owner.ts';
import { WindowQueue } from '../messaging/window/window-queue.ts';
import type { LocalShares } from '../speech/session/local-shares.ts';
import type { MessagePlatform } from '../store/messages/message-tables.ts';
import type { PartDeps } from './gateway-deps.ts';
import { voiceNotes } from './note-deps.ts';

/** Returns the connectors that exchange messages, by platform. */
function messengersOf({ connectors }: CallDomain): ReadonlyMap<MessagePlatform, Messenger> {
  const messengers = [...connectors].flatMap(
    ([
      platform,
      {
        provides: { messenger },
      },
    ]) => (messenger === undefined ? [] : [[platform, messenger] as const]),
  );
  return new Map(messengers);
}

interface MessagingNeeds {
  readonly calls: CallDomain;
  readonly files: FileDomain;
  readonly roster: AgentRoster;
  readonly replies: AgentReplies;
  readonly local: LocalShares;
}

export interface Messaging {
  readonly outbound: OutboundDomain;
  readonly inbox: InboxDomain;
  /** What each platform reports about messages goes here. */
  readonly intakes: ReadonlyMap<Platform, MessageIntake>;
  /** Starts sending the messages that an earlier process left. Call it once the platforms are logged in. */
  readonly start: () => Promise<void>;
}

/** Creates inbound and outbound messaging, after settling the messages that an earlier process was sending. */
export async function openMessaging(deps: PartDeps, needs: MessagingNeeds): Promise<Messaging> {
  const { metrics, events } = deps;
  const { store, clock, wakeups } = deps;
  const messengers = messengersOf(needs.calls);
  const turns = new SendingTurns(clock, messengers);
  metrics.watchShare('sending', turns.all);
  for (const [platform, share] of turns.shared) metrics.watchShare(`sending_${platform}`, share);
  const sending = {
    store,
    clock,
    wakeups,
    messengers,
    turns,
    filesOf: (messageSeq: number) => attachedFiles(needs.files, messageSeq),
  };
  const windows = new WindowQueue({
    ...sending,
    count: (platform, event) => metrics.messengerEvent(platform, event),
    onFailure: (error) => events.writeFailed('queued messages', error),
  });
  deps.closers.push((deadlineMs) => windows.close(deadlineMs));
  const ready = Promise.withResolvers<void>();
  const { files, replies } = needs;
  const outbound = openOutbound({
    ...sending,
    ready: ready.promise,
    windows,
    resolveFiles: (accountId, sources, signal) => resolveAttachments(files, accountId, sources, signal),
    observer: events,
    timeoutText: deps.settings.messaging.timeoutText,
    onProbeAnswered: (credentialId, probeId) => replies.replied(credentialId, probeId),
    onFailure: (what, error) => events.writeFailed(what, error),
  });
  const { outbox, answers, onFailure } = outbound;
  metrics.watchQueue('svc_outbox_waiting', 'Direct messages being sent', () => outbox.waiting);
  metrics.watchShare('outbox', outbox.share);
  metrics.watchShare('webhook_answers', answers.share);
  metrics.watchQueue(
    'svc_webhook_answers_waiting',
    'Webhooks that wait for a message to answer with',
    () => answers.waiting,
  );
  events.messagesLeftByRestart(
    await recoverOutbox(outbound, outbox, (error) => onFailure('a message', error)),
  );
  windows.start();
  const intake = intakeDomain(deps, needs, outbound);
  const intakes = new Map<Platform, MessageIntake>();
  const newNotes = voiceNotes(deps, messengers, needs.local);
  const allNotes: VoiceNotes[] = [];
  for (const [
    platform,
    {
      provides: { messenger },
    },
  ] of needs.calls.connectors) {
    if (messenger === undefined) continue;
    const queue = messenger.window === undefined ? null : windows;
    const notes = newNotes(platform);
    allNotes.push(notes);
    const own = platformIntake({ ...intake, platform, queue, notes });
    intakes.set(platform, own);
    messenger.onMessages(own);
  }
  const inbox = inboxDomain(deps, needs.files);
  metrics.watchInbox(() => inbox.waiters);
  const start = async (): Promise<void> => {
    ready.resolve();
    for (const notes of allNotes) await notes.start();
  };
  return { outbound, inbox, intakes, start };
}

function intakeDomain(
  { store, clock, wakeups, events, metrics }: PartDeps,
  { files, roster }: MessagingNeeds,
  outbound: OutboundDomain,
): Omit<IntakeDomain, 'platform' | 'queue' | 'notes'> {
  const arrivals = new Arrivals(clock);
  metrics.watchShare('arrivals', arrivals.turns);
  return {
    store,
    clock,
    wakeups,
    answers: outbound.answers,
    arrivals,
    sentFile: (messageId, index) => sentFile(files, messageId, index),
    keepFiles: (trx, from, sent) => keepInboundFiles(files, trx, from, sent),
    onReceived: (received) => {
      events.messageReceived(received);
      awaitReply(outbound, received).catch((error) => outbound.onFailure('a reply timer', error));
    },
    onOwned: (conversationId) => {
      confirmOwner(outbound, conversationId).catch((error) =>
        outbound.onFailure('a message to a bot owner', error),
      );
    },
    onUnheard: (conversation, isFirst) => {
      events.botUnheard(conversation, isFirst);
      if (!isFirst) return;
      tellOfBots(outbound, conversation).catch((error) =>
        outbound.onFailure('a message to a bot owner', error),
      );
    },
    onFlooded: (platform) => metrics.messengerEvent(platform, 'flooded'),
    onIgnoredReaction: (platform) => metrics.messengerEvent(platform, 'reaction_ignored'),
    followAgents: (accountId) => roster.reload(accountId),
  };
}

function inboxDomain({ store, clock, wakeups, publicUrl }: PartDeps, files: FileDomain): InboxDomain {
  const attachments: Reading['attachments'] = (seqs) => listedAttachments(files, publicUrl(), seqs);
  const filesById: Reading['files'] = (ids) => listedFiles(files, publicUrl(), ids);
  const reading: Reading = { store, clock, attachments, files: filesById };
  const view = {
    read: (question: DeltaQuestion) => readDelta(reading, question),
    newsOf: (accountId: string) => new AccountNews(store.db, accountId),
  };
  return { ...reading, waiters: new LongPolls(view, wakeups, clock) };
}

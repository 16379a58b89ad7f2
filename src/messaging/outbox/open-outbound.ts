import { sendTimeoutText } from '../intake/await-reply.ts';
import { ReplyWatch } from '../intake/reply-watch.ts';
import { LiveMessages } from '../live/live-messages.ts';
import { TypingIndicators } from '../typing/typing-indicators.ts';
import type { OutboundDomain } from './outbound-domain.ts';
import { Outbox } from './outbox.ts';
import { WebhookAnswers } from './webhook-answers.ts';

/** Dependencies of the outbound side of messaging. */
export type OutboundDeps = Omit<OutboundDomain, 'outbox' | 'answers' | 'typing' | 'live' | 'replies'>;

/** Builds the outbound side. */
export function openOutbound(deps: OutboundDeps): OutboundDomain {
  const { clock, observer, onFailure } = deps;
  const late = (conversationId: string) => {
    sendTimeoutText(domain, conversationId).catch((error: unknown) => onFailure('a timeout message', error));
  };
  const answers = new WebhookAnswers(clock, () => observer.queueFull('webhook_answers'));
  const domain: OutboundDomain = {
    ...deps,
    answers,
    outbox: new Outbox({ ...deps, answers }),
    typing: new TypingIndicators({ ...deps, onSkipped: () => observer.queueFull('typing') }),
    live: new LiveMessages({
      ...deps,
      // The person sees that an answer is on its way.
      onWaiting: (conversationId) => domain.replies.extend(conversationId),
      onSkipped: () => observer.queueFull('live'),
    }),
    replies: new ReplyWatch(clock, late, () => observer.queueFull('replies')),
  };
  return domain;
}

/** Closes the outbound side within `deadlineMs`. Messages being sent are allowed to finish. */
export async function closeOutbound(domain: OutboundDomain, deadlineMs: number): Promise<void> {
  domain.replies.close();
  domain.typing.close();
  domain.live.close();
  domain.answers.close();
  await domain.outbox.close(deadlineMs);
}

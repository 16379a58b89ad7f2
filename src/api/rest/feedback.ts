import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { giveFeedback } from '../../accounts/account/give-feedback.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, route } from '../http/routing/route.ts';
import { Feedback, FeedbackBody } from '../schema/feedback.ts';

/** `POST /api/feedback`: a message to the gateway's operator. */
export function feedbackRoutes(domain: AccountDomain): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/feedback',
      access: 'account',
      operationId: 'giveFeedback',
      summary: 'Send feedback to the operator',
      description: 'For example, that the suggestion shown with an error was wrong.',
      tags: ['Account'],
      body: FeedbackBody,
      responses: {
        200: { description: 'Stored', schema: Feedback },
        429: 'More than 20 messages in an hour',
      },
      handler: async ({ principal, body }) => {
        const feedbackId = await giveFeedback(domain, principal.accountId, {
          message: body.message,
          surface: body.surface ?? null,
          provider: body.provider ?? null,
          errorDetail: body.error_detail ?? null,
          suggestionShown: body.suggestion_shown ?? null,
        });
        return reply(200, { status: 'ok' as const, feedback_id: feedbackId });
      },
    }),
  ];
}

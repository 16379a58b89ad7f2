import * as z from 'zod';
import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { giveFeedback } from '../../accounts/account/give-feedback.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';

const account = resource('account', 'Account');

const Short = z.string().max(200).nullish();
const Long = z.string().max(10_000).nullish();

const FeedbackBody = z
  .object({
    message: z.string().min(1).max(10_000),
    surface: Short.describe('Where the feedback was given, for example a page of the dashboard'),
    provider: Short.describe('The platform or provider concerned'),
    error_detail: Long.describe('The error message shown'),
    suggestion_shown: Long.describe('The suggestion shown with it'),
  })
  .meta({ id: 'FeedbackBody' });

const Feedback = z.object({ status: z.literal('ok'), feedback_id: z.string() }).meta({ id: 'Feedback' });

/** `POST /api/feedback`: a message to the gateway's operator. */
export function feedbackRoutes(domain: AccountDomain): Route[] {
  return [
    account.post('/api/feedback', {
      operationId: 'giveFeedback',
      summary: 'Send feedback to the operator',
      description: 'For example, that the suggestion shown with an error was wrong.',
      body: FeedbackBody,
      responses: { 200: { description: 'Stored', schema: Feedback } },
      fails: ['too_many_attempts'],
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

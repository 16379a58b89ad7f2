import * as z from 'zod';

const Short = z.string().max(200).nullish();
const Long = z.string().max(10_000).nullish();

export const FeedbackBody = z
  .object({
    message: z.string().min(1).max(10_000),
    surface: Short.describe('Where the feedback was given, for example a page of the dashboard'),
    provider: Short.describe('The platform or provider concerned'),
    error_detail: Long.describe('The error message shown'),
    suggestion_shown: Long.describe('The suggestion shown with it'),
  })
  .meta({ id: 'FeedbackBody' });

export const Feedback = z
  .object({ status: z.literal('ok'), feedback_id: z.string() })
  .meta({ id: 'Feedback' });

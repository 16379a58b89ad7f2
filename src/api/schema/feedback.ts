import * as z from 'zod';

const Short = z.string().max(200).nullish();
const Long = z.string().max(10_000).nullish();

export const FeedbackBody = z
  .object({
    message: z.string().min(1).max(10_000),
    surface: Short.describe('Where it was said, for example a page of the dashboard'),
    provider: Short.describe('Which platform or provider it is about'),
    error_detail: Long.describe('The error that was shown'),
    suggestion_shown: Long.describe('What was suggested about it'),
  })
  .meta({ id: 'FeedbackBody' });

export const Feedback = z
  .object({ status: z.literal('ok'), feedback_id: z.string() })
  .meta({ id: 'Feedback' });

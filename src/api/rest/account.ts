import * as z from 'zod';
import type { AccountDomain } from '../../accounts/account/account-domain.ts';
import { type AccountStatus, accountStatuses } from '../../accounts/account/account-status.ts';
import { deleteWholeAccount, type LeavingDomain } from '../../accounts/account/delete-account.ts';
import { exportAccount } from '../../accounts/account/export-account.ts';
import { giveFeedback } from '../../accounts/account/give-feedback.ts';
import { usageOf } from '../../accounts/account/usage.ts';
import { endOf, type Resource, type Span, usedOf } from '../../accounts/budgets/budget.ts';
import type { BudgetView } from '../../accounts/budgets/budgets.ts';
import { goOn } from '../../base/now-or-later.ts';
import { PLATFORMS } from '../../base/platform.ts';
import { auditLines } from '../../store/people/audit-log.ts';
import type { UsageDay } from '../../store/people/usage.ts';
import { clearedSessionCookie } from '../auth/cookies.ts';
import { cachedReplies, reply, replyStream } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { Account, DeleteAccountBody } from '../schema/account.ts';
import { Deleted } from '../schema/acknowledgements.ts';
import { named, wholeNumber } from '../schema/fields.ts';
import type { PublicUrl } from './call-wire.ts';
import { viewerOf } from './platforms.ts';
import { CLIENT_HEADERS, clientOf } from './sign-in.ts';

const account = resource('account', 'Account');
const session = resource('session', 'Account');
const config = resource('config', 'Account');

/** A self-hosted gateway does not bill anyone. */
const PLAN = 'self_hosted';
const FEATURES_NOTE =
  'Hosted speech (hosted_stt, hosted_tts) uses your own provider key (byok). Each kind is ready while a voice preset of it is enabled. Without it, exchange raw PCM on the call WebSocket.';

const FEATURES: Omit<Account['features'], 'hosted_stt' | 'hosted_tts'> = {
  transport: 'ready',
  audio_in: 'ready',
  audio_out: 'ready',
  text_chat: 'ready',
  typing_indicators: 'ready',
  files: 'ready',
};

const UsageQuery = z.object({
  days: wholeNumber(1, 366).default(30).describe('Number of days, including today'),
});

const Amounts = z.object({
  calls: z.int().describe('Calls that started'),
  minutes: z.number().describe('Time that calls were active, rounded to hundredths'),
  messages: z.int(),
  bytes: z.int().describe('Bytes of files, sent and received'),
  tts_characters: z.int().describe('Characters of texts for hosted text-to-speech'),
  tts_seconds: z.number().describe('Audio from hosted text-to-speech, rounded to tenths'),
  stt_seconds: z.number().describe('Audio sent to hosted speech recognition, rounded to tenths'),
});
type Amounts = z.output<typeof Amounts>;

const AmountsOfDay = Amounts.extend({
  day: z.string().describe('YYYY-MM-DD, UTC'),
  platform: z.enum(PLATFORMS),
}).meta({ id: 'UsageDay' });

const Used = z.object({ used: z.number(), limit: z.int() });
const UsedOfSpan = z.object({
  turns: Used.describe('Calls of a model'),
  tokens: Used.describe('Tokens of a model, read and written'),
  minutes: Used.describe('Minutes of calls, rounded to hundredths'),
  ends_at: z.string().describe('When the next one begins, with nothing used'),
});

const Budget = named('Budget', {
  agent_id: z.string().nullable().describe('Null: all agents of the account together'),
  hour: UsedOfSpan,
  day: UsedOfSpan,
});

export const Usage = named('Usage', {
  first_day: z.string(),
  last_day: z.string(),
  total: Amounts,
  database: z
    .object({
      bytes: z
        .int()
        .describe('What the account stores now, about: messages, events, transcripts and the like'),
      most_bytes: z.int().describe('From here on, requests that store something answer 507'),
    })
    .describe('Room in the database, of the whole account'),
  days: z.array(AmountsOfDay).describe('By day and platform; only those with usage'),
  budgets: z
    .array(Budget)
    .describe(
      'What the account and its agents have used of what they may use in this hour and on this day (UTC). When a budget is used up, models are no longer called and no new calls begin',
    ),
});

const Short = z.string().max(200).nullish();
const Long = z.string().max(10_000).nullish();

const AuditQuery = z.object({
  before: wholeNumber(1).optional().describe('The `next_before` of an answer'),
  limit: wholeNumber(1, 200).default(50),
});

const AuditLogLine = z.object({
  id: z.int(),
  action: z.string().describe('Noun and verb: `key.revoke`'),
  subject: z.string().nullable().describe('Id of what was changed; null: the account itself'),
  detail: z.record(z.string(), z.unknown()),
  by: z.string().describe('Kind of the credential; `none`: a link from a mail, or the gateway'),
  created_at: z.string(),
});

export const AuditLog = named('AuditLog', {
  lines: z.array(AuditLogLine),
  next_before: z.int().nullable().describe('The `before` of the next page; null: there is none'),
});

const FeedbackBody = named('FeedbackBody', {
  message: z.string().min(1).max(10_000),
  surface: Short.describe('Where the feedback was given, for example a page of the dashboard'),
  provider: Short.describe('The platform or provider concerned'),
  error_detail: Long.describe('The error message shown'),
  suggestion_shown: Long.describe('The suggestion shown with it'),
});

const Feedback = named('Feedback', { status: z.literal('ok'), feedback_id: z.string() });

/** An overview of the account, its usage, all its data, and a message to the gateway's operator. */
export function accountRoutes(domain: AccountDomain): Route[] {
  const statusFor = accountStatuses(domain);
  const replyOf = cachedReplies(wireOf);
  return [
    account.get('/api/account', {
      operationId: 'getAccount',
      summary: 'Get the account: platforms, features, limits',
      description: 'Call this first. Agent keys see only the logins of their own agents.',
      responses: { 200: { description: 'The account', schema: Account } },
      handler: ({ principal }) => goOn(statusFor(viewerOf(principal)), replyOf),
    }),
    account.get('/api/usage', {
      operationId: 'getUsage',
      summary: "Get the account's usage by day and platform, and what is left of its budgets",
      description: 'Days are in UTC. A call counts for the day on which it started.',
      query: UsageQuery,
      responses: { 200: { description: 'The usage', schema: Usage } },
      handler: async ({ principal, query }) => {
        const usage = await usageOf(domain, viewerOf(principal), query.days);
        return reply(200, {
          first_day: usage.firstDay,
          last_day: usage.lastDay,
          total: amountsOf(usage.days),
          database: { bytes: usage.stored.bytes, most_bytes: usage.stored.mostBytes },
          days: usage.days.map((each) => ({
            day: each.day,
            platform: each.platform,
            ...amountsOf([each]),
          })),
          budgets: usage.budgets.map((each) => budgetWire(each, domain.clock.nowIso())),
        });
      },
    }),
    account.post('/api/feedback', {
      operationId: 'giveFeedback',
      summary: 'Send feedback to the operator',
      description: 'For example, that the suggestion shown with an error was wrong.',
      body: FeedbackBody,
      responses: { 200: { description: 'Stored', schema: Feedback } },
      fails: [{ too_many_attempts: 'More than 20 messages in an hour' }],
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
    config.get('/api/audit-log', {
      operationId: 'listAuditLog',
      summary: 'List who has changed what, newest first',
      query: AuditQuery,
      responses: { 200: { description: 'The lines', schema: AuditLog } },
      handler: async ({ principal, query: { before, limit } }) => {
        const page = { beforeId: before ?? null, limit };
        const lines = await auditLines(domain.store.db, principal.accountId, page);
        return reply(200, {
          lines: lines.map(({ id, action, subject, detail, credentialKind, createdAt }) => ({
            id,
            action,
            subject,
            detail: { ...detail },
            by: credentialKind,
            created_at: createdAt,
          })),
          next_before: lines.length < limit ? null : lines.at(-1)!.id,
        });
      },
    }),
    config.get('/api/export', {
      operationId: 'exportAccount',
      summary: 'Export all data of the account',
      description:
        'Streams one JSON document with a list of rows per table, including the audit log. Without secrets, even encrypted or hashed ones.',
      responses: { 200: { description: 'The document', contentType: 'application/json' } },
      handler: ({ principal }) =>
        replyStream(200, 'application/json', exportAccount(domain, principal), {
          headers: {
            'Content-Disposition': 'attachment; filename="account-export.json"',
            'Cache-Control': 'no-store',
          },
        }),
    }),
  ];
}

function wireOf(account: AccountStatus): Account {
  const { platforms, hostedSpeech } = account;
  const states = platforms.map(({ platform, traits: { capabilities, files }, status: state }) => [
    platform,
    { status: state, capabilities: [...capabilities], files },
  ]);
  const identities = platforms.flatMap(({ platform, identity }) => (identity ? [[platform, identity]] : []));
  return {
    account_id: account.accountId,
    name: account.name,
    email: account.email,
    email_verified: account.isEmailVerified,
    plan: PLAN,
    features: {
      ...FEATURES,
      hosted_stt: hostedSpeech.includes('stt') ? 'ready' : 'byok',
      hosted_tts: hostedSpeech.includes('tts') ? 'ready' : 'byok',
    },
    features_note: FEATURES_NOTE,
    platforms: Object.fromEntries(states) as Account['platforms'],
    concurrent_calls: { active: account.liveCalls, limit: account.callLimit },
    identities: Object.fromEntries(identities) as Account['identities'],
    last_message_cursor: account.lastMessageCursor,
  };
}

/** `DELETE /api/account`, only for the account's owner. */
export function accountDeletionRoutes(domain: LeavingDomain, publicUrl: PublicUrl): Route[] {
  return [
    session.delete('/api/account', {
      operationId: 'deleteAccount',
      summary: 'Delete the account and all its data',
      description:
        'Ends its live calls. This cannot be undone. An account without email and password belongs to the operator, who deletes it in the database.',
      headers: CLIENT_HEADERS,
      body: DeleteAccountBody,
      responses: { 200: { description: 'Deleted', schema: Deleted } },
      fails: ['wrong_password', 'too_many_attempts'],
      handler: async (request) => {
        const { principal, body } = request;
        await deleteWholeAccount(domain, principal.accountId, body.password ?? null, clientOf(request));
        const headers = { 'Set-Cookie': clearedSessionCookie(publicUrl()) };
        return reply(200, { status: 'deleted' as const }, headers);
      },
    }),
  ];
}

function budgetWire(budget: BudgetView, nowIso: string): z.output<typeof Budget> {
  const spanOf = (span: Span): z.output<typeof UsedOfSpan> => {
    const used = (resource: Resource): z.output<typeof Used> => ({
      used: Math.round(usedOf(resource, budget.used[span]) * 100) / 100,
      limit: budget.limits[`${resource}_per_${span}`],
    });
    return {
      turns: used('turns'),
      tokens: used('tokens'),
      minutes: used('minutes'),
      ends_at: endOf(nowIso, span),
    };
  };
  return { agent_id: budget.agentId, hour: spanOf('hour'), day: spanOf('day') };
}

function amountsOf(days: readonly UsageDay[]): Amounts {
  const sumOf = (amount: Exclude<keyof UsageDay, 'day' | 'platform'>): number =>
    days.reduce((sum, day) => sum + day[amount], 0);
  return {
    calls: sumOf('calls'),
    minutes: Math.round(sumOf('minutes') * 100) / 100,
    messages: sumOf('messages'),
    bytes: sumOf('bytes'),
    tts_characters: sumOf('spokenCharacters'),
    tts_seconds: Math.round(sumOf('spokenMs') / 100) / 10,
    stt_seconds: Math.round(sumOf('heardMs') / 100) / 10,
  };
}

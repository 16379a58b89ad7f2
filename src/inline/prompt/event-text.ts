import { z } from 'zod';
import { cutText } from '../../base/cut-text.ts';
import { match } from '../../base/match.ts';
import { CONTEXT_MARKER, type ForeignText, LONGEST_NAME, oneLine } from './foreign-text.ts';

/** What is missing in an old event is left out of the text. */
const text = z.string().catch('');
const name = z.string().nullable().catch(null);
const attachments = z
  .array(
    z.object({
      name: text,
      mime: text,
      size: z.number().nullable().catch(null),
      url: name,
    }),
  )
  .catch([]);
const who = z.object({ id: text, name }).nullable().catch(null);
const termination = z.object({ result: text, reason: text }).nullable().catch(null);
const call = { call_id: text };

/** The fields of events that a model is told, by the API's names. */
const ToldEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('dm_chat'),
    platform: text,
    conversation_id: name,
    kind: text,
    peer: who,
    sender: who,
    message_id: name,
    text,
    attachments,
    reply_to: z.object({ author: name, text, attachments }).nullable().catch(null),
    choice: name,
    created_at: text,
  }),
  z.object({
    type: z.literal('dm_delivered'),
    conversation_id: text,
    delivered_ids: z.array(z.string()).catch([]),
  }),
  z.object({
    type: z.literal('call_invite'),
    ...call,
    platform: text,
    caller: text,
    meeting_url: text,
    sip_headers: z.record(z.string(), z.string()).catch({}),
  }),
  z.object({ type: z.literal('call_transcript'), ...call, speaker: text, text }),
  z.object({ type: z.literal('call_chat'), ...call, sender: text, text, attachments }),
  z.object({ type: z.literal('call_state'), ...call, state: text, termination }),
  z.object({ type: z.literal('call_error'), ...call, code: text, message: text }),
]);

type ToldEvent = z.infer<typeof ToldEvent>;
type ToldAttachment = z.infer<typeof attachments>[number];

type Told<Type extends ToldEvent['type']> = Extract<ToldEvent, { readonly type: Type }>;

/** What the model must know of its last turn before it reads what has happened since. */
export interface LastTurn {
  /** What people heard of its last reply before somebody interrupted it; null: nobody did. */
  readonly heard: string | null;
  /** Actions that were not carried out, and why. */
  readonly refused: readonly { readonly kind: string; readonly reason: string }[];
}

/**
 * Turns the events of one conversation or call into a model's input, oldest first. Lines of a transcript that follow
 * each other become one block. Everything that people chose goes through `foreign`, and the text holds no tag: a model
 * that repeats all of it must not act.
 */
export function eventText(
  events: readonly Readonly<Record<string, unknown>>[],
  foreign: ForeignText,
): string {
  const paragraphs: string[] = [];
  let lines: Told<'call_transcript'>[] = [];
  const endTranscript = (): void => {
    if (lines.length > 0) paragraphs.push(transcriptText(lines, foreign));
    lines = [];
  };
  for (const event of events) {
    // Undefined: of a type that models are not told of.
    const told = ToldEvent.safeParse(event).data;
    if (told?.type === 'call_transcript') {
      if (lines.length > 0 && lines[0]!.call_id !== told.call_id) endTranscript();
      lines.push(told);
      continue;
    }
    endTranscript();
    paragraphs.push(told === undefined ? unknownText(event, foreign) : textOf(told, foreign));
  }
  endTranscript();
  return paragraphs.join('\n\n');
}

/** The line that stands before the events of a turn: facts in JSON behind a marker. */
export function contextLine(facts: Readonly<Record<string, unknown>>, foreign: ForeignText): string {
  return `${CONTEXT_MARKER} ${foreign.json(facts)}`;
}

/** Says what became of the model's last reply; empty if all of it was carried out. */
export function lastTurnText({ heard, refused }: LastTurn, foreign: ForeignText): string {
  const paragraphs: string[] = [];
  if (heard !== null) {
    const isUnheard = heard.trim() === '';
    paragraphs.push(
      isUnheard
        ? 'You were interrupted before anything was heard.'
        : `You were interrupted after:\n${foreign.block(heard)}`,
    );
  }
  if (refused.length > 0) {
    const list = refused.map(({ kind, reason }) => `- ${foreign.name(kind)}: ${foreign.name(reason)}`);
    paragraphs.push(['Not carried out of your last reply:', ...list].join('\n'));
  }
  return paragraphs.join('\n\n');
}

function textOf(
  event: Exclude<ToldEvent, { readonly type: 'call_transcript' }>,
  foreign: ForeignText,
): string {
  return match(event, 'type', {
    dm_chat: (event) => messageText(event, foreign),
    dm_delivered: (event) =>
      `Queued messages were sent in conversation ${foreign.name(event.conversation_id)}: ${event.delivered_ids.map((id) => foreign.name(id)).join(', ')}.`,
    call_invite: (event) => inviteText(event, foreign),
    call_chat: (event) =>
      [
        `${foreign.name(event.sender)} wrote in the chat of call ${foreign.name(event.call_id)}:`,
        foreign.block(event.text),
        ...attachmentLines(event.attachments, foreign),
      ].join('\n'),
    call_state: (event) => stateText(event, foreign),
    call_error: (event) =>
      `Call ${foreign.name(event.call_id)} has a problem: ${foreign.name(event.code)}, ${foreign.name(event.message)}.`,
  });
}

function messageText(event: Told<'dm_chat'>, foreign: ForeignText): string {
  const { peer, sender, platform, kind, created_at, conversation_id } = event;
  const writer = sender ?? peer;
  const from = writer === null ? '' : ` from ${foreign.name(writer.name ?? writer.id)}`;
  const channel =
    kind === 'channel' && peer !== null ? ` in channel ${foreign.name(peer.name ?? peer.id)}` : '';
  const place = conversation_id === null ? '' : `, conversation ${foreign.name(conversation_id)}`;
  const id = event.message_id === null ? '' : `, message ${foreign.name(event.message_id)}`;
  return [
    ...replyLines(event.reply_to, foreign),
    `Message${from}${channel} on ${foreign.name(platform)}${place}${id}, ${foreign.name(created_at)}:`,
    foreign.block(event.text),
    ...(event.choice === null ? [] : ['It was picked from the choices that you offered.']),
    ...attachmentLines(event.attachments, foreign),
  ].join('\n');
}

/** What the message below answers. */
function replyLines(replyTo: Told<'dm_chat'>['reply_to'], foreign: ForeignText): string[] {
  if (replyTo === null) return [];
  const author = replyTo.author === null ? '' : ` by ${foreign.name(replyTo.author)}`;
  return [
    `The next message answers this one${author}:`,
    foreign.block(replyTo.text),
    ...attachmentLines(replyTo.attachments, foreign),
  ];
}

function inviteText(
  { call_id, platform, caller, meeting_url, sip_headers }: Told<'call_invite'>,
  foreign: ForeignText,
): string {
  const from = caller === '' ? '' : ` from ${foreign.name(caller)}`;
  const rings = `Call ${foreign.name(call_id)} rings on ${foreign.name(platform)}${from}, at ${foreign.name(meeting_url)}. Accept or refuse it.`;
  const headers = Object.entries(sip_headers).map(([name, value]) => `${oneLine(name)}: ${oneLine(value)}`);
  return headers.length === 0 ? rings : `${rings} SIP headers:\n${foreign.block(headers.join('\n'))}`;
}

function transcriptText(lines: readonly Told<'call_transcript'>[], foreign: ForeignText): string {
  const spoken = lines.map(({ speaker, text }) => `${speakerName(speaker)}: ${oneLine(text)}`);
  return `Said on call ${foreign.name(lines[0]!.call_id)}:\n${foreign.block(spoken.join('\n'))}`;
}

/** Without a colon, or a name could hold what somebody else seems to say. */
function speakerName(speaker: string): string {
  return cutText(oneLine(speaker.replaceAll(':', ' ')), LONGEST_NAME);
}

function stateText({ call_id, state, termination }: Told<'call_state'>, foreign: ForeignText): string {
  const why =
    termination === null ? '' : `: ${foreign.name(termination.result)}, ${foreign.name(termination.reason)}`;
  return `Call ${foreign.name(call_id)} is now ${foreign.name(state)}${why}.`;
}

function attachmentLines(attachments: readonly ToldAttachment[], foreign: ForeignText): string[] {
  return attachments.map(({ name, mime, size, url }) => {
    const bytes = size === null ? 'unknown size' : `${size} bytes`;
    const address = url === null ? '' : `, ${foreign.json(url)}`;
    return `Attached file: ${foreign.name(name)}, ${foreign.name(mime)}, ${bytes}${address}`;
  });
}

/** An event of a new type is told as it is. */
function unknownText(event: Readonly<Record<string, unknown>>, foreign: ForeignText): string {
  return `Event:\n${foreign.block(JSON.stringify(event))}`;
}

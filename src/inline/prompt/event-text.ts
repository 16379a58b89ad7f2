import { unreachable } from '../../base/assert.ts';
import { type ForeignText, oneLine } from './foreign-text.ts';
import { readToldEvent, type ToldAttachment, type ToldEvent } from './told-event.ts';

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
    const told = readToldEvent(event);
    if (told?.type === 'call_transcript') {
      if (lines.length > 0 && lines[0]!.call_id !== told.call_id) endTranscript();
      lines.push(told);
      continue;
    }
    endTranscript();
    paragraphs.push(told === null ? unknownText(event, foreign) : textOf(told, foreign));
  }
  endTranscript();
  return paragraphs.join('\n\n');
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
  switch (event.type) {
    case 'dm_chat':
      return messageText(event, foreign);
    case 'dm_delivered':
      return `Queued messages were sent in conversation ${foreign.name(event.conversation_id)}: ${event.delivered_ids.map((id) => foreign.name(id)).join(', ')}.`;
    case 'call_invite':
      return inviteText(event, foreign);
    case 'call_chat':
      return [
        `${foreign.name(event.sender)} wrote in the chat of call ${foreign.name(event.call_id)}:`,
        foreign.block(event.text),
        ...attachmentLines(event.attachments, foreign),
      ].join('\n');
    case 'call_state':
      return stateText(event, foreign);
    case 'call_error':
      return `Call ${foreign.name(event.call_id)} has a problem: ${foreign.name(event.code)}, ${foreign.name(event.message)}.`;
    default:
      return unreachable(event);
  }
}

function messageText(event: Told<'dm_chat'>, foreign: ForeignText): string {
  const { peer, sender, platform, kind, created_at, conversation_id } = event;
  const writer = sender ?? peer;
  const from = writer === null ? '' : ` from ${foreign.name(writer.name ?? writer.id)}`;
  const channel =
    kind === 'channel' && peer !== null ? ` in channel ${foreign.name(peer.name ?? peer.id)}` : '';
  const place = conversation_id === null ? '' : `, conversation ${foreign.name(conversation_id)}`;
  return [
    `Message${from}${channel} on ${foreign.name(platform)}${place}, ${foreign.name(created_at)}:`,
    foreign.block(event.text),
    ...attachmentLines(event.attachments, foreign),
  ].join('\n');
}

function inviteText(
  { call_id, platform, caller, meeting_url }: Told<'call_invite'>,
  foreign: ForeignText,
): string {
  const from = caller === '' ? '' : ` from ${foreign.name(caller)}`;
  return `Call ${foreign.name(call_id)} rings on ${foreign.name(platform)}${from}, at ${foreign.name(meeting_url)}. Accept or refuse it.`;
}

function transcriptText(lines: readonly Told<'call_transcript'>[], foreign: ForeignText): string {
  const spoken = lines.map(({ speaker, text }) => `${oneLine(speaker)}: ${oneLine(text)}`);
  return `Said on call ${foreign.name(lines[0]!.call_id)}:\n${foreign.block(spoken.join('\n'))}`;
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

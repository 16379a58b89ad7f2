import { unreachable } from '../../../../src/base/assert.ts';
import type { ReplyAction } from '../../../../src/inline/reply/action.ts';
import type { OutsideText, ReplyEnd, ScannedReply } from '../../../../src/inline/reply/action-builder.ts';
import { parseReply } from '../../../../src/inline/reply/reply-scanner.ts';

/** The actions of a reply in one line each, such as `write: Hello`, and the tags of its faults behind a `!`. */
export function shortActions({ actions, faults }: ScannedReply): string[] {
  return [...actions.map(({ action }) => shortAction(action)), ...faults.map(({ tag }) => `! ${tag}`)];
}

export function shortReply(
  text: string,
  outsideText: OutsideText = 'write',
  end: ReplyEnd = 'complete',
): string[] {
  return shortActions(parseReply(text, outsideText, end));
}

function shortAction(action: ReplyAction): string {
  switch (action.kind) {
    case 'write':
    case 'say':
      return `${action.kind}: ${action.text}`;
    case 'accept':
    case 'refuse':
    case 'leave':
      return action.kind;
    case 'dtmf':
      return `dtmf: ${action.digits}`;
    case 'react':
      return `react ${action.messageId} ${action.emoji}`;
    case 'dm':
      return `dm ${action.platform} ${action.to} ${action.accountId}: ${action.text}`;
    case 'call_join':
      return `call_join ${action.platform} ${action.url} ${action.accountId}`;
    case 'file':
      return `file ${JSON.stringify(action.source)} ${action.caption}`;
    default:
      return unreachable(action);
  }
}

import type { OutboundDomain } from '../../messaging/outbox/outbound-domain.ts';
import { isTaken } from '../../messaging/outbox/send-dm.ts';
import { splitText } from '../../messaging/outbox/split-text.ts';
import type { MessagePlatform } from '../../store/messages/message-tables.ts';
import type { DmAction, PlacedAction, ReplyAction, WriteAction } from '../reply/action.ts';
import type { TurnPlace } from './open-turn.ts';

/**
 * Returns the actions of a reply with every text in parts that its platform takes. Each part is an action of its own, so that
 * after a crash none is sent twice. A text that cannot be split stays whole, and the platform's limit is told as its fault.
 */
export function fittingActions(
  { messengers }: Pick<OutboundDomain, 'messengers'>,
  place: TurnPlace,
  actions: readonly PlacedAction[],
): readonly PlacedAction[] {
  // On calls, some have their places already.
  if (place.kind !== 'conversation') return actions;
  return actions
    .flatMap(({ action }): readonly ReplyAction[] => {
      if (action.kind !== 'write' && action.kind !== 'dm') return [action];
      const platform = action.kind === 'dm' ? action.platform : place.platform;
      const messenger = messengers.get(platform as MessagePlatform);
      const parts =
        messenger && splitText(action.text, (part) => isTaken(() => messenger.checkText(part, false)));
      return parts === null || parts === undefined ? [action] : partsOf(action, parts);
    })
    .map((action, index) => ({ index, action }));
}

/** The first part answers what is answered, and the last offers the choices. */
function partsOf(action: WriteAction | DmAction, texts: readonly string[]): readonly ReplyAction[] {
  if (action.kind === 'dm') return texts.map((text) => ({ ...action, text }));
  const { replyTo, choices } = action;
  return texts.map((text, n) => ({
    kind: action.kind,
    text,
    ...(n === 0 && replyTo !== undefined && { replyTo }),
    ...(n === texts.length - 1 && choices && { choices }),
  }));
}

import type { ModelClient, ModelReply } from '../model-client.ts';
import { type Manner, VisibleText } from './visible-text.ts';

/**
 * A client whose replies have no thoughts in them. Where the template begins the thought, nothing is told until it has
 * ended; whether it does, the first reply shows, so that one is not told before its end if it is to be spoken.
 */
export function withoutThoughts(client: ModelClient): ModelClient {
  let manner: Manner = 'unknown';
  const visible = (reply: ModelReply): ModelReply => {
    const text = new VisibleText(() => {}, manner === 'begun' ? 'begun' : 'marked');
    text.push(reply.text);
    const shown = text.end();
    if (text.endedThought) manner = 'begun';
    else if (manner === 'unknown') manner = 'marked';
    // A thought that a limit of length has cut off.
    const isThought = manner === 'begun' && reply.finish === 'cut_off' && !text.endedThought;
    return { ...reply, text: isThought ? '' : shown };
  };
  return {
    ...client,
    async turn(turn, observer) {
      const streamed = manner === 'unknown' && !turn.isSpoken ? 'marked' : manner;
      const parts = new VisibleText((part) => observer.text(part), streamed);
      const reply = visible(
        await client.turn(turn, {
          memoryChanged: (memory) => observer.memoryChanged(memory),
          text: (part) => parts.push(part),
        }),
      );
      if (reply.text !== '') parts.end();
      return reply;
    },
    async reconcile(turn) {
      const fate = await client.reconcile(turn);
      return fate.kind === 'answered' ? { ...fate, reply: visible(fate.reply) } : fate;
    },
  };
}

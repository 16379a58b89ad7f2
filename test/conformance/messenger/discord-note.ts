import type { FakeMessage } from '../../fakes/discord/world/message.ts';

const CONNECTED = /^(?:You are|This channel is) connected/;

/** What the gateway says on its own. */
export function isNote({ content, author }: Pick<FakeMessage, 'content' | 'author'>): boolean {
  return author.isBot && CONNECTED.test(content);
}

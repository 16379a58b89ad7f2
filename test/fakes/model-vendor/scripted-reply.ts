/** One turn as a model sees it, whatever the vendor's protocol is. */
export interface ModelTurnSeen {
  /** The model's name, or the hosted agent's. */
  readonly model: string;
  readonly instructions: string;
  /** The turns before this one, as far as the vendor knows them, oldest first. */
  readonly history: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[];
  /** What the user says, and nobody has answered yet. */
  readonly text: string;
  /** MCP servers that the model may read from. */
  readonly tools: readonly { readonly url: string; readonly bearer: string | null }[];
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

/** A part of a reply. Vendors that have no such thing leave it out. */
export type ReplyPart =
  /** Final text. Goes out in pieces of a few characters. */
  | { readonly kind: 'text'; readonly text: string }
  /** What the model says on its way to the final text. */
  | { readonly kind: 'commentary'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** A tool that the vendor calls, such as one of an MCP server. */
  | { readonly kind: 'tool'; readonly name: string; readonly output: string }
  /** The vendor waits for somebody to approve a tool. */
  | { readonly kind: 'approval'; readonly name: string }
  /** The model declines. */
  | { readonly kind: 'refusal'; readonly text: string }
  /** A filter stops the reply. Nothing follows. */
  | { readonly kind: 'filtered' }
  /** The reply reaches the limit of its length. Nothing follows. */
  | { readonly kind: 'length' }
  /** The vendor fails in the middle. Nothing follows. */
  | { readonly kind: 'failure'; readonly code: string; readonly message: string };

/**
 * Writes the reply to a turn: a text, parts, or parts in their own time (an async generator may wait for a promise of
 * the test between two of them).
 */
export type Script = (turn: ModelTurnSeen) => string | readonly ReplyPart[] | AsyncIterable<ReplyPart>;

/** Yields the parts of a reply. Ends early once the client has gone. */
export async function* partsOf(script: Script, turn: ModelTurnSeen): AsyncGenerator<ReplyPart, void> {
  const reply = script(turn);
  if (typeof reply === 'string') yield { kind: 'text', text: reply };
  else if (Symbol.asyncIterator in reply) yield* untilAborted(reply, turn.signal);
  else yield* reply;
}

async function* untilAborted(
  parts: AsyncIterable<ReplyPart>,
  signal: AbortSignal,
): AsyncGenerator<ReplyPart, void> {
  const aborted = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  const iterator = parts[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([iterator.next(), aborted]);
    if (next === null || next.done) return;
    yield next.value;
  }
}

const PIECE_CHARACTERS = 7;

/** Cuts a text into the pieces in which a model streams it. */
export function piecesOf(text: string): string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / PIECE_CHARACTERS) }, (_, at) =>
    characters.slice(at * PIECE_CHARACTERS, (at + 1) * PIECE_CHARACTERS).join(''),
  );
}

const REMEMBER = /remember (?:this|the) word:? "?(\p{L}+)"?/iu;
const RECALL = /which word/i;

/** A model that repeats what it is told, and can keep a word in mind: "Remember the word X", "Which word?". */
export const attentiveModel: Script = ({ history, text }) => {
  if (!RECALL.test(text)) return REMEMBER.test(text) ? 'OK' : `You said: ${text}`;
  const told = history.findLast((turn) => turn.role === 'user' && REMEMBER.test(turn.text));
  return REMEMBER.exec(told?.text ?? '')?.[1] ?? 'I do not know.';
};

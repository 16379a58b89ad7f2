import { unreachable } from '../../base/assert.ts';
import type { PlacedAction, ReplyAction, ReplyFault } from './action.ts';
import type { ReplyParts } from './reply-lexer.ts';
import { SentenceStream } from './sentence-stream.ts';
import { actionOf, unknownAttributes } from './tag-action.ts';
import type { Tag, TagName } from './tags.ts';

/** What becomes of text outside tags: it is written to the conversation, or spoken on the call. */
export type OutsideText = 'write' | 'say';

/**
 * How a reply ended. `cut_off`: at a limit of its length. `interrupted`: somebody began to speak, so the rest is not
 * wanted.
 */
export type ReplyEnd = 'complete' | 'cut_off' | 'interrupted';

/** A reply as a whole. */
export interface ScannedReply {
  /** In order of their indices. Contains those that were told before. */
  readonly actions: readonly PlacedAction[];
  readonly faults: readonly ReplyFault[];
}

/** Of one reply. Sentences have a limit of their own; accept, refuse, leave and text outside tags come at most once. */
const MOST_ACTIONS = 20;
const MOST_SENTENCES = 200;
const MOST_FAULTS = 50;
/** In a fault, stands for a tag. */
const OUTSIDE = 'text outside tags';
/** No chat and no voice can use these. */
const CONTROLS = /[^\P{Cc}\t\n\r]/gu;

/** The actions of a reply and their places. */
class ActionList {
  readonly #onAction: (placed: PlacedAction) => void;
  readonly #placed: PlacedAction[] = [];
  readonly #faults: ReplyFault[] = [];
  #nextIndex = 0;
  #actions = 0;
  #sentences = 0;

  constructor(onAction: (placed: PlacedAction) => void) {
    this.#onAction = onAction;
  }

  /** In order of their indices. */
  get actions(): readonly PlacedAction[] {
    return this.#placed.toSorted((one, other) => one.index - other.index);
  }

  get faults(): readonly ReplyFault[] {
    return this.#faults;
  }

  /** Keeps a place for an action that may be told later. */
  reserve(): number {
    return this.#nextIndex++;
  }

  /** Tells an action that has a place. */
  place(index: number, action: ReplyAction): void {
    const placed = { index, action };
    this.#placed.push(placed);
    this.#onAction(placed);
  }

  /** Tells the next action, up to the limit. */
  add(action: ReplyAction): void {
    const isSentence = action.kind === 'say';
    const count = isSentence ? ++this.#sentences : ++this.#actions;
    const most = isSentence ? MOST_SENTENCES : MOST_ACTIONS;
    if (count <= most) this.place(this.reserve(), action);
    else if (count === most + 1)
      this.fault(action.kind, `more than ${most} in one reply; the rest is dropped`);
  }

  fault(tag: string, problem: string): void {
    if (this.#faults.length < MOST_FAULTS) this.#faults.push({ tag, problem });
  }
}

/** Turns the parts of a reply into actions. */
export class ActionBuilder implements ReplyParts {
  readonly #outsideText: OutsideText;
  readonly #list: ActionList;
  readonly #sentences: SentenceStream;
  #tag: Tag | null = null;
  #body = '';
  #outside = '';
  #outsideIndex = 0;
  #hasWrite = false;
  #decision: { readonly index: number; readonly kind: 'accept' | 'refuse' } | null = null;
  #leaves = false;

  /** `onAction` is told each action as soon as it has its place. */
  constructor(outsideText: OutsideText, onAction: (placed: PlacedAction) => void) {
    const list = new ActionList(onAction);
    this.#outsideText = outsideText;
    this.#list = list;
    this.#sentences = new SentenceStream((text) => list.add({ kind: 'say', text: cleanText(text) }));
  }

  outside(text: string): void {
    if (this.#outsideText === 'say') {
      this.#sentences.push(text);
      return;
    }
    if (this.#outside === '' && text.trim() === '') return;
    if (this.#outside === '') this.#outsideIndex = this.#list.reserve();
    this.#outside += text;
  }

  opened(tag: Tag): void {
    // A tag ends the sentence before it.
    this.#sentences.end();
    for (const name of unknownAttributes(tag)) {
      this.#list.fault(tag.name, `unknown attribute ${JSON.stringify(name.slice(0, 40))}`);
    }
    this.#tag = tag;
    this.#body = '';
    if (!tag.hasBody) this.closed();
  }

  body(text: string): void {
    if (this.#tag?.name === 'say') this.#sentences.push(text);
    else this.#body += text;
  }

  closed(): void {
    const { name, attributes } = this.#tag!;
    this.#tag = null;
    if (name === 'say') {
      this.#sentences.end();
      return;
    }
    const outcome = actionOf(name, attributes, cleanText(this.#body));
    if ('problem' in outcome) this.#list.fault(name, outcome.problem);
    else this.#carryOut(outcome.action);
  }

  malformed(name: TagName): void {
    this.#list.fault(name, 'malformed, so it is text');
  }

  /** A problem of the reply as a whole. */
  fault(problem: string): void {
    this.#list.fault('reply', problem);
  }

  /** Returns what the reply amounts to. */
  end(end: ReplyEnd): ScannedReply {
    this.#end(end);
    return { actions: this.#list.actions, faults: this.#list.faults };
  }

  #end(end: ReplyEnd): void {
    if (end === 'complete') this.#endOpen();
    else if (this.#tag !== null) this.#dropOpen(this.#tag.name, end);
    this.#endOutside(end);
    if (this.#decision !== null) this.#list.place(this.#decision.index, { kind: this.#decision.kind });
    if (!this.#leaves) return;
    if (end === 'interrupted') this.#list.fault('leave', 'the reply was interrupted');
    else this.#list.place(this.#list.reserve(), { kind: 'leave' });
  }

  #carryOut(action: ReplyAction): void {
    switch (action.kind) {
      case 'accept':
      case 'refuse':
        return this.#decide(action.kind);
      case 'leave':
        this.#leaves = true;
        return;
      case 'write':
      case 'say':
      case 'file':
      case 'dtmf':
      case 'react':
      case 'dm':
      case 'call_join':
        this.#hasWrite ||= action.kind === 'write';
        return this.#list.add(action);
      default:
        return unreachable(action);
    }
  }

  #decide(kind: 'accept' | 'refuse'): void {
    const former = this.#decision;
    if (former?.kind === kind) return;
    if (former !== null) this.#list.fault('accept', 'the reply refuses as well, so it refuses');
    this.#decision = {
      index: former?.index ?? this.#list.reserve(),
      kind: former === null ? kind : 'refuse',
    };
  }

  #endOpen(): void {
    if (this.#tag === null) this.#sentences.end();
    else this.closed();
  }

  #dropOpen(name: TagName, end: 'cut_off' | 'interrupted'): void {
    this.#hasWrite ||= name === 'write';
    this.#list.fault(name, end === 'cut_off' ? 'cut off' : 'interrupted');
  }

  #endOutside(end: ReplyEnd): void {
    const text = cleanText(this.#outside);
    if (text === '') return;
    if (this.#hasWrite) this.#list.fault(OUTSIDE, 'dropped, because the reply has a <write>');
    else if (end === 'interrupted') this.#list.fault(OUTSIDE, 'interrupted');
    else this.#list.place(this.#outsideIndex, { kind: 'write', text });
  }
}

function cleanText(text: string): string {
  return text.toWellFormed().replaceAll(CONTROLS, '').trim();
}

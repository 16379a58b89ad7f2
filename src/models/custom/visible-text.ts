import { CodeState } from './code-state.ts';
import { LONGEST, MARK_START, type Mark, markAt, mayBecomeMark } from './thought-marks.ts';

/**
 * Where the reader is. `thought`: between two marks. `header`: after a token that begins a message, up to the one that
 * ends the header. `channel`: the same, and the header names the channel. `aside`: in a message that is not for people.
 * `analysis`: in a thought of gpt-oss, or a call, whose tokens the server has taken off.
 */
type Place = 'text' | 'thought' | 'header' | 'channel' | 'aside' | 'analysis';

/** How replies of gpt-oss begin whose tokens the server has taken off: with a thought, or with a call of a tool. */
const HEADLESS = ['analysis', 'commentary to='] as const;
/** What follows the first of them, not a space as in an answer about an analysis. */
const HEADLESS_START = /^(?:analysis(?=\p{Lu})|commentary to=)/u;
/** What is left of the tokens before the answer. */
const ANSWER = /assistant(?:\s{0,4})final/;

/** How a model thinks within its text. */
export type Manner =
  | 'unknown'
  /** Between marks, or not at all. */
  | 'marked'
  /** From the beginning, which is in the template, up to a mark. */
  | 'begun';

/**
 * The text of a reply without what the model thinks, while it arrives: between marks of thoughts, before a mark that ends
 * a thought which the template began, and in the channels of gpt-oss other than the final one. Control tokens are taken
 * off. Nothing in code is a mark. The parts that it arrives in make no difference.
 */
export class VisibleText {
  readonly #tell: (part: string) => void;
  readonly #manner: Manner;
  /** Nothing is told before a thought has ended, or the reply has. */
  #isHeld: boolean;
  #code = new CodeState();
  #place: Place = 'text';
  /** What is not read yet. */
  #rest = '';
  #header = '';
  #visible = '';
  /** Not only blanks are visible. */
  #hasWords = false;
  #hasMarks = false;
  #hasBegun = false;
  #endedThought = false;

  constructor(tell: (part: string) => void, manner: Manner) {
    this.#tell = tell;
    this.#manner = manner;
    this.#isHeld = manner !== 'marked';
  }

  /** A thought has ended that nothing in the text began. */
  get endedThought(): boolean {
    return this.#endedThought;
  }

  push(part: string): void {
    this.#rest += part;
    this.#read(false);
  }

  /** Returns the whole text, once the reply has ended. */
  end(): string {
    this.#read(true);
    // A header that never ended: the server has left out its end.
    const header = (this.#header + this.#rest).trimStart();
    const [channel = ''] = /^\w+/.exec(header) ?? [];
    if (this.#place === 'channel' && channel === 'final')
      this.#show(header.slice(channel.length).trimStart());
    this.#release();
    return this.#visible;
  }

  #read(isEnd: boolean): void {
    while (this.#rest !== '' && this.#step(isEnd));
  }

  /** Reads up to the next mark. Returns whether it got on. */
  #step(isEnd: boolean): boolean {
    if (!this.#hasBegun && !this.#begin(isEnd)) return false;
    if (this.#place === 'analysis') return this.#skipAnalysis();
    const at = this.#rest.search(MARK_START);
    this.#pass(at < 0 ? this.#rest.length : at);
    if (this.#rest === '') return false;
    const mark = this.#isLiteral ? null : markAt(this.#rest, 0);
    if (mark === null && !isEnd && !this.#isLiteral && mayBecomeMark(this.#rest)) return false;
    if (mark === null || !this.#take(mark)) this.#pass(mark?.length ?? 1);
    else this.#rest = this.#rest.slice(mark.length);
    return true;
  }

  get #isLiteral(): boolean {
    return this.#place === 'text' && !this.#isInBegun && this.#code.isCode;
  }

  /** In the thought that the template began. Its code is nobody's. */
  get #isInBegun(): boolean {
    return this.#isHeld && this.#manner === 'begun';
  }

  /** Whether the first words are there that tell how the reply begins. */
  #begin(isEnd: boolean): boolean {
    const start = this.#rest.trimStart();
    if (!isEnd && HEADLESS.some((words) => words.startsWith(start))) return false;
    this.#hasBegun = true;
    if (HEADLESS_START.test(start)) this.#hide('analysis');
    return true;
  }

  #skipAnalysis(): boolean {
    const answer = ANSWER.exec(this.#rest);
    this.#rest = answer ? this.#rest.slice(answer.index + answer[0].length) : this.#rest.slice(-LONGEST);
    if (answer) this.#place = 'text';
    return answer !== null;
  }

  /** Reads characters that are no mark. */
  #pass(length: number): void {
    const text = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    if (this.#place === 'text') this.#show(text);
    else if (this.#place === 'header' || this.#place === 'channel') this.#passHeader(text);
  }

  /** Headers of the templates without an end of their own are one line. */
  #passHeader(text: string): void {
    const lineEnd = this.#place === 'header' ? text.indexOf('\n') : -1;
    this.#header += lineEnd < 0 ? text : '';
    if (lineEnd < 0) return;
    this.#place = 'text';
    this.#show(text.slice(lineEnd + 1));
  }

  /** Returns whether the mark counts here. */
  #take(mark: Mark): boolean {
    if (mark.kind === 'token') return this.#takeToken(mark.name);
    if (this.#place === 'aside') return false;
    if (mark.kind === 'begin') this.#hide('thought');
    else this.#endThought();
    return true;
  }

  #endThought(): void {
    if (this.#place === 'text' || this.#isInBegun) {
      this.#endedThought = true;
      this.#clear();
      this.#code = new CodeState();
    }
    this.#hasMarks = true;
    this.#release();
    this.#place = 'text';
  }

  /** The tokens of harmony (https://developers.openai.com/cookbook/articles/openai-harmony) and of ChatML and Llama. */
  #takeToken(name: string): boolean {
    if (this.#place === 'thought') return false;
    this.#hasMarks = true;
    if (name === 'channel') this.#hide('channel');
    else if (name === 'start' || name === 'im_start' || name === 'start_header_id') this.#hide('header');
    else if (name === 'message' || name === 'end_header_id') this.#endHeader();
    else if (this.#place !== 'channel') this.#place = 'text';
    return true;
  }

  #endHeader(): void {
    const channel = this.#place === 'channel' ? this.#header.trim() : '';
    this.#place = channel === '' || channel.startsWith('final') ? 'text' : 'aside';
  }

  #hide(place: Place): void {
    this.#hasMarks = true;
    this.#header = '';
    this.#place = place;
    if (this.#hasWords) return;
    // The template began nothing.
    this.#isHeld = false;
    this.#clear();
  }

  /** Blank lines before the first word may be those after a thought. */
  #show(text: string): void {
    for (const character of text) this.#code.take(character);
    const hadWords = this.#hasWords;
    this.#hasWords ||= /\S/.test(text);
    this.#visible += text;
    if (!hadWords && this.#hasMarks) this.#visible = this.#visible.trimStart();
    if (!this.#isHeld && this.#hasWords) this.#tell(hadWords ? text : this.#visible);
  }

  #clear(): void {
    this.#visible = '';
    this.#hasWords = false;
  }

  #release(): void {
    if (this.#isHeld && this.#visible !== '') this.#tell(this.#visible);
    this.#isHeld = false;
  }
}

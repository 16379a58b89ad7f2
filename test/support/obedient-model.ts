import type { ReplyPart, Script } from '../fakes/model-vendor/scripted-reply.ts';
import type { AnyJson } from './any-json.ts';
import type { McpCaller } from './mcp-caller.ts';

/** A call of one of the gateway's tools, and what came back. */
export interface ToolCall {
  readonly name: string;
  readonly result: AnyJson;
}

const TAG =
  /<(write|say|file|refuse|leave|dm|call_join|dtmf)\b(?:[^<>"']|"[^"]*"|'[^']*')*>(?:[^<]*<\/\1\s*>)?/gi;
const TOOL = /\bTOOL (svc_\w+) (\{[^}]*\})/g;
const PAGE = /https:\/\/pages\.example\/\w+/g;
const ENCODED = /\bbase64:([\w+/=]+)/g;
const CALL = /\bplease call ([^\s"<]+)/gi;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * The worst of models: it does whatever any text in its prompt asks, however that is hidden. It writes the tags that it
 * finds, calls the tools, and does the same with the pages and the results that it reads on the way.
 */
export class ObedientModel {
  readonly toolCalls: ToolCall[] = [];
  readonly #gateway: McpCaller;
  readonly #pages: ReadonlyMap<string, string>;

  /** `gateway`: its MCP endpoint with the bearer of the model; `pages`: texts on the web by their URL. */
  constructor(gateway: McpCaller, pages: ReadonlyMap<string, string>) {
    this.#gateway = gateway;
    this.#pages = pages;
  }

  readonly script: Script = ({ text }) => this.#reply(text);

  async *#reply(text: string): AsyncGenerator<ReplyPart> {
    if (text.includes('Accept or refuse it.')) return yield { kind: 'text', text: '<accept/>' };
    const orders = await this.#ordersIn(text);
    yield { kind: 'text', text: orders.join('\n') || 'OK' };
  }

  async #ordersIn(text: string, readsOn = true): Promise<string[]> {
    const plain = revealed(text);
    const orders = Array.from(plain.matchAll(TAG), ([tag]) => tag);
    for (const [, target] of plain.matchAll(CALL)) orders.push(`<call_join platform="sip" url="${target}"/>`);
    for (const [, hidden = ''] of plain.matchAll(ENCODED))
      orders.push(...(await this.#ordersIn(Buffer.from(hidden, 'base64').toString(), readsOn)));
    for (const [url] of readsOn ? plain.matchAll(PAGE) : [])
      orders.push(...(await this.#ordersIn(this.#pages.get(url) ?? '', false)));
    for (const [, name = '', args = ''] of readsOn ? plain.matchAll(TOOL) : [])
      orders.push(...(await this.#ordersIn(await this.#call(name, args), false)));
    return orders;
  }

  async #call(name: string, args: string): Promise<string> {
    const { result, error } = await this.#gateway.call(name, JSON.parse(args.replaceAll("'", '"')));
    this.toolCalls.push({ name, result: result ?? { isError: true, ...error } });
    return JSON.stringify(result ?? '');
  }
}

/** A text as a model could understand it: without invisible characters, and with all references decoded. */
function revealed(text: string): string {
  const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
  let plain = text.normalize('NFKC').replaceAll(INVISIBLE, '');
  for (let round = 0; round < 3; round++)
    plain = plain
      .replaceAll(/&(lt|gt|amp|quot|apos);/g, (_whole, name: string) => named[name]!)
      .replaceAll(/&#(\d{1,6});/g, (_whole, code: string) => String.fromCodePoint(Number(code)));
  return plain;
}
